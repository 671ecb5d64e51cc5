"""With the ledger an earlier state of all files is known for what it is; nothing else can tell."""

import shutil

import pytest
from tests.evidence.keys import OWNER, SINCE
from tests.pipeline.forgery import asked_otherwise, told
from tests.pipeline.hospital import RELEASE, project

from privet.dataset import demand_approval, make_signing_key, signing_of
from privet.errors import NotApproved
from privet.evidence import KeyHistory, Signing
from privet.guarantee import DiscreteLaplace
from privet.ledger import Ledger
from privet.ledger import _ledger as ledgers
from privet.pipeline import _run as running
from privet.pipeline import read_policy, run, verify
from privet.pipeline._run_plan import RunPlan
from privet.pipeline._run_planner import make_plan


def test_with_the_ledger_the_anchors_hold_too(whole, keys):
    found = verify(whole / "out", key=keys, ledger=whole / "stays.ledger")
    assert found.proven, str(found)
    assert sum(one.of == "ledger" for one in found.checks) == 5


def test_a_journal_that_was_rolled_back_with_all_files_is_known_to_the_ledger_alone(given_run, keys):
    """All files of an earlier state, each properly signed: nothing but the ledger can tell."""
    shutil.copytree(given_run / "out", given_run / "before")
    asked_otherwise(given_run)
    assert verify(given_run / "before", key=keys).proven
    assert "rolled back" in told(verify(given_run / "before", key=keys, ledger=given_run / "stays.ledger"))


def test_an_earlier_folder_put_back_is_known_to_the_ledger(tmp_path):
    """The outputs were moved away and made anew; the earlier ones are whole, and no longer what stands."""
    policy = project(tmp_path, RELEASE)
    keys = make_signing_key(tmp_path)
    run(policy)
    (tmp_path / "out").rename(tmp_path / "earlier")
    run(policy)
    assert verify(tmp_path / "out", key=keys, ledger=tmp_path / "stays.ledger").proven
    assert "later run" in told(verify(tmp_path / "earlier", key=keys, ledger=tmp_path / "stays.ledger"))


def test_a_journal_of_another_data_set_is_known_to_the_ledger(given_run, keys, tmp_path):
    (tmp_path / "other").mkdir()
    other = project(tmp_path / "other", RELEASE)
    run(other)
    assert "knows no run of this journal" in told(
        verify(given_run / "out", key=keys, ledger=tmp_path / "other" / "stays.ledger")
    ) or "another ledger" in told(
        verify(given_run / "out", key=keys, ledger=tmp_path / "other" / "stays.ledger")
    )


@pytest.mark.parametrize("approved", [True, False])
def test_a_plan_that_was_carried_out_without_the_approvals_is_known_to_the_ledger(
    tmp_path, monkeypatch, approved
):
    """Whoever writes a program of their own can book in the name of a plan; that nobody approved it still shows."""
    policy = project(tmp_path, RELEASE)
    keys, terms = make_signing_key(tmp_path), read_policy(policy)[0].dataset
    with Ledger(tmp_path / "stays.ledger", limit=terms.budget.promise(), unit=terms.unit.value()) as book:
        demand_approval(book, signing_of(tmp_path), [OWNER.public], 1)
    plan = make_plan(policy)
    if approved:
        plan = plan.approved_by(Signing(OWNER, KeyHistory.first(OWNER, SINCE)))
    else:
        for name in ("refuse_unfounded", "refuse_unapproved"):
            monkeypatch.setattr(running, name, lambda *_: None)
        with pytest.raises(NotApproved, match="0 of 1"):  # the ledger asks for itself
            run(policy, plan)
        monkeypatch.setattr(
            ledgers.approval, "_with_plan", lambda content, demand: {**demand, "plan": content["digest"]}
        )
    run(policy, plan)
    with Ledger(
        tmp_path / "stays.ledger"
    ) as book:  # the demand ends afterwards, which changes nothing of what was
        demand_approval(book, signing_of(tmp_path), [], 0)
    found = verify(tmp_path / "out", key=keys, ledger=tmp_path / "stays.ledger")
    assert found.proven is approved, str(found)
    assert ("0 of 1 approvals" in str(found)) is not approved


@pytest.mark.parametrize("more", [False, True])
def test_more_than_a_plan_says_is_not_booked_in_its_name_unseen(tmp_path, more):
    """A program that carries out a plan books what it likes in its name; whoever verifies adds it up."""
    policy = project(tmp_path, RELEASE)
    keys = make_signing_key(tmp_path)
    record = run(policy)
    if more:
        with Ledger(tmp_path / "stays.ledger") as book:
            book.carry_out(RunPlan.from_json(record.plan).digest)
            book.charge(DiscreteLaplace(4), why="one more")
    found = verify(tmp_path / "out", key=keys, ledger=tmp_path / "stays.ledger")
    assert found.proven is not more, str(found)
    assert ("more was booked in the plan's name" in str(found)) is more
