"""Whatever a step made is attacked by all that fits it, and held against limits."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.pipeline.hospital import ANONYMIZE, project

from privet.errors import BadAttack
from privet.pipeline._attack_stage import ALONE, OWN_RISKS, attacked, findings, limit_names
from privet.pipeline._run import run


@pytest.mark.parametrize(
    ("limits", "findings"),
    [
        ("limits: {linkage-weakest: 0.34, risk-highest: 0.34}\n", 0),
        ("limits: {linkage-weakest: 0.01}\n", 1),
        ("limits: {risk-highest: 0.01, risk-mean: 1}\n", 1),
        ("limits: {membership-loss: 0.6}\n", 1),  # nothing was held against it
    ],
)
def test_limits_are_held_against_what_attacks_found(tmp_path: Path, limits: str, findings: int) -> None:
    record = run(project(tmp_path, ANONYMIZE, limits))
    assert len(record.findings) == findings
    assert (tmp_path / "out" / "owner" / "run.json").exists()


def test_an_attack_of_ones_choice_is_a_step_of_its_own(tmp_path: Path) -> None:
    attack = "  - {do: attack, purpose: research, name: tried, of: safe, attacks: [linkage-exact]}\n"
    record = run(project(tmp_path, ANONYMIZE + attack))
    assert [risk.attack for risk in record.step("tried").risks] == ["linkage-exact"]


def step(name, after=None, risks=()):
    return SimpleNamespace(name=name, facts={} if after is None else {"after": after}, risks=risks)


def risk(attack, said=""):
    return SimpleNamespace(attack=attack, beyond=lambda limit: said and f"{said} {limit:g}")


def test_limits_may_name_every_attack_and_a_tables_own_risks():
    names = limit_names()
    assert set(OWN_RISKS) <= set(names)
    assert "exact-match" in names
    assert len(names) == len(set(names))


def test_a_limit_that_nothing_was_held_against_is_not_kept():
    assert findings([step("a")], {"exact-match": 0.1}) == ("exact-match has a limit of 0.1 and was not run.",)
    assert findings([step("a")], {"risk-highest": 0.2}) == (
        "risk-highest has a limit of 0.2, and no table was made that it is about.",
    )
    assert findings([step("a")], {}) == ()


def test_own_risks_are_held_against_their_limit_at_its_edge():
    steps = [step("a", {"highest_risk": 0.2, "mean_risk": 0.1}), step("b", {"highest_risk": 0.2001})]
    assert findings(steps, {"risk-highest": 0.2}) == ("b: risk-highest is 0.2001, above the limit of 0.2.",)
    assert findings(steps, {"risk-mean": 0.1}) == ()


def test_every_step_that_an_attack_beat_is_named():
    steps = [step("a", risks=[risk("x", "beaten"), risk("y")]), step("b", risks=[risk("x", "beaten")])]
    assert findings(steps, {"x": 0.1, "y": 0.1}) == ("a: beaten 0.1", "b: beaten 0.1")


def test_what_exposes_nothing_or_cannot_be_opened_is_said_and_not_an_error():
    assert attacked(tuple, lambda _: None) == ((), (ALONE,))

    def refused():
        raise BadAttack("too many rows.", "Take fewer.")

    assert attacked(refused, lambda _: None) == ((), ("too many rows.",))
