"""Estimated counts: without bias, with the stated variance, and intervals that cover.

Each collection is simulated many times; bounds state false-alarm rates of at most one in a million.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.linalg import hadamard

from privet.errors import InternalError
from privet.guarantee.oracles import ORACLES, Duchi, WindowResponse, oracle_class
from privet.mechanism import WordStream, respond
from privet.protect.collect._frequency_estimates import estimated, unbiased, walsh_hadamard
from privet.protect.collect._tallies import counted

SIZE, SEED, RUNS = 16, 12345, 150
COUNTS = np.array([400, 200, 100, 50, 25, 10, 5, *[0] * 9])
CASES = [
    ("grr", {}), ("sue", {}), ("oue", {}), ("olh", {}), ("subset", {}), ("hadamard", {}), ("hadamard", {"blocks": 1}),
    ("l-grr", {}), ("l-sue", {}), ("loloha", {"pool": 512}), ("dbitflip", {"chosen": 6}), ("flh", {"pool": 512}), ("cms", {"rows": 512, "width": 32}), ("hcms", {"rows": 512, "width": 32}),
]  # fmt: skip


def runs(kind: str, settings: dict, epsilon: str) -> tuple[np.ndarray, np.ndarray]:
    """Estimates and standard errors of many collections; hash functions are drawn anew for each."""
    oracle = oracle_class(kind).made(Fraction(epsilon), SIZE, settings)
    codes, stream = np.repeat(np.arange(SIZE), COUNTS), WordStream.seeded(17)
    found = []
    for run in range(RUNS):
        cells = counted(oracle, respond(oracle, codes, stream, SEED + run))
        found.append(estimated(oracle, cells, len(codes), np.arange(SIZE), SEED + run))
    return np.array([one.counts for one in found]), np.array([one.errors for one in found])


@pytest.mark.parametrize(("kind", "settings"), CASES, ids=str)
@pytest.mark.parametrize("epsilon", ["1", "4"])
def test_no_bias_the_stated_variance_and_coverage(kind: str, settings: dict, epsilon: str) -> None:
    counts, errors = runs(kind, settings, epsilon)
    oracle = oracle_class(kind).made(Fraction(epsilon), SIZE, settings)
    others = (COUNTS**2).sum() - COUNTS**2
    block = np.bincount(np.arange(SIZE) % getattr(oracle, "blocks", 1), COUNTS)
    exact = (
        oracle.variance(COUNTS.sum(), COUNTS, within=block[np.arange(SIZE) % oracle.blocks])
        if kind == "hadamard"
        else oracle.variance(COUNTS.sum(), COUNTS, others)
    )
    scores = (counts - COUNTS) / np.sqrt(exact)
    assert np.abs(scores.mean(axis=0)).max() < 5.6 / RUNS**0.5
    # A mean of RUNS · SIZE squares of about normal scores; values of one collection are weakly dependent.
    assert 0.8 < (scores**2).mean() < 1.2
    covered = np.abs(counts - COUNTS) <= 1.96 * errors
    assert 0.93 <= covered.mean() <= 0.97


@pytest.mark.parametrize("width", [1, 2, 8, 64])
def test_the_transform_is_that_of_the_hadamard_matrix(width: int) -> None:
    rows = np.arange(3 * width).reshape(3, width)
    assert walsh_hadamard(rows) == pytest.approx(rows @ hadamard(width))


def test_what_has_no_estimate_says_so() -> None:
    with pytest.raises(InternalError):
        unbiased(Duchi(Fraction(1), 2, 1), np.zeros(2, np.int64), 1, np.arange(2), 0)


def test_every_oracle_with_categories_is_among_them() -> None:
    """RAPPOR has decoding and a test of its own; numbers have theirs, a square wave for its mean."""
    kinds = {kind for kind, made in ORACLES.items() if not issubclass(made, WindowResponse)}
    assert {kind for kind, _ in CASES} | {"rappor"} == kinds
