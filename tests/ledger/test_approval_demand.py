"""While approval is demanded, a ledger books for approved plans alone: in the booking's own transaction, in every store."""

import json
import sqlite3

import pytest
from tests.evidence.keys import NEXT
from tests.ledger.demands import (
    ADA,
    DATA_SET,
    MALLORY,
    PLAN,
    approval,
    demand,
    demand_record,
    enter_demand,
    enter_keys,
    head,
    person,
)

from privet.errors import BadBooking, BudgetExceeded, EvidenceBroken, LedgerTampered, NotApproved
from privet.evidence import digest
from privet.guarantee._events import DiscreteLaplace
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PureDP
from privet.ledger import APPROVERS, GENESIS, JOURNAL, Ledger
from privet.ledger import PLAN as PLAN_ANCHOR
from privet.ledger import _approval_demand as demanding
from privet.ledger import _ledger as ledgers
from privet.ledger import _spend as spending

EVENT = DiscreteLaplace(2)


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "book.ledger", limit=ApproxDP(3, "1e-5"), unit=Row()) as book:
        yield book


def spends(ledger):
    return [entry.kind for entry in ledger.history() if entry.kind in ("spend", "promise")]


def test_nothing_is_booked_outside_of_a_plan_while_it_is_demanded(ledger):
    ledger.charge(EVENT, why="before anybody demanded it")
    assert ledger.approvals_needed is None
    demand(ledger, 2, [ADA, MALLORY])
    assert ledger.approvals_needed == 2
    for book in (
        lambda: ledger.charge(EVENT, why="x"),
        lambda: ledger.charge(EVENT, why="x", question="q", once=True),
        lambda: ledger.seal([EVENT], delta="1e-6", why="x"),
        lambda: ledger.record(KAnonymity(5), why="x"),
        ledger.refuse_unapproved,
    ):
        with pytest.raises(NotApproved, match="second person"):
            book()
    assert spends(ledger) == ["spend"]
    assert ledger.quote(EVENT).admitted  # what it would cost is told
    ledger.verify()


def test_a_plan_that_is_carried_out_books_and_others_still_do_not(ledger, tmp_path):
    demand(ledger, 1)
    with Ledger(tmp_path / "book.ledger") as other:
        other.carry_out(PLAN, made_for=head(other), approvals=[approval(ledger=head(other))])
        other.charge(EVENT, why="of the plan")
        other.record(KAnonymity(5), why="of the plan")
        with pytest.raises(BudgetExceeded):
            other.charge(DiscreteLaplace("0.1"), why="of the plan, and too much")
    with pytest.raises(NotApproved):
        ledger.charge(EVENT, why="x")
    assert spends(ledger) == ["spend", "promise"]
    booked = [one.body["plan"] for one in ledger.history() if one.kind in ("spend", "promise")]
    assert booked == [PLAN, PLAN]
    ledger.verify()


def test_entries_name_the_plan_also_where_nobody_demands_it(ledger):
    ledger.charge(EVENT, why="of no plan")
    ledger.carry_out(PLAN)
    ledger.charge(EVENT, why="of the plan")
    assert [one.body.get("plan") for one in ledger.history() if one.kind == "spend"] == [None, PLAN]
    ledger.verify()


def test_it_ends_when_nobody_is_needed(ledger):
    demand(ledger, 1)
    demand(ledger, 0)
    assert ledger.approvals_needed == 0
    ledger.charge(EVENT, why="x")
    ledger.verify()


def test_a_ledger_opened_before_the_demand_is_bound_by_it(ledger, tmp_path):
    with Ledger(tmp_path / "book.ledger") as earlier:
        demand(ledger, 1)
        with pytest.raises(NotApproved):
            earlier.charge(EVENT, why="x")


# --- who may say so ------------------------------------------------------------------------------


def unsigned(ledger):
    return {name: value for name, value in demand_record(ledger, 0).items() if name != "signature"}


def of_an_earlier_demand(ledger):
    """The owner's own word, from when approval was ended before."""
    ended = demand_record(ledger, 0)
    enter_demand(ledger, ended)
    demand(ledger, 1)
    return ended


def of_another_ledger(ledger):
    with Ledger.in_memory(limit=PureDP(3), unit=Row()) as other:
        return demand_record(other, 0)


def edited(ledger):
    return {**demand_record(ledger, 1), "needed": 0}


