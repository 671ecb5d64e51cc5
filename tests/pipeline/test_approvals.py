"""Two people stand for a plan where the data set's owner demands it; the same person twice is not two."""

from dataclasses import replace

import pytest
from tests.evidence.keys import FORGER, NEXT, OWNER, SINCE
from tests.pipeline.hospital import RELEASE, project

from privet.dataset import approvers_in, demand_approval, make_signing_key, signing_of
from privet.errors import NotApproved
from privet.evidence import KeyHistory, Signing
from privet.ledger import Ledger
from privet.pipeline import _run as running
from privet.pipeline._run import run
from privet.pipeline._run_plan import RunPlan
from privet.pipeline._run_planner import make_plan


def person(signer):
    return Signing(signer, KeyHistory.first(signer, SINCE))


ADA, GRACE, MALLORY = person(OWNER), person(NEXT), person(FORGER)


@pytest.fixture
def ward(tmp_path):
    """A project whose plans are approved by Ada and Grace, both."""
    policy = project(tmp_path, RELEASE)
    make_signing_key(tmp_path)
    with book(tmp_path) as ledger:
        demand_approval(ledger, signing_of(tmp_path), [OWNER.public, NEXT.public], 2)
    return policy


def book(folder):
    from privet.pipeline._policy import read_policy

    policy, _ = read_policy(folder / "privet.yaml")
    return Ledger(
        folder / "stays.ledger", limit=policy.dataset.budget.promise(), unit=policy.dataset.unit.value()
    )


def test_a_plan_that_both_approved_is_run(ward):
    plan = make_plan(ward).approved_by(ADA).approved_by(GRACE)
    plan.save(ward.parent / "plan.json")
    record = run(ward, RunPlan.load(ward.parent / "plan.json"))
    assert len(record.plan["approvals"]) == 2


@pytest.mark.parametrize(
    "people", [[], [ADA], [ADA, ADA], [MALLORY, MALLORY], [ADA, MALLORY], "the data set's own key", "doubled"]
)
def test_too_few_approvals_are_refused_before_anything_is_read(ward, people, monkeypatch):
    monkeypatch.setattr(running, "opened", lambda *_: pytest.fail("the data was opened"))
    plan = make_plan(ward)
    if people == "the data set's own key":
        plan = plan.approved_by(ADA).approved_by(signing_of(ward.parent))
    elif people == "doubled":
        plan = plan.approved_by(ADA)
        plan = replace(plan, approvals=plan.approvals * 2)
    else:
        for one in people:
            plan = plan.approved_by(one)
    with pytest.raises(NotApproved):
        run(ward, plan)


def test_a_run_without_a_plan_is_refused(ward):
    with pytest.raises(NotApproved, match="there is no plan"):
        run(ward)


def test_the_approval_of_one_plan_is_none_of_another(ward):
    approved = make_plan(ward).approved_by(ADA).approved_by(GRACE)
    other = replace(make_plan(ward), approvals=approved.approvals)
    assert other.digest != approved.digest
    with pytest.raises(NotApproved):
        run(ward, other)


def test_the_policy_cannot_do_away_with_approval_and_the_owner_can(ward):
    with book(ward.parent) as ledger:
        signing = signing_of(ward.parent)
        assert approvers_in(ledger, signing.keys).needed == 2
        demand_approval(ledger, signing, [], 0)
        assert approvers_in(ledger, signing.keys) is None
        ledger.verify()
    assert run(ward).steps


def test_a_run_that_was_interrupted_is_no_approval_of_what_the_policy_became(ward, monkeypatch):
    """What goes on is the approved plan; a policy that was edited since is another plan, which nobody approved."""
    plan = make_plan(ward).approved_by(ADA).approved_by(GRACE)
    with monkeypatch.context() as broken:
        broken.setattr(running, "attacked", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(ward, plan)
    approved = ward.read_text()
    ward.write_text(approved.replace("epsilon: 0.5", "epsilon: 0.9"))
    assert ward.read_text() != approved
    before = booked(ward.parent)
    with pytest.raises(NotApproved):
        run(ward)
    assert booked(ward.parent) == before
    ward.write_text(approved)
    assert run(ward).plan["approvals"]


def booked(folder):
    with book(folder) as ledger:
        return [entry.number for entry in ledger.history() if entry.kind == "spend"]
