"""The verb: what kind of thing it is, what fits it, what is left out and why; and the report."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest
from tests.attacks.dp_audit.toy import PROMISE, Toy

import privet as pv
from privet.artifact._released_answer import Answer, ReleasedAnswer
from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import attacks
from privet.attacks._attack_report import AttackReport
from privet.attacks.dp_audit import CanaryRun, Neighbours
from privet.errors import BadAttack, BadUsage, MissingExtra, UnknownRecord


class Remembers:
    """Sure of what it has seen."""

    def __init__(self, features: np.ndarray) -> None:
        self.seen = {row.tobytes() for row in features}

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        sure = np.array([row.tobytes() in self.seen for row in np.asarray(features)])
        return np.column_stack([np.where(sure, 0.99, 0.6), np.where(sure, 0.01, 0.4)])


@pytest.fixture(scope="module")
def halves():
    draw = np.random.default_rng(1)
    return (draw.normal(size=(60, 2)), np.zeros(60, int)), (draw.normal(size=(60, 2)), np.zeros(60, int))


def test_all_that_fits_is_run_and_the_rest_is_named(halves) -> None:
    members, control = halves
    calls = []
    found = pv.attack(
        Remembers(members[0]),
        members=members,
        control=control,
        promise=pv.PureDP("0.1"),
        progress=lambda *said: calls.append(said),
    )
    assert found.verdict is Verdict.CONTRADICTS
    assert found["membership-loss"].success.value == pytest.approx(1)
    assert any(said.startswith("membership-lira needs a training recipe") for said in found.left_out)
    assert [said for said in calls if said[0] == "membership-loss"]
    text = str(found)
    assert "membership-loss" in text
    assert "contradicts the promise" in text
    assert "skipped (reasons below):\n" in text
    assert "  membership-lira needs a training recipe for shadow models (recipe)." in text


def test_named_attacks_only_and_refusals(halves) -> None:
    members, control = halves
    found = pv.attack(Remembers(members[0]), members=members, control=control, attacks=["membership-loss"])
    assert [one.attack for one in found] == ["membership-loss"]
    assert found.left_out == ()
    assert found[0].verdict is Verdict.NOT_PROMISED
    with pytest.raises(BadAttack, match=r"needs a training recipe.*there is no attack 'nonsense'"):
        pv.attack(
            Remembers(members[0]), members=members, control=control, attacks=["membership-lira", "nonsense"]
        )
    with pytest.raises(BadAttack, match="no attack on a model could be run"):
        pv.attack(Remembers(members[0]))
    with pytest.raises(BadAttack, match="confidence"):
        pv.attack(Remembers(members[0]), confidence=2)


def test_an_attack_whose_library_is_not_installed_is_named_and_the_rest_goes_on(halves, monkeypatch) -> None:
    members, control = halves
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    found = pv.attack(Remembers(members[0]), members=members, control=control)
    assert "membership-loss" in {one.attack for one in found}
    assert "membership-quantile: this needs sklearn, which is not installed." in found.left_out
    assert "comparing members with control: this needs sklearn, which is not installed." in found.left_out
    with pytest.raises(MissingExtra, match="needs sklearn"):
        pv.attack(Remembers(members[0]), members=members, control=control, attacks=["membership-quantile"])


def test_a_run_a_mechanism_and_canaries() -> None:
    run = Toy(canaries=30, noise=0.5)(np.ones(30, bool))
    found = pv.attack(run, promise=PROMISE)
    assert [one.attack for one in found.contradicted] == ["noise-scale"]
    assert any("freshness needs a way to run the mechanism again" in said for said in found.left_out)
    draw = np.random.default_rng(2)
    half = Neighbours(lambda n: 1 + draw.laplace(0, 0.5, n), lambda n: draw.laplace(0, 0.5, n))
    assert pv.attack(half, promise=pv.PureDP(1), draws=2_000, plants=0).verdict is Verdict.CONTRADICTS
    flags = draw.random((1, 400)) < 0.5
    told = CanaryRun(flags, flags + draw.normal(0, 0.1, flags.shape))
    assert "canaries-one-run" in {one.attack for one in pv.attack(told, promise=PROMISE).contradicted}


def test_limits_are_beaten_kept_or_out_of_reach(halves) -> None:
    members, control = halves
    found = pv.attack(Remembers(members[0]), members=members, control=control, attacks=["membership-loss"])
    assert found.exceeded({"membership-loss": 0.9})
    assert "was not run" in found.exceeded({"other": 0.9})[0]
    blind = pv.attack(
        Remembers(members[0][:0]), members=members, control=control, attacks=["membership-loss"]
    )
    assert blind.exceeded({"membership-loss": 0.9}) == ()
    assert "could not have been shown" in blind.exceeded({"membership-loss": 0.999})[0]


def test_reports_are_kept_and_read_back(halves, tmp_path) -> None:
    members, control = halves
    found = pv.attack(
        Remembers(members[0]),
        members=members,
        control=control,
        promise=pv.PureDP(1),
        attacks=["membership-loss"],
    )
    record = json.loads(found.save(tmp_path / "report.json").read_text())
    assert AttackReport.from_json(record).to_json() == found.to_json()
    with pytest.raises(UnknownRecord):
        AttackReport.from_json({**record, "schema": 99})
    with pytest.raises(KeyError):
        found["nothing"]
    assert AttackReport(()).verdict is Verdict.INCONCLUSIVE
    assert "nothing was tested" in str(AttackReport(()))


def test_the_error_is_shared_between_attacks(halves) -> None:
    members, control = halves
    some = ["membership-loss", "membership-entropy", "membership-confidence", "membership-quantile"]
    found = pv.attack(Remembers(members[0]), members=members, control=control, attacks=some, confidence=0.9)
    assert found.confidence == pytest.approx(0.9)
    assert [one.success.confidence for one in found] == pytest.approx([0.975] * len(found))
    assert "hold together with 0.9 confidence" in str(found)
    assert AttackReport.from_json(found.to_json()).confidence == pytest.approx(0.9)


def test_settings_that_no_attack_takes_are_refused(halves) -> None:
    members, control = halves
    with pytest.raises(BadUsage, match="attack has no argument 'shadow'") as said:
        pv.attack(Remembers(members[0]), members=members, control=control, shadow=64)
    assert "shadows" in said.value.hint
    frames = [pd.DataFrame(one[0], columns=["a", "b"]) for one in halves]
    for wrong, refusal in (("many", BadUsage), (0, BadAttack), (2.5, BadUsage), (True, BadUsage)):
        with pytest.raises(refusal, match="guesses is a whole number"):
            pv.attack(frames[0], members=frames[0], control=frames[1], attacks=["inference"], guesses=wrong)


def test_the_same_reason_is_said_once(halves) -> None:
    members, _ = halves
    with pytest.raises(BadAttack) as said:
        pv.attack(Remembers(members[0]), members=members)
    assert said.value.fact.count("needs a holdout (control).") == 1


def test_released_counts_are_attacked_for_one_value_of_a_secret() -> None:
    """Exact counts of each person alone, under a claim of next to no epsilon."""
    draw = np.random.default_rng(5)
    people = pa.table({"seat": np.arange(60), "ill": draw.random(60) < 0.4})
    truth = people["ill"].to_pylist()
    answer = Answer("n", "number of rows", *[tuple(int(one) for one in truth)] * 3)
    answer = ReleasedAnswer(
        {"seat": tuple(range(60)), "ill": (True,) * 60}, (answer,), 0.95, pv.PureDP("0.1"), None, None
    )
    found = pv.attack(answer, members=people, secret="ill", value=True)
    assert found["reconstruction"].success.value == pytest.approx(1)
    assert found["differencing"].success.value == pytest.approx(1)
    assert found["reconstruction"].verdict is Verdict.CONTRADICTS
    twice = pv.attack([answer, answer], members=people, secret="ill", value=True)
    assert twice["averaging"].promise == pv.PureDP("0.2")
    assert twice["averaging"].details["repetitions"] == 60
    for wrong in ({}, {"secret": "ill"}, {"secret": "age", "value": 3}, {"secret": "ill", "value": "maybe"}):
        with pytest.raises(BadAttack):
            pv.attack(answer, members=people, **wrong)


def test_the_guide_names_every_attack_with_its_adversary_and_caveat() -> None:
    guide = Path(__file__).parents[2] / "docs" / "guide" / "attack.md"
    told = re.findall(r"^\| `([a-z-]+)` \| ([^|]{5,}) \| ([^|]{5,}) \|$", guide.read_text(), re.MULTILINE)
    listed = [name for name, _, _ in told if name in {one.name for one in attacks()}]
    # Four estimates stand in a table of what they hold for as well.
    assert set(listed) == {one.name for one in attacks()}
