"""What a promise allows an adversary at most, against values worked out from outside."""

from math import e, exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.guarantee._adversary_bounds import (
    most_accuracy,
    most_auc,
    most_guessed,
    most_linked,
    most_true_positives,
    promised_epsilon,
)
from privet.guarantee._promise_registry import (
    AlphaK,
    ApproxDP,
    KAnonymity,
    LDiversity,
    PacPrivacy,
    PureDP,
    RiskThreshold,
    ZeroConcentratedDP,
)
from privet.guarantee._zero_concentrated import epsilon_of_rho

epsilons = st.floats(0.01, 12)
deltas = st.floats(1e-9, 0.05)


def test_randomised_response_attains_the_bounds_of_pure_privacy() -> None:
    """Its two outcomes are the corner of the region: truth with probability e / (1 + e)."""
    assert most_accuracy(PureDP(1)) == pytest.approx(e / (1 + e))
    assert most_auc(PureDP(1)) == pytest.approx(e / (1 + e)), (
        "the curve is two straight lines through the corner"
    )
    assert most_true_positives(PureDP(1), 1 / (1 + e)) == pytest.approx(e / (1 + e))
    assert most_true_positives(PureDP(1), 0.01) == pytest.approx(0.01 * e)
    assert most_true_positives(PureDP(1), 0.9) == pytest.approx(1 - 0.1 / e)


@given(epsilons, deltas)
def test_the_area_is_the_integral_of_the_curve(epsilon: float, delta: float) -> None:
    promise = ApproxDP(epsilon, delta)
    rates = np.linspace(0, 1, 20_001)
    curve = [most_true_positives(promise, float(rate)) for rate in rates[::20]]
    area = float(np.trapezoid(np.asarray(curve, float), rates[::20]))
    assert most_auc(promise) == pytest.approx(area, abs=1e-3)


@given(epsilons, deltas, st.floats(0, 1))
def test_a_weaker_promise_never_allows_less(epsilon: float, delta: float, rate: float) -> None:
    for measure in (most_auc, most_accuracy, lambda promise: most_true_positives(promise, rate)):
        here, weaker = measure(ApproxDP(epsilon, delta)), measure(ApproxDP(epsilon * 1.5, delta * 2))
        assert here is not None
        assert weaker is not None
        assert 0 <= here <= weaker + 1e-12


def test_accuracy_with_delta() -> None:
    assert most_accuracy(ApproxDP(2, 0.01)) == pytest.approx((exp(2) + 0.01) / (1 + exp(2)))


def test_zcdp_is_bounded_by_the_best_point_of_its_curve() -> None:
    bound = most_accuracy(ZeroConcentratedDP(0.5))
    assert bound is not None
    # The Gaussian mechanism with rho = 1/2 separates two unit-variance normals one apart: 0.6915.
    assert 0.6915 <= bound < 0.95


def test_pac_privacy_speaks_of_guesses_only() -> None:
    assert most_accuracy(PacPrivacy("1/16")) == pytest.approx(0.6749, abs=1e-4)
    assert most_auc(PacPrivacy("1/16")) is None


def test_syntactic_promises_bound_linkage_and_nothing_else() -> None:
    assert most_linked(KAnonymity(5)) == pytest.approx(0.2)
    assert most_linked(KAnonymity(5) & RiskThreshold(highest=0.1)) == pytest.approx(0.1)
    assert most_linked(AlphaK("d", 0.5, 4)) == pytest.approx(0.25)
    assert most_linked(LDiversity("d", 3)) is None
    assert most_linked(RiskThreshold(average=0.1)) is None
    assert most_auc(KAnonymity(5)) is None
    assert most_linked(PureDP(1)) is None


def test_the_promised_epsilon_needs_a_delta_that_covers_it() -> None:
    assert promised_epsilon(PureDP(1), 0) == pytest.approx(1)
    assert promised_epsilon(ApproxDP(1, 1e-6), 1e-5) == pytest.approx(1)
    assert promised_epsilon(ApproxDP(1, 1e-6), 1e-7) is None
    assert promised_epsilon(ZeroConcentratedDP(0.1), 1e-6) == pytest.approx(2.141939, abs=1e-5)
    assert promised_epsilon(KAnonymity(5), 1e-6) is None


def test_a_promise_that_bounds_nothing_overflows_nowhere() -> None:
    assert most_true_positives(PureDP(1000), 0.1) == pytest.approx(1)
    assert most_auc(PureDP(1000)) == pytest.approx(1)
    assert most_accuracy(PureDP(1000)) == pytest.approx(1)


def test_zcdp_is_read_at_seven_deltas() -> None:
    """The region of each (epsilon, delta) on the curve (Kairouz et al. 2015); nearly all are the best somewhere."""
    deltas = [10.0**-power for power in (2, 3, 4, 5, 6, 8, 10)]
    best = set()
    for rho in (1e-6, 1e-4, 1e-2, 0.5, 5.0, 20.0):
        for rate in (0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.1):
            bounds = {}
            for delta in deltas:
                odds = exp(epsilon_of_rho(rho, delta))
                bounds[delta] = min(1.0, odds * rate + delta, 1 - (1 - delta - rate) / odds)
            best.add(min(bounds, key=lambda delta: bounds[delta]))
            assert most_true_positives(ZeroConcentratedDP(rho), rate) == pytest.approx(min(bounds.values()))
    assert len(best) >= 4


def test_guesses_of_a_value_are_bounded_by_its_odds() -> None:
    """Twenty values alike at epsilon 2: 28 %; and no randomised response of small domains beats it."""
    assert most_guessed(2, 1 / 20) == pytest.approx(exp(2) / (exp(2) + 19))
    assert most_guessed(0, 0.3) == pytest.approx(0.3)
    assert most_guessed(5_000, 0.3) == pytest.approx(1)
    for prior in ((0.5, 0.3, 0.2), (0.98, 0.01, 0.01)):
        keep = e / (e + 2)
        best = sum(
            max(share * (keep if value == report else (1 - keep) / 2) for value, share in enumerate(prior))
            for report in range(3)
        )
        assert best <= most_guessed(1, max(prior)) + 1e-12
    for wrong in (0, 1.5):
        with pytest.raises(ValueError, match="share"):
            most_guessed(1, wrong)
