"""A figure over steps: rounding up, smoothing, and values that are none."""

import math

import pytest

from privet.report._training_figures import _round_up, smoothed, step_figure


def test_figures_survive_odd_values():
    odd = [(1, float("nan")), (2, 0.0), (3, float("inf")), (4, 5.0)]
    assert "nan" not in step_figure("t", "u", odd, smooth=smoothed(odd))
    assert "no values" in step_figure("t", "u", [])


@pytest.mark.parametrize(
    ("value", "up"),
    [
        (0, 1),
        (-3, 1),
        (float("nan"), 1),
        (1, 1),
        (1.1, 2),
        (3, 4),
        (4.5, 5),
        (7, 8),
        (9, 10),
        (0.021, 0.04),
        (120, 200),
    ],
)
def test_axes_end_at_round_numbers(value: float, up: float) -> None:
    assert _round_up(value) == pytest.approx(up)


def test_smoothing_is_the_mean_of_neighbours() -> None:
    assert [value for _, value in smoothed([(0, 1.0), (1, 4.0), (2, 1.0)])] == pytest.approx([2.5, 2, 2.5])
    assert smoothed([(0, math.inf), (1, 2.0)]) == [(1, pytest.approx(2))]
    flat = smoothed([(at, 3.0) for at in range(100)])
    assert [value for _, value in flat] == pytest.approx([3.0] * 100)


def test_the_description_says_where_it_begins_and_ends() -> None:
    assert "from 0.5 after spend 1 to 0.25 after spend 2" in step_figure(
        "t", "u", [(1, 0.5), (2, 0.25)], along="spend"
    )
    assert "no values" in step_figure("t", "u", [])
