"""Averaging: fresh reports give the value away, kept answers stay within what they promise."""

import math

import pytest
from tests.attacks.local.clients import asking
from tests.protect.collect.specifications import FREQUENCY, MEMOISED, collection

import privet as pv
from privet.artifact import Verdict

ASKED = {"attacks": ["report-averaging"], "confidence": 1 - 1e-6}
TWENTY = [f"v{number}" for number in range(20)]


def test_fresh_reports_are_averaged_away_and_kept_ones_are_not() -> None:
    """200 reports at epsilon 1 of 20 values: about 97 % against 28 % (the bound) where answers are kept."""
    fresh = pv.attack(asking("grr", 1, TWENTY), reports=200, draws=1_000, **ASKED)[0]
    kept = pv.attack(asking("l-grr", 2, TWENTY, settings={"once": 1_000}), reports=200, draws=1_000, **ASKED)[
        0
    ]
    assert fresh.success.low > 0.9
    assert kept.bound == pytest.approx(math.exp(2) / (math.exp(2) + 19))
    assert kept.success.low <= kept.bound
    assert kept.success.value > 0.2


def test_a_report_that_is_repeated_says_no_more_than_once() -> None:
    found = pv.attack(asking("oue", 1, memory="value"), reports=30, **ASKED)[0]
    assert found.bound == pytest.approx(math.e / (math.e + 11))
    assert found.verdict is not Verdict.CONTRADICTS


@pytest.mark.parametrize("kind", [*FREQUENCY, *MEMOISED])
def test_no_oracle_gives_more_than_it_promises(kind: str) -> None:
    """Ten reports of each; false alarm: 1e-6."""
    found = pv.attack(collection(kind, 1), reports=10, draws=500, **ASKED)[0]
    assert found.success.low <= found.bound
    assert found.baseline == pytest.approx(1 / 12)
