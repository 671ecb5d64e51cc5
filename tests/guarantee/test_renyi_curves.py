"""Curves of Rényi divergences against their closed forms, order by order."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.guarantee import _renyi_curves
from privet.guarantee._renyi_curves import (
    concentrated_curve,
    in_range,
    laplace_curve,
    orders,
    pure_curve,
    response_curve,
    sampled_gaussian_curve,
    selected_curve,
)

ORDERS = orders()


def close(curve, exact, rel=1e-9):
    np.testing.assert_allclose(curve, exact, rtol=rel)


def binary_divergence(up, order):
    down = 1 - up
    return math.log(up**order * down ** (1 - order) + down**order * up ** (1 - order)) / (order - 1)


def small(curve):
    """The orders up to ten, where closed forms neither overflow nor cancel."""
    return [(order, value) for order, value in zip(ORDERS, curve, strict=True) if order <= 10]


def test_zero_concentration_is_a_line():
    close(concentrated_curve(Fraction(1, 8)), ORDERS / 8)


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "3"])
def test_pure_mechanisms_have_the_curve_of_randomised_response(epsilon):
    for order, value in small(pure_curve(Fraction(epsilon))):
        exact = binary_divergence(1 / (1 + math.exp(-float(epsilon))), order)
        assert exact * (1 - 1e-7) <= value <= exact * (1 + 1e-6)


@pytest.mark.parametrize("epsilon", [Fraction(1, 200), Fraction(400)])
def test_outside_the_digits_of_closed_forms_the_lower_of_two_bounds_holds(epsilon):
    expected = np.minimum(ORDERS * float(epsilon) ** 2 / 2, float(epsilon))
    close(pure_curve(epsilon), expected)
    close(laplace_curve(epsilon), expected)


def test_the_range_of_closed_forms_holds_its_ends():
    assert in_range(Fraction(1, 100))
    assert in_range(Fraction(300))
    assert not in_range(Fraction(1, 101))
    assert not in_range(Fraction(301))


@pytest.mark.parametrize("epsilon", ["0.1", "2"])
def test_laplace_noise(epsilon):
    """Mironov 2017, Proposition 6."""
    loss = float(epsilon)
    for order, value in small(laplace_curve(Fraction(epsilon))):
        up = order / (2 * order - 1) * math.exp((order - 1) * loss)
        down = (order - 1) / (2 * order - 1) * math.exp(-order * loss)
        assert value == pytest.approx(math.log(up + down) / (order - 1), rel=1e-6)


def test_a_response_among_several_buckets():
    p, buckets = 0.5, 4
    truth, other = 1 - p + p / buckets, p / buckets
    for order, value in small(response_curve(p, buckets)):
        one = truth**order * other ** (1 - order) + other**order * truth ** (1 - order)
        exact = math.log(one + (buckets - 2) * other) / (order - 1)
        assert value == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("order", [2, 3, 5, 8])
def test_sampled_gaussian_noise_at_whole_orders(order):
    """Mironov, Talwar, Zhang 2019, Section 3.3: a binomial sum."""
    q, sigma = 0.1, 2.0
    rho = Fraction(1, 8)  # 1 / 2 sigma²
    total = math.fsum(
        math.comb(order, k) * (1 - q) ** (order - k) * q**k * math.exp((k * k - k) / (2 * sigma**2))
        for k in range(order + 1)
    )
    curve = sampled_gaussian_curve(Fraction(1, 10), rho)
    at = int(np.flatnonzero(order == ORDERS)[0])
    assert curve[at] == pytest.approx(math.log(total) / (order - 1), rel=1e-6)
    assert sampled_gaussian_curve(Fraction(1), rho)[at] == pytest.approx(order / 8, rel=1e-6)


def test_selecting_the_best_of_trials_costs_more_than_one_of_them():
    worst = pure_curve(Fraction(1, 2))
    laws = {law: selected_curve(worst, 10.0, law) for law in ("logarithmic", "geometric", "poisson")}
    for curve in laws.values():
        assert np.all(curve[np.isfinite(curve)] >= worst[np.isfinite(curve)])
    at = int(np.flatnonzero(ORDERS == 5)[0])
    # Papernot and Steinke 2022, Theorem 2, with the best second order; shape 0 adds one such term, shape 1 two.
    between = min(
        (1 - 1 / order) * value + math.log(10) / order for order, value in zip(ORDERS, worst, strict=True)
    )
    assert laws["logarithmic"][at] >= worst[at] + between * (1 - 1e-9)
    assert laws["geometric"][at] > laws["logarithmic"][at]


def test_an_unknown_law_is_refused():
    with pytest.raises(KeyError):
        selected_curve(pure_curve(Fraction(1)), 10.0, "uniform")


def test_curves_are_rounded_up_by_hardly_anything():
    """Against fifty digits: never below, and above by less than a part in ten thousand million."""
    mpmath = pytest.importorskip("mpmath")
    mpmath.mp.dps = 50
    at = int(np.flatnonzero(ORDERS == 2)[0])
    for epsilon in (Fraction(1, 3), Fraction(1, 2), Fraction(2)):
        up = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon.numerator) / epsilon.denominator))
        exact = mpmath.log(up**2 / (1 - up) + (1 - up) ** 2 / up)
        found = mpmath.mpf(float(pure_curve(epsilon)[at]))
        assert exact < found < exact * (1 + mpmath.mpf(10) ** -10)


def test_a_selections_curve_is_the_librarys_and_a_little_more():
    from dp_accounting.rdp import rdp_privacy_accountant as library

    worst = pure_curve(Fraction(1, 2))
    raw = library._compute_rdp_repeat_and_select(ORDERS, worst, 10.0, 0.0)
    found = selected_curve(worst, 10.0, "logarithmic")
    finite = np.isfinite(raw) & (raw > 0)
    assert (found[finite] > raw[finite]).all()


def test_noise_is_rounded_to_the_side_that_costs_more(monkeypatch):
    told = []
    monkeypatch.setattr(_renyi_curves, "_by_library", lambda event, *_: told.append(event))
    for number in (Fraction(3), Fraction(7), Fraction(11), Fraction(10, 3)):
        laplace_curve(number)
        assert Fraction(told[-1].noise_multiplier) <= 1 / number
        concentrated_curve(1 / number)
        assert Fraction(told[-1].rho) >= 1 / number
        sampled_gaussian_curve(1 / (number + 1), number)
        assert Fraction(told[-1].sampling_probability) >= 1 / (number + 1)
        assert Fraction(told[-1].event.noise_multiplier) ** 2 <= 1 / (2 * number)
