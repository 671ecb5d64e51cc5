"""A plan is what was approved: whatever is edited in its file, it is refused before anything is read or spent."""

import json

import pytest
from tests.app.doors import inside
from tests.pipeline.forgery import STRANGER, replace_key
from tests.pipeline.hospital import RELEASE, project

from privet.dataset import make_signing_key
from privet.errors import RecordTooDeep
from privet.evidence import FIELD
from privet.pipeline import _run as running
from privet.pipeline._run_plan import PLAN_DOMAIN, RunPlan
from privet.pipeline._run_planner import make_plan


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    found = tmp_path_factory.mktemp("plans")
    for name in ("signed", "plain"):
        (found / name).mkdir()
        policy = project(found / name, RELEASE)
        if name == "signed":
            make_signing_key(found / name)
        make_plan(policy).save(found / name / "plan.json")
    return found


def edited(folder, change):
    """The plan with something else in it, its keys and digests computed again by our own code."""
    record = json.loads((folder / "plan.json").read_text())
    change(record)
    for step in record["steps"]:
        step.pop("key")
        from privet.pipeline._run_plan import PlannedStep

        step["key"] = PlannedStep(**step).key
    (folder / "plan.json").write_text(json.dumps(record))
    return record


EDITS = {
    "cost": lambda plan: plan["steps"][0]["cost"].update(epsilon="0.0001"),
    "columns": lambda plan: plan["steps"][0].update(read=["days"]),
    "dropped": lambda plan: plan["steps"][0].update(dropped=[]),
    "query": lambda plan: plan["steps"][0].update(query="SELECT 1"),
    "promise": lambda plan: plan["steps"][0].update(promise="nothing can ever be learned"),
    "recipient": lambda plan: plan["steps"][0].update(recipient="everybody"),
    "expires": lambda plan: plan["steps"][0].update(expires="2099-01-01"),
    "purpose": lambda plan: plan["steps"][0].update(purpose="research"),
    "inputs": lambda plan: plan["steps"][0].update(inputs="0" * 64),
    "after": lambda plan: plan["steps"][0]["after"].update(epsilon="5"),
    "errors": lambda plan: plan["steps"][0].update(errors=["exact"]),
    "state": lambda plan: plan["steps"][0].update(state="kept", cost={}),
    "made": lambda plan: plan.update(made="2020-01-01T00:00:00Z"),
    "more": lambda plan: plan.update(more=1),
}


@pytest.mark.parametrize("what", EDITS)
def test_any_edit_is_refused_before_anything_is_read(either, what, monkeypatch):
    keyed = (either / "privet.signing").exists()
    edited(either, EDITS[what])
    if keyed:  # of a signed plan, not even the file of the data is opened
        monkeypatch.setattr(running, "opened", lambda *_: pytest.fail("the data was opened"))
    said = inside("run", "plan.json", cwd=either)
    if what == "made" and not keyed:
        return  # nothing but a signature knows when a plan was made
    assert said.code in (7, 9), said.err + said.out
    assert not (either / "stays.ledger").exists()
    assert not (either / "out").exists()


def test_a_plan_that_was_not_touched_is_run(either):
    assert inside("run", "plan.json", cwd=either).code == 0


def test_a_plan_without_its_signature_is_refused(signed):
    edited(signed, lambda plan: plan.pop(FIELD))
    assert inside("run", "plan.json", cwd=signed).code == 9


def test_a_plan_that_somebody_else_signed_is_refused(signed):
    record = edited(signed, EDITS["cost"])
    forged = STRANGER.following(policy=record["policy"]).signed(record, PLAN_DOMAIN)
    (signed / "plan.json").write_text(json.dumps(forged))
    assert inside("run", "plan.json", cwd=signed).code == 9


def test_the_signature_of_another_plan_is_none(signed, projects):
    """A plan of the same key, made for another state of things."""
    policy = signed / "privet.yaml"
    before = policy.read_text()
    policy.write_text(before.replace("epsilon: 0.5", "epsilon: 0.25"))
    other = make_plan(policy).signed_json()[FIELD]
    policy.write_text(before)
    edited(signed, lambda plan: plan.update({FIELD: other}))
    assert inside("run", "plan.json", cwd=signed).code == 9


def test_a_plan_signed_in_a_project_without_a_key_is_refused(signed):
    import shutil

    shutil.rmtree(signed / "privet.signing")
    assert inside("run", "plan.json", cwd=signed).code == 9


def test_a_plan_of_a_replaced_key_is_refused_once_the_ledger_knows_the_key(signed):
    assert inside("run", "plan.json", cwd=signed).code == 0
    replace_key(signed)
    for command in (["plan"], ["run"]):
        assert inside(*command, cwd=signed).code == 9
    # Without the note that names the ledger it is the ledger that knows the key.
    (signed / "privet.signing" / "ledger.json").unlink(missing_ok=True)
    for command in (["plan"], ["run"]):
        said = inside(*command, cwd=signed)
        assert said.code == 9
        assert "key was replaced" in said.err


def test_a_saved_plan_is_read_back_with_its_signature(signed):
    plan = RunPlan.load(signed / "plan.json")
    assert plan.signature is not None
    assert plan.signature.follows == {"policy": plan.policy}
    assert RunPlan.from_json(plan.signed_json()).signature == plan.signature
    assert FIELD not in plan.to_json()


def test_a_deep_plan_is_refused_at_once(tmp_path):
    (tmp_path / "plan.json").write_text("[" * 100_000)
    with pytest.raises(RecordTooDeep):
        RunPlan.load(tmp_path / "plan.json")
