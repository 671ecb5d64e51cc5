"""Evidence, p-values together, and the power that is computed."""

import numpy as np
import pytest
from scipy.stats import binom, chi2

from privet.artifact._risk_estimate import Verdict
from privet.attacks.dp_audit._structure_tests import (
    ALARM,
    Check,
    any_of,
    evidence,
    noticed,
    rate_noticed,
    scale_noticed,
    two_sided,
)


def test_the_power_that_is_computed_is_the_power_there_is() -> None:
    """Noise off by the share that is said to be noticed is noticed, one a quarter as far off is not.

    In 99 of 100 runs, or nearly all: of 200 runs fewer than 180 are noticed less than once in 10^10 times.
    """
    draw = np.random.default_rng(11)
    share = scale_noticed(400)
    assert share is not None
    for off, low, high in ((share, 180, 200), (-share, 180, 200), (share / 4, 0, 100)):
        squares = (draw.normal(0, 1 + off, (200, 400)) ** 2).sum(1)
        tails = np.minimum(chi2.cdf(squares, 400), chi2.sf(squares, 400))
        assert low <= int((6 * tails < ALARM).sum()) <= high
    rate = rate_noticed(10_000, 0.1, 5)
    assert rate is not None
    for off, low, high in ((rate, 180, 200), (-rate, 180, 200), (rate / 4, 0, 100)):
        counts = draw.binomial(10_000, 0.1 * (1 + off), 200)
        tails = np.minimum(binom.cdf(counts, 10_000, 0.1), binom.sf(counts - 1, 10_000, 0.1))
        assert low <= int((10 * tails < ALARM).sum()) <= high
    assert scale_noticed(3) is None
    assert rate_noticed(20, 0.1, 5) is None
    assert "too few numbers" in noticed("Noise", None)


def test_evidence_is_at_most_proof() -> None:
    assert evidence(1e-4) == pytest.approx(4)
    assert evidence(1) == pytest.approx(0)
    assert evidence(0) == evidence(1e-310) == 300  # exact: the limit itself


def test_p_values_of_several_tests() -> None:
    assert any_of(0.01, 0.5, 0.9) == pytest.approx(0.03)
    assert any_of(0.6, 0.7) == 1  # exact: the limit itself
    assert two_sided(0.02, 0.99) == pytest.approx(0.04)
    assert two_sided(0.7, 0.8) == 1  # exact: the limit itself


def test_a_check_fails_below_its_alarm_rate_and_not_at_it() -> None:
    def check(p: float, broken: float = 1e-9) -> Check:
        return Check("x", "a claim", "something", p, broken, "much is noticed.")

    assert check(ALARM / 2).failed
    assert not check(ALARM).failed
    assert check(ALARM / 2).estimate().verdict is Verdict.CONTRADICTS
    assert check(0.5).estimate().verdict is Verdict.WITHIN
    blind = check(0.5, broken=1.0).estimate()
    assert blind.verdict is Verdict.INCONCLUSIVE
    assert "much is noticed." in blind.notes


def test_more_numbers_notice_less() -> None:
    shares = [scale_noticed(numbers) for numbers in (100, 1_000, 10_000)]
    assert shares == sorted(shares, reverse=True)
    assert rate_noticed(100_000, 0.1, 5) < rate_noticed(10_000, 0.1, 5)
