"""Measuring under the filter: exact counts where noise is off, the booking never passed, every price written down."""

from fractions import Fraction

import numpy as np
import pytest

import privet as pv
from privet.engine import SealedMarginals
from privet.errors import BudgetExceeded, PrivetError
from privet.guarantee import Change, NormedGaussian, ZeroConcentrated
from privet.ledger import AdaptiveRun
from privet.mechanism import discrete_gaussian
from privet.protect.synthesize._measurement_run import MeasurementRun, row_noise

COUNTS = {(0,): np.array([5, 7]), (1,): np.array([9, 3, 0]), (0, 1): np.array([4, 1, 0, 5, 2, 0])}

UNITS = [
    (pv.Row(), 1),
    (pv.Row(change=Change.REPLACE), 2**0.5),
    (pv.Person("p", max_rows=3), 3),
    (pv.Person("p", max_rows=3, change=Change.REPLACE), 3 * 2**0.5),
    (pv.Person("p", max_rows=40), 40),
]


def run(rho, unit=None):
    book = pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(10), unit=pv.Row())
    permit = book.charge(ZeroConcentrated(rho), why="a run")
    return MeasurementRun(
        AdaptiveRun(permit, Change.ADD_OR_REMOVE), SealedMarginals(COUNTS, (2, 3), unit or pv.Row())
    )


@pytest.mark.usefixtures("no_noise")
def test_counts_are_exact_without_noise_and_prices_add_up() -> None:
    made = run(Fraction(1))
    noisy = made.measure((0, 1), 0.5)
    assert noisy.counts.tolist() == COUNTS[0, 1].tolist()
    assert noisy.sigma == pytest.approx(1)
    assert made.measured[0].rho <= Fraction(1, 2)
    assert made.remaining == pytest.approx(0.5)


def test_the_filter_ends_the_run() -> None:
    made = run(Fraction(1, 2))
    made.measure((0,), 0.4)
    with pytest.raises(BudgetExceeded):
        made.measure((1,), 0.2)
    assert len(made.measured) == 1


@pytest.mark.parametrize(("unit", "length"), UNITS)
def test_noise_is_for_the_length_of_what_one_person_moves(unit, length) -> None:
    """R rows that may all fall into one cell: length R (or √2 R, where a person is replaced), not √R times that."""
    made = run(Fraction(1), unit)
    assert made.sigma((0, 1), 0.5) == pytest.approx(length, rel=1e-3)
    noisy = made.measure((0, 1), 0.5)
    assert noisy.sigma == pytest.approx(length, rel=1e-3)
    assert 0.4999 < made.measured[0].rho <= Fraction(1, 2)


@pytest.mark.parametrize("rows", [2, 3, 50])
def test_noise_for_fewer_rows_than_a_person_may_have_is_refused(rows) -> None:
    exact = SealedMarginals(COUNTS, (2, 3), pv.Person("p", max_rows=rows))
    noise, steps = row_noise(exact.moved((0, 1)), 0.5)
    assert noise.covers(exact.sealed((0, 1), steps).sensitivity)
    short = NormedGaussian(noise.sigma, noise.norm - 1, noise.coordinates)
    book = pv.Ledger.in_memory(limit=pv.ZeroConcentratedDP(10), unit=pv.Row())
    with pytest.raises(PrivetError):
        discrete_gaussian(exact.sealed((0, 1), steps), book.charge(short, why="too little"))


@pytest.mark.usefixtures("no_noise")
def test_counts_in_finer_steps_are_counts_of_rows_again() -> None:
    made = run(Fraction(1), pv.Person("p", max_rows=7))
    assert made.measure((0, 1), 0.5).counts.tolist() == COUNTS[0, 1].tolist()


def test_a_choice_finds_what_is_far_off_and_is_priced() -> None:
    made = run(Fraction(10))
    expected = {(0,): np.array([5.0, 7.0]), (1,): np.array([900.0, 300.0, 0.0])}
    assert made.choose(expected, {(0,): 1, (1,): 1}, {(0,): 0.0, (1,): 0.0}, 8.0) == (1,)
    assert made.choices[0].rho <= 8
    assert made.choices[0].candidates == 2