FORGED = {
    "signed by nobody": unsigned,
    "signed by a stranger": lambda ledger: demand_record(ledger, 0, by=MALLORY),
    "signed by one who approves": lambda ledger: demand_record(ledger, 0, by=ADA),
    "said before": of_an_earlier_demand,
    "said of another ledger": of_another_ledger,
    "edited": edited,
    "follows nothing": lambda ledger: demand_record(ledger, 0, follows={}),
    "more than there are": lambda ledger: demand_record(ledger, 2),
    "fewer than none": lambda ledger: demand_record(ledger, -1),
    "the data set approves itself": lambda ledger: demand_record(ledger, 1, [DATA_SET]),
    "one person twice": lambda ledger: demand_record(ledger, 2, [ADA, ADA]),
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_a_program_that_holds_the_ledger_cannot_end_the_demand(ledger, forged):
    demand(ledger, 1)
    record = forged(ledger)
    with pytest.raises(EvidenceBroken):
        enter_demand(ledger, record)
    assert ledger.approvals_needed == 1
    with pytest.raises(NotApproved):
        ledger.charge(EVENT, why="x")
    ledger.verify()


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_what_was_entered_past_the_check_does_not_verify(ledger, forged, monkeypatch):
    """Whoever writes a program of their own can leave the check out; whoever verifies the book sees it."""
    demand(ledger, 1)
    record = forged(ledger)
    before = ledger.approvals_needed
    _without_check(ledger, monkeypatch, APPROVERS, digest(record), {"record": json.dumps(record)})
    assert before == 1
    with pytest.raises(LedgerTampered, match="word of whom it needs"):
        ledger.verify()


def _without_check(ledger, monkeypatch, what, known, said):
    left = {"needed": 0, "people": [], "record": known, "plan": PLAN}
    with monkeypatch.context() as bent:
        bent.setattr(ledgers.approval, "states_after", lambda *_: {demanding.APPROVAL: left})
        bent.setattr(ledgers.approval, "refuse_spent_plan", lambda *_: None)
        ledger.anchor(what, known, why="x", said=said)


@pytest.mark.parametrize(
    "record", ["", "no record", "[]", "{}", '{"needed": null}', '{"needed": 0}', "[" * 500]
)
def test_what_cannot_be_read_is_no_demand(ledger, record):
    enter_keys(ledger)
    with pytest.raises((EvidenceBroken, BadBooking)):
        ledger.anchor(APPROVERS, "0" * 64, why="x", said={"record": record})
    assert ledger.approvals_needed is None


def test_a_demand_without_a_key_of_the_data_set_is_none(ledger):
    with pytest.raises(EvidenceBroken):
        enter_demand(ledger, demand_record(ledger, 1))


def test_a_key_that_was_renewed_ends_nothing_whatever_time_it_writes(ledger):
    """A key that went may be in other hands: what it signs with an old date is refused as well."""
    demand(ledger, 1)
    enter_keys(ledger, DATA_SET.keys.rotated(DATA_SET.signer, MALLORY.signer, "2026-02-01T00:00:00+00:00"))
    with pytest.raises(EvidenceBroken):
        enter_demand(ledger, demand_record(ledger, 0))
    enter_demand(ledger, demand_record(ledger, 0, by=MALLORY))
    assert ledger.approvals_needed == 0
    ledger.verify()


# --- plans ---------------------------------------------------------------------------------------


def of_one_who_is_not_asked(at):
    return [approval(ledger=at, by=MALLORY)]


BAD_APPROVALS = {
    "nobody": lambda at: [],
    "somebody else": of_one_who_is_not_asked,
    "the data set itself": lambda at: [approval(ledger=at, by=DATA_SET)],
    "another plan": lambda at: [approval("77" * 32, at)],
    "another state of the ledger": lambda at: [approval(ledger=GENESIS)],
}


@pytest.mark.parametrize("given", BAD_APPROVALS.values(), ids=BAD_APPROVALS)
def test_a_program_that_holds_the_ledger_cannot_carry_out_what_nobody_approved(ledger, given, monkeypatch):
    demand(ledger, 1)
    at = head(ledger)
    with pytest.raises(NotApproved, match="0 of 1"):
        ledger.carry_out(PLAN, made_for=at, approvals=given(at))
    with pytest.raises(NotApproved):
        ledger.charge(EVENT, why="x")
    ledger._plan = PLAN  # as a program of one's own would
    with pytest.raises(NotApproved):
        ledger.charge(EVENT, why="x")
    ledger.verify()
    said = demanding.plan_anchor(at, given(at))
    _without_check(ledger, monkeypatch, PLAN_ANCHOR, PLAN, said)
    with pytest.raises(LedgerTampered, match="0 of 1 approvals"):
        ledger.verify()


def test_one_person_twice_is_not_two(ledger):
    demand(ledger, 2, [ADA, MALLORY])
    at = head(ledger)
    with pytest.raises(NotApproved, match="1 of 2"):
        ledger.carry_out(PLAN, made_for=at, approvals=[approval(ledger=at)] * 2)
    ledger.carry_out(PLAN, made_for=at, approvals=[approval(ledger=at), approval(ledger=at, by=MALLORY)])


def test_what_is_booked_past_the_check_does_not_verify(ledger, monkeypatch):
    demand(ledger, 1)
    with monkeypatch.context() as bent:
        for place in (spending, ledgers.approval):
            bent.setattr(place, "refuse_unplanned", lambda *_: None)
        ledger.charge(EVENT, why="x")
    with pytest.raises(LedgerTampered, match="outside of a plan that was approved"):
        ledger.verify()


def test_an_approval_is_for_one_run(ledger, monkeypatch):
    """Once the journal's end stands in the book, the plan is carried out no second time."""
    demand(ledger, 1)
    at = head(ledger)
    given = {"made_for": at, "approvals": [approval(ledger=at)]}
    ledger.carry_out(PLAN, **given)
    ledger.charge(EVENT, why="of the plan")
    ledger.anchor(JOURNAL, "1" * 64, why="the end", said={"plan": PLAN})
    with pytest.raises(NotApproved):
        ledger.charge(EVENT, why="of the plan, which has ended")
    with pytest.raises(NotApproved, match="carried out before"):
        ledger.carry_out(PLAN, **given)
    ledger.verify()
    with monkeypatch.context() as bent:
        bent.setattr(ledgers.approval, "refuse_spent_plan", lambda *_: None)
        ledger.carry_out(PLAN, **given)
    with pytest.raises(LedgerTampered, match="carried out before"):
        ledger.verify()


def test_an_approval_for_another_ledger_is_none(ledger, tmp_path, monkeypatch):
    with Ledger(tmp_path / "other.ledger", limit=PureDP(3), unit=Row()) as other:
        elsewhere = head(other)
    demand(ledger, 1)
    given = {"made_for": elsewhere, "approvals": [approval(ledger=elsewhere)]}
    with pytest.raises(NotApproved, match="another ledger"):
        ledger.carry_out(PLAN, **given)
    with monkeypatch.context() as bent:
        bent.setattr(ledgers.approval, "refuse_spent_plan", lambda *_: None)
        ledger.carry_out(PLAN, **given)
    with pytest.raises(LedgerTampered, match="another ledger"):
        ledger.verify()


def test_a_new_demand_asks_anew(ledger):
    demand(ledger, 1)
    at = head(ledger)
    ledger.carry_out(PLAN, made_for=at, approvals=[approval(ledger=at)])
    demand(ledger, 1, [MALLORY])
    with pytest.raises(NotApproved):
        ledger.charge(EVENT, why="approved by whom is no longer asked")
    ledger.carry_out(PLAN, made_for=at, approvals=[approval(ledger=at, by=MALLORY)])
    ledger.charge(EVENT, why="x")
    ledger.verify()


def test_a_plan_that_goes_on_is_entered_once(ledger):
    demand(ledger, 1)
    at = head(ledger)
    for _ in range(2):
        ledger.carry_out(PLAN, made_for=at, approvals=[approval(ledger=at)])
    assert len(ledger.anchors(PLAN_ANCHOR)) == 1


def test_no_plan_is_entered_where_nobody_asks(ledger):
    ledger.carry_out(PLAN)
    assert ledger.anchors(PLAN_ANCHOR) == []
    with pytest.raises(NotApproved, match="nobody says"):
        ledger.anchor(PLAN_ANCHOR, PLAN, why="x", said=demanding.plan_anchor(head(ledger), []))
    with pytest.raises(BadBooking):
        ledger.carry_out("a plan")


# --- books of old --------------------------------------------------------------------------------


def old_entry(ledger, what, said, left):
    """As it was entered before keys and demands were signed."""
    content = {"what": what, "digest": "0" * 64, "said": said, "why": "x"}
    ledger._book.write(lambda journal: journal.append("anchor", content, left))


def test_old_demands_bind_and_are_entered_anew(ledger):
    old_entry(ledger, "keys", {"keys": DATA_SET.signer.public}, {})
    old_entry(ledger, APPROVERS, {"record": "{}"}, {"approval": {"needed": 1}})
    ledger.verify()
    with pytest.raises(NotApproved):
        ledger.charge(EVENT, why="x")
    with pytest.raises(NotApproved, match="nobody says"):
        ledger.carry_out(PLAN, made_for=head(ledger), approvals=[])
    with pytest.raises(EvidenceBroken):
        enter_demand(ledger, demand_record(ledger, 0, by=MALLORY))
    enter_demand(ledger, demand_record(ledger, 1))
    at = head(ledger)
    ledger.carry_out(PLAN, made_for=at, approvals=[approval(ledger=at)])
    ledger.charge(EVENT, why="x")
    ledger.verify()


@pytest.mark.parametrize("left", [{}, {"approval": {"needed": 0}}])
def test_after_a_signed_one_none_is_of_old(ledger, left):
    demand(ledger, 1)
    old_entry(ledger, APPROVERS, {"record": "{}"}, left)
    with pytest.raises(LedgerTampered, match="is not signed"):
        ledger.verify()


def test_balances_are_of_budgets_alone_and_the_state_is_held_against_the_chain(ledger, tmp_path):
    demand(ledger, 1)
    assert [balance.scope for balance in ledger.balances()] == ["data set"]
    assert ledger.export()["balances"][0]["scope"] == "data set"
    with sqlite3.connect(tmp_path / "book.ledger") as raw:
        raw.execute(
            "UPDATE states SET content = replace(content, '\"needed\":1', '\"needed\":0') WHERE scope = 'approval'"
        )
    with pytest.raises(LedgerTampered):
        ledger.charge(EVENT, why="x")


def test_nothing_is_demanded_of_a_book_in_memory_and_can_be():
    with Ledger.in_memory(limit=PureDP(3), unit=Row()) as ledger:
        ledger.charge(EVENT, why="x")
        demand(ledger, 1, [person(NEXT)])
        with pytest.raises(NotApproved):
            ledger.charge(EVENT, why="x")
