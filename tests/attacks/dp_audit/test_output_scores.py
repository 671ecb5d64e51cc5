"""Outputs looked at as one number: cells, pairs, and what was not released."""

import numpy as np
import pytest

from privet.attacks.dp_audit._output_scores import _cells, _ratio, _summed, views


def column(*values: float) -> np.ndarray:
    return np.array(values, float)[:, None]


def test_the_ratio_of_a_cell_by_hand() -> None:
    """Three of the first against one of the second: log 4 / 2. A cell that was never seen says nothing."""
    cells = lambda rows: rows[:, 0].astype(int)  # noqa: E731
    score = _ratio(cells, column(1, 1, 1, 0), column(1, 0, 0, 0))
    assert score(column(1, 0, 9)) == pytest.approx([np.log(4 / 2), np.log(2 / 4), 0])


def test_a_value_that_is_common_has_a_cell_of_its_own() -> None:
    a = np.concatenate([np.full(30, 0.5), np.linspace(0, 1, 70)])[:, None]
    cells = _cells(a, a, 0, 40)
    half, above, below = cells(column(0.5, 0.5000001, 0.4999999))
    assert half not in (above, below)


def test_nothing_released_is_a_cell() -> None:
    a = np.array([[1.0], [np.nan]] * 40)
    cells = _cells(a, a, 0, 40)
    gap = cells(column(np.nan))[0]
    assert gap not in cells(column(1.0, 0.0, 99.0, np.inf))


def test_a_sum_does_not_depend_on_the_rows_beside_it() -> None:
    score = _summed([lambda rows: rows[:, 0] * 0.1, lambda rows: rows[:, 0] * 0.2])
    rows = np.random.default_rng(1).normal(size=(50, 1))
    assert (score(rows)[7:8] == score(rows[7:8])).all()


def test_each_way_to_look_tells_what_it_is_for() -> None:
    """Two fair coins whose being equal tells the input: only looking at both does."""
    draw = np.random.default_rng(2)
    one = draw.integers(0, 2, (2, 600)).astype(float)
    a, b = np.column_stack([one[0], one[0]]), np.column_stack([one[1], 1 - one[1]])
    apart = {view.name: abs(view.score(a).mean() - view.score(b).mean()) for view in views(a, b)}
    assert apart["outputs 0 and 1"] > 1
    assert apart["output 0"] < 0.3
    assert apart["the number released"] == 0


def test_a_score_that_is_given_is_looked_at_and_grain_only_of_fractions() -> None:
    whole = np.random.default_rng(3).integers(0, 5, (200, 1)).astype(float)
    families = [view.family for view in views(whole, whole, given=lambda rows: rows[:, 0] * 2)]
    assert families[0] == "the score"
    assert "lowest bits" not in families
    assert "lowest bits" in [view.family for view in views(whole + 0.1, whole)]
