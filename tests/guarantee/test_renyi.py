import math
from fractions import Fraction

import pytest

from privet.errors import UnsupportedEvent
from privet.guarantee._events import (
    Composed,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Opaque,
    PermuteAndFlip,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    Selected,
    ZeroConcentrated,
)
from privet.guarantee._privacy_units import Change
from privet.guarantee._renyi import leaf_curve, renyi_delta, renyi_epsilon
from privet.guarantee._renyi_curves import orders

DELTA = Fraction(1, 10**6)


def test_randomised_responses_count():
    # The library's Rényi accountant gets this one right: 10.996 for ten.
    assert renyi_epsilon(Repeated(RandomizedResponse("0.5"), 10), DELTA) == pytest.approx(10.989, abs=0.01)


def test_sampled_gaussian_equals_the_librarys_own_accountant():
    from dp_accounting import dp_event
    from dp_accounting.rdp import RdpAccountant

    accountant = RdpAccountant()
    accountant.compose(dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1.0)), 1000)
    ours = renyi_epsilon(Repeated(PoissonSampled("0.01", Gaussian(1)), 1000), DELTA)
    assert ours == pytest.approx(accountant.get_epsilon(1e-6), rel=1e-9)


def test_gaussian_and_its_concentration_are_one_curve():
    assert renyi_epsilon(Gaussian(2), DELTA) == pytest.approx(renyi_epsilon(ZeroConcentrated("0.125"), DELTA))


def binary_divergence(epsilon, order):
    up = 1 / (1 + math.exp(-epsilon))
    down = 1 - up
    return math.log(up**order * down ** (1 - order) + down**order * up ** (1 - order)) / (order - 1)


@pytest.mark.parametrize("epsilon", ["0.001", "0.02", "0.5", "3"])
def test_a_pure_event_has_the_curve_of_the_worst_pure_mechanism(epsilon):
    curve, delta = leaf_curve(PermuteAndFlip(epsilon), Change.ADD_OR_REMOVE)
    exact = [binary_divergence(float(epsilon), order) for order in (1.5, 2.0, 10.0)]
    assert delta == 0
    for value, reference in zip((curve[4], curve[9], curve[89]), exact, strict=True):
        assert reference * (1 - 1e-9) <= value <= reference * 1.0001


def test_bounded_range_is_used():
    assert renyi_epsilon(Repeated(Exponential("0.1"), 100), DELTA) < 0.6 * renyi_epsilon(
        Repeated(PermuteAndFlip("0.1"), 100), DELTA
    )


def test_discrete_laplace_is_close_to_laplace():
    discrete = renyi_epsilon(Repeated(DiscreteLaplace(50), 100), DELTA)
    assert discrete == pytest.approx(renyi_epsilon(Repeated(Laplace(50), 100), DELTA), rel=5e-3)


def test_deltas_of_approximate_events_are_set_aside():
    plan = Composed([Gaussian(2), Opaque("0.1", "4e-7")])
    assert renyi_epsilon(plan, DELTA) > renyi_epsilon(Composed([Gaussian(2), Opaque("0.1")]), DELTA)
    assert renyi_epsilon(plan, Fraction(4, 10**7)) == math.inf
    assert renyi_delta(plan, Fraction(3)) >= 4e-7


def test_huge_and_tiny_losses_do_not_break_the_arithmetic():
    assert 1000 < renyi_epsilon(Laplace("0.001"), DELTA) < 1100
    assert renyi_epsilon(Laplace(10**9), DELTA) < 1e-6
    assert renyi_delta(Laplace(10**9), Fraction(1, 10**8)) < 1e-6


def test_sampling_needs_add_or_remove():
    with pytest.raises(UnsupportedEvent):
        renyi_epsilon(PoissonSampled("0.1", Gaussian(1)), DELTA, change=Change.REPLACE)


@pytest.mark.parametrize(
    ("law", "epsilon"), [("poisson", 2.354), ("geometric", 2.148), ("logarithmic", 1.799)]
)
def test_the_best_of_ten_trials_on_average(law, epsilon):
    """Golden values, beside 1.079 for one trial and 3.753 for ten that are composed."""
    run = Repeated(PoissonSampled("0.25", Gaussian("15.059")), 200)
    assert renyi_epsilon(run, DELTA) == pytest.approx(1.079, abs=0.001)
    assert renyi_epsilon(Repeated(run, 10), DELTA) == pytest.approx(3.753, abs=0.001)
    assert renyi_epsilon(Selected([run], 10, law), DELTA) == pytest.approx(epsilon, abs=0.001)


def test_a_selection_costs_what_its_worst_candidate_would():
    mixed = Selected([Gaussian(20), Gaussian(40), Gaussian(90)], 10)
    assert renyi_epsilon(mixed, DELTA) == pytest.approx(renyi_epsilon(Selected([Gaussian(20)], 10), DELTA))


def test_a_selection_has_no_price_among_approximate_candidates():
    """Every trial has its own chance to fail, so deltas may not be set aside once."""
    with pytest.raises(UnsupportedEvent):
        renyi_epsilon(Selected([Opaque(1, "1e-9")], 10), DELTA)


def test_a_sample_of_everybody_costs_what_is_inside_it():
    inner = Composed([Gaussian(2), Laplace(5)])
    assert renyi_epsilon(PoissonSampled(1, inner), DELTA) == pytest.approx(
        renyi_epsilon(inner, DELTA), rel=1e-12
    )
    assert renyi_epsilon(PoissonSampled(1, Gaussian(2)), DELTA) == pytest.approx(
        renyi_epsilon(Gaussian(2), DELTA)
    )


def test_a_delta_is_at_most_one():
    assert renyi_delta(Repeated(Opaque(1, "0.6"), 2), Fraction(1)) == pytest.approx(1, abs=0)


def test_what_costs_nothing_has_no_delta():
    assert renyi_delta(RandomizedResponse(1), Fraction(0)) == 0  # exact: nothing was lost


def test_a_delta_is_the_librarys_and_a_hair_more():
    from dp_accounting.rdp import rdp_privacy_accountant as library

    curve, _ = leaf_curve(Gaussian(2), Change.ADD_OR_REMOVE)
    theirs, _ = library.compute_delta(orders(), curve, 1.0)
    assert theirs * (1 + 5e-10) < renyi_delta(Gaussian(2), Fraction(1)) < theirs * (1 + 2e-9)
