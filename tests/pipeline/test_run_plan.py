"""A plan as a record: its keys are computed and never read, and a forged one is not run."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.app.test_policies import say
from tests.pipeline.hospital import RELEASE, project
from tests.pipeline.hostile_ward import Capture, copied, refused, rekeyed, spends, state

from privet.errors import RecordAltered, UnknownRecord
from privet.pipeline._run_plan import PlannedStep, RunPlan

# --- plans --------------------------------------------------------------------------------------

NAMES = [
    "{canary}", "", ".", "..", "../..", "../../../elsewhere", "made/../../../../elsewhere", "/", "a\0b", "x" * 5000,
    "A" * 64, "\uff0e\uff0e", "0" * 63, "0" * 65, "0" * 64,
]  # fmt: skip


@pytest.mark.parametrize("key", [*NAMES, None, 7, ["a"], {"a": "b"}], ids=lambda key: ascii(key)[:24])
def test_a_key_is_computed_and_not_read(
    prepared: Path, ward: Path, canary: Path, capsys: Capture, key: Any
) -> None:
    policy = copied(prepared, "look", ward)
    plan = json.loads((ward / "plan.json").read_text())
    plan["steps"][0]["key"] = key.format(canary=canary) if isinstance(key, str) else key
    (ward / "plan.json").write_text(json.dumps(plan))
    before = state(ward.parent)
    refused(say(capsys, "run", str(ward / "plan.json"), "-p", str(policy), "--json"), "E-POLICY-007")
    assert state(ward.parent) == before


FORGED: list[Callable[[dict[str, Any], str], None]] = [
    lambda plan, _: plan["steps"][0].update(to="../stays.csv"),
    lambda plan, there: plan["steps"][0].update(to=there),
    lambda plan, _: plan["steps"][0].update(to="other.json"),
    lambda plan, _: plan["steps"][0].update(to="owner/other.json"),
    lambda plan, _: plan["steps"][0].update(to="public/look.json"),
    lambda plan, _: plan["steps"][0].update(to="owner/../public/beds.json"),
    lambda plan, _: plan["steps"][0].update(to="owner/.privet/made.jsonl"),
    lambda plan, _: plan["steps"][0].update(to="owner"),
    lambda plan, _: plan["steps"][0].update(inputs="0" * 64),
    lambda plan, there: plan["steps"][0].update(inputs=there),
    lambda plan, _: plan["steps"][0].update(recipient="everybody"),
    lambda plan, _: plan["steps"][0].update(expires="2000-01-01"),
    lambda plan, _: plan["steps"][0].update(kind="train"),
    lambda plan, _: plan["steps"][0].update(purpose="research"),
    lambda plan, _: plan["steps"][0].update(cost={"epsilon": "0", "delta": "0"}),
    lambda plan, _: plan["steps"][0].update(cost={}, state="stored"),
    lambda plan, _: plan["steps"][0].update(state="kept", cost={}),
    lambda plan, _: plan["steps"][0].update(state="lost"),
    lambda plan, _: plan["steps"][0].update(state="free"),
    lambda plan, _: plan["steps"][0].update(errors=["none at all"]),
    lambda plan, _: plan["steps"][0].update(promise="nothing is ever learned"),
    lambda plan, _: plan["steps"][0].update(query="SELECT 1"),
    lambda plan, _: plan["steps"][0].update(read=["name"]),
    lambda plan, _: plan["steps"][0].update(read="name"),
    lambda plan, _: plan["steps"][0].update(more="text"),
    lambda plan, _: plan["steps"][0].pop("inputs"),
    lambda plan, _: plan["steps"].append(plan["steps"][0]),
    lambda plan, _: plan["steps"].clear(),
    lambda plan, _: plan.update(steps={"0": plan["steps"][0]}),
    lambda plan, _: plan.update(data=["x"]),
    lambda plan, _: plan.update(schema=1),
]


@pytest.mark.parametrize("forge", FORGED, ids=lambda _: "")
def test_a_forged_plan_is_not_run(
    prepared: Path, ward: Path, canary: Path, capsys: Capture, forge: Callable[[dict[str, Any], str], None]
) -> None:
    policy = copied(prepared, "beds", ward)
    plan = json.loads((ward / "plan.json").read_text())
    forge(plan, str(canary))
    if isinstance(plan["steps"], list):  # by somebody who knows how keys are made
        plan["steps"] = [rekeyed({"inputs": "", **step}) for step in plan["steps"]]
    (ward / "plan.json").write_text(json.dumps(plan))
    before = state(ward.parent)
    said = say(capsys, "run", str(ward / "plan.json"), "-p", str(policy), "--json")
    refused(said, "E-POLICY-001", "E-POLICY-004", "E-POLICY-007", "E-GUARANTEE-004")
    assert state(ward.parent) == before
    assert spends(ward) == 0


def test_a_plan_that_nobody_touched_still_runs(ward: Path, capsys: Capture) -> None:
    policy = project(ward, RELEASE)
    assert say(capsys, "plan", "-p", str(policy)).code == 0
    assert say(capsys, "run", str(ward / "plan.json"), "-p", str(policy)).code == 0
    assert (
        RunPlan.load(ward / "plan.json").steps[0].key
        in (ward / "out" / "owner" / "journal.jsonl").read_text()
    )


STEP = PlannedStep(
    "one",
    "release",
    "care",
    ["ward"],
    [],
    "SELECT 1",
    "public/one.json",
    "internal",
    "2090-01-01",
    None,
    "new",
    "a" * 64,
)


def test_a_key_is_of_what_is_made_for_whom_and_until_when_and_not_of_its_price():
    same = [
        replace(STEP, cost={"epsilon": "9"}),
        replace(STEP, state="kept"),
        replace(STEP, notes=["x"]),
        replace(STEP, read=[]),
    ]
    assert {one.key for one in same} == {STEP.key}
    others = [
        replace(STEP, **{part: "b" * 64})
        for part in ("name", "kind", "purpose", "to", "recipient", "expires", "inputs")
    ]
    assert len({STEP.key, *(one.key for one in others)}) == 8


def test_a_plan_comes_back_as_it_was_and_is_known_by_its_content(tmp_path):
    plan = RunPlan("p", "d", "l", "m", (STEP,))
    loaded = RunPlan.load(plan.save(tmp_path / "plan.json"))
    assert loaded == plan
    assert loaded.digest == plan.digest != replace(plan, data="e").digest
    assert plan.step_of(STEP.key) is STEP
    assert plan.step_of("0" * 64) is None


@pytest.mark.parametrize(
    "second",
    [
        replace(STEP, to="public/two.json"),
        replace(STEP, name="two"),
        replace(STEP, name="ONE", to="public/two.json"),
        replace(STEP, name="two", to="public/ONE.json"),
    ],
)
def test_two_steps_of_one_name_or_place_are_refused(second):
    record = RunPlan("p", "d", "l", "m", (STEP, second)).to_json()
    with pytest.raises(RecordAltered):
        RunPlan.from_json(record)


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        {},
        {"schema": 2},
        {"schema": 1, "artifact": "run-plan"},
        {"schema": 2, "artifact": "run-plan", "policy": 1, "data": "", "ledger": "", "made": "", "steps": []},
        {
            "schema": 2,
            "artifact": "run-plan",
            "policy": "",
            "data": "",
            "ledger": "",
            "made": "",
            "steps": {},
        },
    ],
)
def test_what_is_no_plan_is_not_read_as_one(record):
    with pytest.raises(UnknownRecord):
        RunPlan.from_json(record)
