"""Quantiles from question to answer, with the noise off: bins chosen by rank, inside ends that enclose them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.protect.query.estimators.ward_table import WARDS, by_ward, opened

import privet as pv
from privet.engine import EvenBins, Ranked
from privet.guarantee import PermuteAndFlip, Repeated
from privet.protect.query.estimators._quantiles import QuantileReading, _sides
from privet.source import Bounds


@pytest.mark.parametrize("public", [True, False], ids=["stated keys", "unknown keys"])
def test_medians_stand_beside_their_keys(data, still, ledger, public):
    table = opened(data, keys={"ward": WARDS} if public else None)
    question = table.group_by("ward").agg(n=pv.count(), m=pv.median("x", bins=4000))
    answer = pv.release(question, pv.ApproxDP(20, 1e-6), ledger=ledger, why="test")
    truth = by_ward(data, lambda part: float(np.quantile(np.asarray(part["x"]), 0.5, method="inverted_cdf")))
    sizes = by_ward(data, len)
    assert sorted(answer["ward"]) == sorted(WARDS)
    for ward, n, m, (low, high) in zip(
        answer["ward"], answer["n"], answer["m"], answer.error("m"), strict=True
    ):
        assert n == sizes[ward]
        assert m == pytest.approx(truth[ward], abs=0.02)
        assert low <= truth[ward] <= high


def test_under_concentrated_privacy_the_exponential_mechanism_chooses(data, tmp_path):
    table = opened(data, keys={"ward": WARDS})
    question = table.group_by("ward").agg(m=pv.median("x"))
    with pv.Ledger(tmp_path / "z.ledger", limit=pv.ZeroConcentratedDP(1)) as ledger:
        answer = pv.release(question, pv.ZeroConcentratedDP("0.5"), ledger=ledger, why="test")
        assert float(ledger.balance().remaining["rho"]) == pytest.approx(0.5, abs=1e-4)
    assert all(0 <= value <= 40 for value in answer["m"])
    assert "exponential mechanism" in str(pv.explain(question, pv.ZeroConcentratedDP("0.5")))


def test_an_explanation_says_what_is_chosen_and_what_it_is_off_by(data):
    table = opened(data, keys={"ward": WARDS})
    text = str(pv.explain(table.group_by("ward").agg(m=pv.median("x")), pv.PureDP(1)))
    assert "Choose one bin in each group by permute-and-flip of epsilon 0.9" in text
    assert "if values spread evenly over the bounds" in text
    assert "Count x in 1,000 even bins between its bounds [0, 40]" in text
    assert "enclose it with at least the stated confidence" in text
    bare = str(pv.explain(table.agg(m=pv.median("x", interval=0)), pv.PureDP(1)))
    assert "the whole range" in bare


def test_edges_of_candidates_and_of_runs_of_them():
    edges = np.array([0.0, 1, 2, 3, 4])
    lows, highs = _sides(edges, 1)
    assert (lows.tolist(), highs.tolist()) == ([0, 0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 4])
    lows, highs = _sides(edges, 2)
    assert (lows.tolist(), highs.tolist()) == ([0, 0, 2, 4], [0, 2, 4, 4])


def quantile(interval="0.1", bins=4):
    of = Ranked("x", EvenBins(0, 4, bins), Fraction(1, 2))
    return QuantileReading("m", pv.median("x"), of, Bounds(0, 4), Fraction(interval), 2)


def test_a_quantile_is_the_middle_of_its_bin_inside_the_ends():
    one = quantile()
    middle, low, high = one.vectors()
    chosen = {middle: np.array([2, 2, 5]), low: np.array([1, 3, 0]), high: np.array([4, 2, 5])}
    (answer,) = one.read(chosen, {}, 0.95).answers
    assert answer.values == pytest.approx((1.5, 1.5, 4))
    assert answer.low == pytest.approx((0, 1, 0)), "never above the value's own bin"
    assert answer.high == pytest.approx((4, 2, 4))
    bare = quantile("0")
    (answer,) = bare.read({bare.vector: np.array([2])}, {}, 0.95).answers
    assert (answer.low, answer.high) == (pytest.approx((0,)), pytest.approx((4,)))


def test_ends_are_aimed_so_far_off_that_each_misses_with_half_the_chance_left():
    one = quantile(bins=1000)
    event = Repeated(PermuteAndFlip(Fraction(1, 2)), 1)
    found = one.settled(dict.fromkeys(one.vectors(), event), 0.95)
    middle, low, high = (found[name] for name in one.vectors())
    assert middle.shift == 0
    assert low.shift == -high.shift
    # scale = 2 * largest / epsilon = 8; permute-and-flip halves the chance of each wrong candidate.
    assert high.shift == math.ceil(8 * math.log(low.length / 0.05))
