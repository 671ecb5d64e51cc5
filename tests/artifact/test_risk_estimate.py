"""A risk estimate says what its figures say, and no more."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from privet.artifact._risk_estimate import (
    UNLIMITED,
    Adversary,
    AttackCost,
    IntervalEstimate,
    RiskEstimate,
    Verdict,
)
from privet.artifact._test_power import Planted, Power
from privet.errors import UnknownRecord
from privet.guarantee._promise_registry import PureDP

ESTIMATE = RiskEstimate(
    attack="membership (LiRA)",
    measure="AUC",
    success=IntervalEstimate(0.6, 0.55, 0.65),
    baseline=0.5,
    adversary=Adversary("an outsider", ("the distribution",), "black box"),
    cost=AttackCost(1.5, records=100, models=16),
    control=IntervalEstimate(0.5, 0.45, 0.54),
    bound=0.73,
    bound_reason="epsilon = 1",
    promise=PureDP(1),
    detectable=0.9,
    artifact="a model",
    notes=("a note",),
    details={"curve": [0.1, 0.2]},
)


@pytest.mark.parametrize(
    ("low", "high", "bound", "detectable", "verdict"),
    [
        (0.55, 0.65, 0.73, 0.9, Verdict.WITHIN),
        (0.55, 0.75, 0.73, 0.9, Verdict.EDGE),
        (0.74, 0.80, 0.73, 0.9, Verdict.CONTRADICTS),
        (0.74, 0.80, 0.73, None, Verdict.CONTRADICTS),
        (0.55, 0.65, 0.73, 0.7, Verdict.INCONCLUSIVE),
        (0.55, 0.65, 0.73, None, Verdict.INCONCLUSIVE),
        (0.55, 0.65, None, 0.9, Verdict.NOT_PROMISED),
    ],
)
def test_verdicts(
    low: float, high: float, bound: float | None, detectable: float | None, verdict: Verdict
) -> None:
    found = replace(
        ESTIMATE, success=IntervalEstimate((low + high) / 2, low, high), bound=bound, detectable=detectable
    )
    assert found.verdict is verdict
    assert verdict.value in found.sentence()


def test_finding_nothing_without_power_is_said_as_such() -> None:
    weak = replace(ESTIMATE, detectable=0.7)
    assert weak.sentence().endswith(
        "inconclusive. So much data cannot show AUC above 0.7, whatever there is. Test power: not measured."
    )


def test_what_is_known_of_the_power_decides_and_is_said() -> None:
    quiet = replace(ESTIMATE, success=IntervalEstimate(0.5, 0.45, 0.55), bound=0.73, detectable=0.9)
    assert quiet.verdict is Verdict.WITHIN
    found, missed = (Power("planted leaks", "AUC", (Planted("a", 0.8, hits, 10),)) for hits in (9, 8))
    assert replace(quiet, power=found).verdict is Verdict.WITHIN
    assert "a: AUC 0.8 was found 9 of 10 times." in replace(quiet, power=found).sentence()
    assert replace(quiet, power=missed).verdict is Verdict.INCONCLUSIVE
    computed = replace(quiet, power=Power(computed="half of it shows."))
    assert computed.verdict is Verdict.WITHIN
    assert computed.sentence().endswith("Test power, computed: half of it shows.")
    assert RiskEstimate.from_json(computed.to_json()) == computed


def test_too_little_data_is_told_from_nothing_found() -> None:
    assert not replace(ESTIMATE, detectable=0.9).too_little_data
    assert replace(ESTIMATE, detectable=0.54, control=IntervalEstimate(0.5, 0.4, 0.55)).too_little_data
    assert not replace(ESTIMATE, detectable=None).too_little_data


def test_no_limit_is_said_so() -> None:
    assert IntervalEstimate(3, 2, UNLIMITED).text() == "3 [2, no limit]"


def test_a_limit_is_beaten_kept_or_not_tested() -> None:
    assert "above the limit of 0.58" in str(
        ESTIMATE.beyond(0.58)
    )  # what was reached counts, not what is certain
    assert ESTIMATE.beyond(0.6) is None
    assert "above 0.9 could not have been shown" in str(ESTIMATE.beyond(0.95))
    assert replace(ESTIMATE, detectable=None).beyond(0.95) is None


def test_baseline_and_control() -> None:
    assert ESTIMATE.beats_baseline
    assert ESTIMATE.beats_control
    assert replace(ESTIMATE, control=None).beats_control is None
    assert not replace(ESTIMATE, baseline=0.56).beats_baseline


def test_it_survives_the_file(tmp_path: Path) -> None:
    path = ESTIMATE.save(tmp_path / "risk.json")
    assert RiskEstimate.from_json(json.loads(path.read_text(encoding="utf-8"))) == ESTIMATE


def test_unknown_versions_are_refused() -> None:
    with pytest.raises(UnknownRecord):
        RiskEstimate.from_json({**ESTIMATE.to_json(), "schema": 99})


def test_an_interval_contains_its_figure() -> None:
    with pytest.raises(ValueError, match="contains"):
        IntervalEstimate(0.5, 0.6, 0.7)
