"""The label: unprotected unless a stated limit holds for everything, and inconclusive where nothing could have been found."""

import json
from dataclasses import replace

import pytest
from tests.attacks.inversion.toy_shields import ToyShield, corpus

import privet as pv
from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks import AttackReport
from privet.attacks.inversion import ShieldLabel, shield_report
from privet.errors import BadAttack

LEARNED = ("shield-inverter-mlp", "shield-inverter-transformer")


def estimate(attack: str, value: float, high: float, *, worked: bool = True, **kinds: tuple[float, float]):
    details = {
        "kinds": {name: {"value": part[0], "low": 0.0, "high": part[1]} for name, part in kinds.items()},
        "plain": 1.0 if worked else 0.1,
        "worked": worked,
    }
    return RiskEstimate(
        attack, "share of tokens read", IntervalEstimate(value, 0.0, high), 0.05, Adversary("who", (), "what"),
        AttackCost(0.0), details=details,
    )  # fmt: skip


def labelled(*estimates, limit=0.16):
    return shield_report(AttackReport(estimates, "shield"), limit)


def test_a_shield_below_its_limit_everywhere() -> None:
    good = [estimate(name, 0.1, 0.14, rare=(0.0, 0.1)) for name in LEARNED]
    found = labelled(*good)
    assert found.label is ShieldLabel.BELOW
    assert found.headline is good[0]
    assert "protected" not in found.label.value
    assert labelled(*good, limit=None).label is ShieldLabel.UNPROTECTED


def test_one_attack_or_one_kind_beyond_the_limit_is_enough() -> None:
    good = [estimate(name, 0.1, 0.14) for name in LEARNED]
    assert labelled(*good, estimate("shield-nearest-euclidean", 0.3, 0.4)).label is ShieldLabel.UNPROTECTED
    rare = [good[0], estimate(LEARNED[1], 0.1, 0.14, rare=(0.2, 0.4))]
    assert labelled(*rare).label is ShieldLabel.UNPROTECTED
    assert any("rare tokens" in said for said in labelled(*rare).reasons())


def test_what_could_not_be_shown_is_inconclusive() -> None:
    good = [estimate(name, 0.1, 0.14) for name in LEARNED]
    assert labelled(good[0]).label is ShieldLabel.INCONCLUSIVE
    assert labelled().label is ShieldLabel.INCONCLUSIVE
    wide = [good[0], estimate(LEARNED[1], 0.1, 0.2)]
    assert labelled(*wide).label is ShieldLabel.INCONCLUSIVE
    lame = [good[0], estimate(LEARNED[1], 0.1, 0.14, worked=False)]
    assert labelled(*lame).label is ShieldLabel.INCONCLUSIVE
    assert any("Could not have worked" in said for said in labelled(*lame).reasons())


@pytest.mark.parametrize("limit", [0.0, 1.0, "much", True])
def test_a_limit_is_a_share(limit) -> None:
    with pytest.raises(BadAttack):
        labelled(limit=limit)


def test_the_front_door_attacks_a_shield() -> None:
    """A turn fools the nearest token; the report goes by the reader that it does not fool."""
    settings = {"corpus": corpus(40, 1), "steps": 60, "pairs": (), "sends": 2, "limit": 0.16}
    found = pv.attack(ToyShield(turned=True), auxiliary=corpus(150, 2), **settings)
    assert found["shield-nearest-euclidean"].success.value < 0.16
    assert found.headline.attack in {*LEARNED, "shield-averaging"}
    assert found.label is ShieldLabel.UNPROTECTED
    text = str(found)
    assert text.startswith("shield: unprotected")
    assert "n5" not in text
    told = json.loads(json.dumps(found.to_json()))
    assert told["label"] == "unprotected"
    assert AttackReport.from_json(told).estimates == found.estimates
    assert replace(found, limit=None).label is ShieldLabel.UNPROTECTED
