from fractions import Fraction

import pytest

from privet.errors import UnsupportedEvent
from privet.guarantee._basic_composition import BasicCost, pure_cost
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    NonPrivate,
    Opaque,
    PermuteAndFlip,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    SealedPlan,
    Selected,
    ThresholdedKeys,
    TruncatedPoissonSampled,
    Unsupported,
    ZeroConcentrated,
)
from privet.guarantee._privacy_units import Change
from privet.guarantee.mechanisms._thresholded_keys import threshold_delta


@pytest.mark.parametrize(
    ("event", "epsilon", "delta"),
    [
        (Laplace(2), Fraction(1, 2), 0),
        (DiscreteLaplace(3, 2), Fraction(2, 3), 0),
        (Exponential("0.1"), Fraction(1, 10), 0),
        (PermuteAndFlip("0.1"), Fraction(1, 10), 0),
        (Opaque(1, "1e-6"), 1, Fraction(1, 10**6)),
        (Repeated(Opaque("0.1", "1e-6"), 10), 1, Fraction(1, 10**5)),
        (Composed([Laplace(3), Repeated(Composed([Laplace(6), Laplace(6)]), 3)]), Fraction(4, 3), 0),
        (RandomizedResponse(1), 0, 0),
    ],
)
def test_costs_are_exact(event, epsilon, delta):
    assert pure_cost(event) == BasicCost(Fraction(epsilon), Fraction(delta))


def test_mobility_reports_add_up():
    # Google's mobility reports: 4 (0.11 + 0.11 + 0.22) + 0.44 + 0.44 = 2.64 per user-day.
    visits = Repeated(Composed([Opaque("0.11"), Opaque("0.11"), Opaque("0.22")]), 4)
    assert pure_cost(Composed([visits, Opaque("0.44"), Opaque("0.44")])).epsilon == Fraction("2.64")


def test_randomised_response_is_rounded_up_to_the_logarithm_of_its_odds():
    cost = pure_cost(RandomizedResponse("0.5")).epsilon
    assert 1.0986122886681096 <= cost <= Fraction("1.098612288672")
    assert pure_cost(Repeated(RandomizedResponse("0.5"), 10)).epsilon == 10 * cost
    assert pure_cost(RandomizedResponse("0.5", 4)).epsilon == pytest.approx(1.6094379124341003)
    assert pure_cost(RandomizedResponse("1e-300")).epsilon == pytest.approx(691.4687, abs=1e-3)


def test_threshold_golden():
    cost = pure_cost(ThresholdedKeys(1, 10))
    assert cost.epsilon == 1
    assert float(cost.delta) == pytest.approx(3.319e-5, rel=1e-4)


def test_threshold_delta_against_a_sum_over_integers():
    for scale, threshold, keys in [(1, 10, 1), (2, 30, 3), (Fraction(1, 2), 4, 2)]:
        with_decimal = _summed(scale, threshold, keys)
        assert (
            with_decimal
            <= threshold_delta(Fraction(scale), threshold, keys)
            <= with_decimal * Fraction("1.00000001")
        )


def _summed(scale, threshold, keys):
    from decimal import Decimal, getcontext

    getcontext().prec = 60
    a = (Decimal(-1) / (Decimal(Fraction(scale).numerator) / Fraction(scale).denominator)).exp()
    tail = sum(a**z for z in range(threshold, threshold + 400)) * (1 - a) / (1 + a)
    return Fraction(1 - (1 - tail) ** keys)


def test_a_hidden_key_is_never_free():
    assert threshold_delta(Fraction(1), 10**6, 1) == Fraction(1, 10**30)


def test_sampling_amplifies():
    cost = pure_cost(PoissonSampled("0.1", Opaque(1, "1e-6")))
    assert float(cost.epsilon) == pytest.approx(0.15856501)
    assert cost.delta == Fraction(1, 10**7)
    assert pure_cost(PoissonSampled(1, Laplace(1))).epsilon == 1
    with pytest.raises(UnsupportedEvent):
        pure_cost(PoissonSampled("0.1", Laplace(1)), change=Change.REPLACE)


def test_a_sealed_plan_of_pure_events_spends_no_delta():
    assert pure_cost(SealedPlan(Laplace(2), "1e-9")).delta in (0, Fraction(1, 10**9))
    sealed = pure_cost(SealedPlan(Repeated(Gaussian(20), 100), "1e-6"))
    assert float(sealed.epsilon) == pytest.approx(2.2541, abs=1e-3)
    assert sealed.delta == Fraction(1, 10**6)


@pytest.mark.parametrize(
    "event",
    [
        Gaussian(1),
        DiscreteGaussian(1),
        ZeroConcentrated(1),
        NonPrivate(),
        Unsupported("?"),
        PoissonSampled("0.1", Gaussian(1)),
        TruncatedPoissonSampled("0.1", 5, 10, Gaussian(1)),
        SealedPlan(NonPrivate(), "1e-6"),
        Composed([Laplace(1), Gaussian(1)]),
    ],
)
def test_what_has_no_epsilon_without_delta_is_refused(event):
    with pytest.raises(UnsupportedEvent):
        pure_cost(event)


def test_sampling_does_not_amplify_what_shows_who_was_sampled():
    # A report of a sampled person has the odds of an unsampled one, so no amplified loss would be true.
    for event in (
        PoissonSampled("0.1", RandomizedResponse("0.5")),
        PoissonSampled("0.1", Repeated(RandomizedResponse("0.5"), 3)),
    ):
        with pytest.raises(UnsupportedEvent, match="randomised response"):
            pure_cost(event)


def test_sampling_does_not_amplify_where_a_part_shows_who_was_sampled():
    with pytest.raises(UnsupportedEvent, match="randomised response"):
        pure_cost(PoissonSampled("0.1", Composed([Laplace(1), RandomizedResponse("0.5")])))


def test_a_selection_costs_two_or_three_times_its_costliest_candidate():
    # Papernot and Steinke 2022: with both orders at infinity (2 + shape) epsilon, of shape 1 for a geometric number of
    # trials (their Corollary of Liu and Talwar's 3 epsilon) and 0 for a logarithmic one; the mean does not matter.
    candidates = [Laplace(10), Laplace(4)]
    for mean in (2, 50):
        assert pure_cost(Selected(candidates, mean, "geometric")).epsilon == Fraction(3, 4)
        assert pure_cost(Selected(candidates, mean, "logarithmic")).epsilon == Fraction(2, 4)


@pytest.mark.parametrize(
    "event",
    [
        Selected([Laplace(4)], 10, "poisson"),
        Selected([Laplace(4), Opaque(1, "1e-9")], 10, "geometric"),
    ],
)
def test_a_selection_without_a_finite_epsilon_is_refused(event):
    with pytest.raises(UnsupportedEvent, match="selection among such candidates"):
        pure_cost(event)


def test_what_is_not_private_is_refused_in_words_of_its_own():
    """The hint for events that lack a delta would send people looking for one that cannot help."""
    for event, words in ((NonPrivate(), "no finite loss"), (Unsupported("?"), "no accountant")):
        with pytest.raises(UnsupportedEvent, match=words):
            pure_cost(event)


def test_deltas_add_up_to_one_at_most():
    assert pure_cost(Repeated(Opaque("0.1", "0.6"), 2)).delta == 1
