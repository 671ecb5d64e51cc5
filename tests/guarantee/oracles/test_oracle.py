"""Every oracle: its epsilon by enumeration is the one claimed, its settings are checked, its record says them."""

import math
from fractions import Fraction

import pytest

from privet.errors import BadAmount, UnknownRecord
from privet.guarantee.oracles import (
    ORACLES,
    BloomResponse,
    Duchi,
    Hybrid,
    Oracle,
    Piecewise,
    SquareWave,
    largest_log_ratio,
    oracle_class,
)
from privet.guarantee.oracles._word_odds import exp_below

EPSILONS = [Fraction(text) for text in ("1/10", "1/2", "1", "2", "4", "8", "12", "16")]
SMALL: dict[str, tuple[int, dict[str, int]]] = {
    "grr": (5, {}),
    "sue": (4, {}),
    "oue": (4, {}),
    "olh": (3, {"range": 3}),
    "flh": (3, {"range": 3, "pool": 8}),
    "subset": (6, {"chosen": 2}),
    "hadamard": (6, {"blocks": 2}),
    "rappor": (2, {"bits": 4, "cohorts": 1}),
    "l-grr": (5, {}),
    "l-sue": (4, {}),
    "loloha": (3, {"range": 3, "pool": 8}),
    "dbitflip": (4, {"chosen": 2}),
    "cms": (3, {"rows": 2, "width": 4}),
    "hcms": (3, {"rows": 2, "width": 4}),
}


def small(kind: str, epsilon: Fraction) -> Oracle:
    if kind in SMALL:
        size, settings = SMALL[kind]
        return oracle_class(kind).made(epsilon, size, settings)
    return {
        "duchi": Duchi(epsilon, 2, 1),
        "piecewise": Piecewise(epsilon, 9, 3),
        "square-wave": SquareWave(epsilon, 9, 2),
        "hybrid": Hybrid(epsilon, 9, 3),
    }[kind]


@pytest.mark.parametrize("kind", sorted(ORACLES))
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_the_matrix_has_the_epsilon_that_is_claimed_and_never_more(kind: str, epsilon: Fraction) -> None:
    matrix = small(kind, epsilon).matrix()
    assert all(sum(row) == 1 for row in matrix)
    # In exact numbers, against the exponential from below: no rounding hides an excess.
    columns = [column for column in zip(*matrix, strict=True) if any(column)]
    assert max(max(column) / min(column) for column in columns) <= exp_below(epsilon)
    assert abs(largest_log_ratio(matrix) - float(epsilon)) < 1e-9


@pytest.mark.parametrize("kind", sorted(set(ORACLES) - {"hybrid"}))  # the hybrid's parts are here
def test_one_word_more_or_less_would_break_the_promise(kind: str, monkeypatch) -> None:
    """The odds are the nearest to the promise, so moving them to the other side is noticed."""
    oracle = small(kind, Fraction(1))
    worse = {"sue": (1, -1), "cms": (1, -1), "oue": (0, -1), "rappor": (-1,), "hcms": (-1,)}
    worse |= {"l-grr": (1, 0), "loloha": (1, 0), "l-sue": (-1, 0), "dbitflip": (-1,)}
    moved = tuple(word + more * 2 for word, more in zip(oracle.odds(), worse.get(kind, (1,)), strict=True))

    monkeypatch.setattr(type(oracle), "odds", lambda _: moved)
    matrix = oracle.matrix()
    assert max(max(column) / min(column) for column in zip(*matrix, strict=True)) > exp_below(Fraction(1))


def test_a_report_that_one_value_alone_could_make_has_no_finite_epsilon() -> None:
    half = Fraction(1, 2)
    assert largest_log_ratio([[Fraction(1), Fraction(0)], [half, half]]) == math.inf
    assert largest_log_ratio([[half, half], [half, half]]) == 0  # exact: the logarithm of 1 less itself


def test_what_is_unknown_or_out_of_range_is_refused() -> None:
    with pytest.raises(UnknownRecord):
        oracle_class("laplace")
    with pytest.raises(UnknownRecord):
        oracle_class(["grr"])
    with pytest.raises(BadAmount):
        oracle_class("grr").made(Fraction(1), 1, {})
    with pytest.raises(BadAmount):
        oracle_class("grr").made(Fraction(1), 2**24 + 1, {})
    with pytest.raises(BadAmount, match="no setting"):
        oracle_class("olh").made(Fraction(1), 8, {"pool": 3})
    with pytest.raises(BadAmount):
        oracle_class("cms").made(Fraction(1), 8, {"rows": 0})
    with pytest.raises(BadAmount):
        oracle_class("grr").made(Fraction(33), 8, {})


@pytest.mark.parametrize("kind", sorted(ORACLES))
def test_what_is_stated_makes_the_same_oracle(kind: str) -> None:
    oracle = oracle_class(kind).made(Fraction(2), 50, {})
    stated = oracle.stated()
    assert stated.pop("kind") == kind
    assert oracle_class(kind).made(Fraction(2), 50, stated) == oracle
    assert oracle.report_bytes() > 0
    assert oracle.standard_error(10_000) > 0
    assert isinstance(oracle, BloomResponse) or float(oracle.variance(100.0, 0.0)) < float(
        oracle.variance(200.0, 0.0)
    )
