"""The public grid of outputs: powers of two that say nothing of the data, and bounds that are kept."""

import math

import numpy as np
import pytest

from privet.errors import BadAmount
from privet.sealed import LEVELS, OutputGrid


def test_steps_are_powers_of_two_that_follow_the_bounds_alone() -> None:
    grid = OutputGrid((-1.0, 0.0, -1000.0), (1.0, 3.0, 10.0))
    assert grid.steps.tolist() == [
        2.0**-LEVELS,
        2.0 ** (2 - LEVELS),
        2.0 ** (10 - LEVELS),
    ]  # exact: powers of two


def test_outputs_come_back_to_half_a_step() -> None:
    grid = OutputGrid.alike(-100, 100, 2)
    values = np.array([[1 / 3, -99.99], [100, -100], [math.pi, 0]])
    assert grid.decode(grid.encode(values)) == pytest.approx(values, abs=float(grid.steps.max()))
    assert np.abs(grid.encode(values)).max() <= 2**LEVELS


def test_what_lies_outside_is_put_at_the_bound_and_nothing_is_not_a_number() -> None:
    grid = OutputGrid.alike(-1, 2, 4)
    assert grid.decode(grid.encode([[5, -5, math.inf, math.nan]])).tolist() == [
        [2, -1, 2, 0]
    ]  # exact: whole numbers


@pytest.mark.parametrize(
    "wrong",
    [
        ((1.0,), (1.0,)),
        ((0.0,), (math.inf,)),
        ((), ()),
        ((0.0,), (1.0, 2.0)),
        ((0.0,), (1e300,)),
        ((0.0,) * 10_001, (1.0,) * 10_001),
    ],
)
def test_bounds_that_are_none_are_refused(wrong) -> None:
    with pytest.raises(BadAmount):
        OutputGrid(*wrong)


def test_bounds_as_wide_and_as_many_as_may_be_are_taken() -> None:
    assert len(OutputGrid.alike(0, 1, 10_000)) == 10_000
    OutputGrid((0.0,), (2.0**199,))
    OutputGrid((0.0,), (2.0**-199,))
    for beyond in (2.0**200, 2.0**-200):
        with pytest.raises(BadAmount, match="out of all proportion"):
            OutputGrid((0.0,), (beyond,))
