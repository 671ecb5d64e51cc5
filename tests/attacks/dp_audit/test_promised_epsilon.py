"""What a promise allows at the delta of an audit."""

import pytest

from privet.attacks.dp_audit._promised_epsilon import USUAL_DELTA, audit_delta, promised_at
from privet.guarantee import ApproxDP, KAnonymity, PureDP, ZeroConcentratedDP


def test_the_delta_of_an_audit_is_the_promise_s_own() -> None:
    assert audit_delta(ApproxDP(1, 1e-6)) == pytest.approx(1e-6)
    assert audit_delta(PureDP(1)) == 0  # exact: it has none
    assert audit_delta(ZeroConcentratedDP("0.1")) == USUAL_DELTA == 1e-5  # exact: the constant itself
    assert audit_delta(None) == USUAL_DELTA  # exact: the constant itself
    assert audit_delta(KAnonymity(5)) == USUAL_DELTA  # exact: the constant itself


def test_what_is_allowed_at_a_delta() -> None:
    assert promised_at(PureDP("0.5"), 0.0) == pytest.approx(0.5)
    assert promised_at(ApproxDP(1, 1e-5), 1e-5) == pytest.approx(1)
    assert promised_at(ApproxDP(1, 1e-5), 0.0) is None
    assert promised_at(ZeroConcentratedDP("0.1"), 0.0) is None
    assert promised_at(KAnonymity(5), 1e-5) is None
    assert promised_at(None, 1e-5) is None


def test_concentrated_privacy_means_less_than_its_simple_conversion() -> None:
    """rho + 2 sqrt(rho log(1 / delta)) is valid (Bun and Steinke 2016); tighter ones lie below it."""
    simple = 0.1 + 2 * (0.1 * 11.512925) ** 0.5
    assert 1 < promised_at(ZeroConcentratedDP("0.1"), 1e-5) <= simple + 1e-9


def test_of_several_parts_the_smallest_counts() -> None:
    assert promised_at(KAnonymity(5) & PureDP("0.5"), 1e-5) == pytest.approx(0.5)


@pytest.mark.parametrize("delta", ["1e-3", "1e-5", "1e-6", "1e-7", "1e-9", "0.3"])
def test_a_promise_speaks_at_its_own_delta_however_it_is_rounded(delta) -> None:
    """The machine's 1e-6 is a little less than a millionth: an audit at that would find nothing promised."""
    promise = ApproxDP(1, delta)
    assert promised_at(promise, audit_delta(promise)) == pytest.approx(1)
