"""Decoding RAPPOR: counts of candidates without bias, and the few true ones among many."""

from fractions import Fraction

import numpy as np
import pytest

from privet.guarantee.oracles import BloomResponse
from privet.mechanism import WordStream, respond
from privet.protect.collect._bloom_decoding import _Fit, decoded_filters
from privet.protect.collect._tallies import counted

SEED = 77


@pytest.mark.parametrize(
    "oracle",
    [
        BloomResponse(Fraction(2), 12, 64, 2, 8, 128, 192),
        BloomResponse(Fraction(4), 12, 32, 2, 16, 64, 192),
        BloomResponse(Fraction(6), 12, 32, 2, 32, 32, 224),  # where noise is small, cohorts matter
        BloomResponse(Fraction(6), 12, 64, 2, 1, 32, 224),  # and where there is one, they do not
    ],
    ids=["2", "4", "6", "one cohort"],
)
def test_counts_have_no_bias_and_intervals_cover(oracle: BloomResponse) -> None:
    """250 collections: mean scores within 5 / √250, coverage of 3,000 intervals within .93 and .97: five standard errors."""
    counts = np.array([1500, 800, 400, 200, 100, 0, 0, 0, 0, 0, 0, 0])
    codes, stream = np.repeat(np.arange(12), counts), WordStream.seeded(3)
    found = [
        decoded_filters(oracle, counted(oracle, respond(oracle, codes, stream, SEED)), 12, SEED)
        for _ in range(250)
    ]
    scores = np.array([(one.counts - counts) / one.errors for one in found])
    assert np.abs(scores.mean(axis=0)).max() < 5 / 250**0.5
    assert 0.93 < (np.abs(scores) < 1.96).mean() < 0.97


def test_bits_that_do_not_tell_candidates_apart_give_no_errors_and_no_negative_counts() -> None:
    oracle = BloomResponse(Fraction(4), 2, 4, 2, 1, 64, 192)
    alike = np.array([[[1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]])
    fit = _Fit(oracle, alike, np.array([100]), np.array([[90.0, 80.0, -5.0, 3.0]]), 100)
    counts, errors = fit.counts(np.full((1, 4), 0.4))
    assert errors is None
    assert counts.min() >= 0
    assert counts.sum() == pytest.approx(85)


def test_few_true_words_are_found_among_many_candidates() -> None:
    pytest.importorskip("sklearn")
    oracle = BloomResponse(Fraction(6), 1_200, 64, 2, 16, 32, 224)
    codes = np.repeat([5, 100, 700], [20_000, 15_000, 10_000])
    cells = counted(oracle, respond(oracle, codes, WordStream.seeded(2), SEED))
    found = decoded_filters(oracle, cells, 1_200, SEED)
    assert set(np.argsort(-found.counts)[:3].tolist()) == {5, 100, 700}
    assert found.counts[5] == pytest.approx(20_000, rel=0.15)
