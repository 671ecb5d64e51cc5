"""Utility on people kept apart: right figures, and intervals that count people and not rows."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.artifact._fitted_weights import ModelTarget
from privet.pipeline._holdout_utility import DRAWS, Held, area, estimated
from privet.protect.train.tabular._evaluation import area_under_curve


class Says:
    """A model that answers what it is told to."""

    def __init__(self, answers: np.ndarray) -> None:
        self.answers = answers

    def predict_proba(self, rows: object) -> np.ndarray:
        del rows
        return self.answers

    predict = predict_proba


@given(
    st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2).filter(
        lambda pairs: 0 < sum(up for _, up in pairs) < len(pairs)
    )
)
def test_areas_agree_with_ranks_and_with_repeated_rows(pairs: list[tuple[int, bool]]) -> None:
    score = np.array([number for number, _ in pairs], float)
    up = np.array([positive for _, positive in pairs])
    twice = np.arange(len(pairs)) % 3
    found = area(score, up, np.stack([np.ones(len(pairs)), twice.astype(float)]))
    assert found[0] == pytest.approx(area_under_curve(score, up))
    repeated, ups = np.repeat(score, twice), np.repeat(up, twice)
    if 0 < ups.sum() < len(ups):
        assert found[1] == pytest.approx(area_under_curve(repeated, ups))
    else:
        assert found[1] == pytest.approx(0.5)


def held(truth: list[object], people: list[int] | None = None, target: ModelTarget | None = None) -> Held:
    table = pa.table({"y": truth, **({"who": people} if people else {})})
    return Held.of(table, target or ModelTarget("y", ("false", "true")), "who" if people else None)


def test_people_with_many_rows_make_figures_no_surer() -> None:
    draw = np.random.default_rng(3)
    score, truth = draw.random(60), draw.random(60) < 0.5
    each = held(truth.tolist())
    copied = held(np.repeat(truth, 20).tolist(), np.repeat(np.arange(60), 20).tolist())
    by_row = held(np.repeat(truth, 20).tolist())
    wide, same, narrow = (
        estimated([one.reached(Says(np.column_stack([1 - s, s])))])
        for one, s in ((each, score), (copied, np.repeat(score, 20)), (by_row, np.repeat(score, 20)))
    )
    assert [wide.value, narrow.value] == pytest.approx([same.value] * 2)
    assert same.high - same.low == pytest.approx(wide.high - wide.low)
    assert narrow.high - narrow.low < 0.4 * (
        wide.high - wide.low
    )  # what rows would pretend: about 1 / sqrt(20)


def test_measures_follow_the_target() -> None:
    three = ModelTarget("y", ("a", "b", "c"))
    found = held(["a", "a", "b", "c", None], target=three)
    assert (found.measure, found.guess, len(found.truth)) == ("accuracy", 0.5, 4)  # exact: two of four
    assert found.reached(Says(np.eye(3)[[0, 0, 1, 1]]))[0] == pytest.approx(0.75)
    number = held([0.0, 5.0, 10.0], target=ModelTarget("y", (), 0, 10))
    assert (number.measure, number.guess) == ("r2", 0)  # exact: a constant
    assert number.reached(Says(np.array([0.0, 5.0, 10.0])))[0] == pytest.approx(1)
    assert number.reached(Says(np.full(3, 5.0)))[0] == pytest.approx(0)
    two = held([True, False])
    assert (two.measure, two.guess, two.name) == (
        "auroc",
        0.5,
        "AUROC on the holdout",
    )  # exact: a constant


def test_one_fit_is_about_people_and_more_fits_are_about_noise_too() -> None:
    still = np.full(DRAWS + 1, 0.7)
    assert estimated([still]).low == pytest.approx(0.7)
    found = estimated([still, still + 0.1])
    # Two fits 0.1 apart: variance 0.005, once for the mean of two and once for the next; t with one degree of freedom.
    assert found.value == pytest.approx(0.75)
    assert found.value - found.low == pytest.approx(12.7062 * np.sqrt(0.005 * 1.5), rel=1e-4)
    assert found.high == pytest.approx(1)  # no measure goes higher
    assert estimated([still, still + 0.1], least=0.0).low == pytest.approx(0)


def test_intervals_by_person_cover_what_they_say() -> None:
    """A normal interval for a share: 95 % of 300 repetitions; fewer than 260 has a probability below 1e-8."""
    draw = np.random.default_rng(11)
    target = ModelTarget("y", ("a", "b", "c"))
    covered = 0
    for _ in range(300):
        right = draw.random(100) < 0.6
        one = held(["a"] * 100, target=target)
        answers = np.eye(3)[np.where(right, 0, 1)]
        found = estimated([one.reached(Says(answers))])
        covered += found.low <= 0.6 <= found.high
    assert covered >= 260
