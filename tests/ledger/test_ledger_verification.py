"""The verifier alone against books whose chain, balances and head all fit: only what the entries say is wrong.

Every rule has a twin at its edge: the last admissible book verifies, and the first one beyond it does not.
"""

import datetime
import hashlib
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.ledger.forgery import Forgery

from privet.artifact._receipt import IN_MEMORY
from privet.errors import LedgerTampered
from privet.guarantee._events import (
    DiscreteGaussian,
    Opaque,
    PoissonSampled,
    RandomizedResponse,
    SealedPlan,
)
from privet.guarantee._privacy_units import Change, Person, Row
from privet.guarantee._promise_registry import AllOf, ApproxDP, KAnonymity, PureDP, ZeroConcentratedDP
from privet.guarantee.exact_amounts import LOSS_UNIT, written
from privet.ledger._account_statements import receipt_of
from privet.ledger._account_states import DATA_SET
from privet.ledger._hash_chain import GENESIS, canonical, link, read

QUESTION = hashlib.sha256(b"how many?").hexdigest()
OTHER = hashlib.sha256(b"how old?").hexdigest()
ANSWER = b"42"
ANSWERED = hashlib.sha256(ANSWER).hexdigest()
LAST_DAY = datetime.date(2026, 3, 31)


def on(book, day, hour=12):
    book.at = f"{day.isoformat()}T{hour:02}:00:00.000000Z"
    return book


def refused(book, *words, receipts=()):
    with pytest.raises(LedgerTampered) as found:
        book.verify(receipts)
    for one in words:
        assert one in found.value.fact


def respelled(book, number, change):
    """Put another text in place of one entry's and close the chain again, the head and states with it."""
    with book.store.writing() as transaction:
        run, previous = transaction._run, GENESIS
        for trigger in ("entries_stay", "entries_last"):
            run(f"DROP TRIGGER IF EXISTS {trigger}")
        for row in list(transaction.page(0)):
            text = change(row.body) if row.number == number else row.body
            previous = link(previous, text)
            run("UPDATE entries SET body = ?, hash = ? WHERE number = ?", (text, previous, row.number))
        run("UPDATE head SET hash = ?", (previous,))
    return book


def edited(book, number, change):
    """The same for one entry's content."""

    def other(text):
        body = json.loads(text)
        change(body)
        return canonical(body)

    return respelled(book, number, other)


def test_an_honest_book_with_everything_in_it_verifies():
    book = Forgery(ApproxDP(3, "1e-6"), "basic", unit=None)
    book.unit = Person("id")
    book.bind(Person("id"))
    book.budget(ApproxDP(3, "1e-6"), purpose="research", expires=LAST_DAY)
    book.budget(PureDP(2), analyst="ann")
    book.spend(Opaque(1), purpose="research", analyst="ann")
    book.spend(Opaque(1, "1e-7"), purpose="research", question="how many?")
    paid = book.spend(Opaque(Fraction(1, 2)), question="how old?", once=True)
    book.promise()
    book.release(paid, OTHER, ANSWERED, ANSWER)
    found = book.verify()
    assert (found.entries, found.spends) == (9, 3)


# --- budgets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [{}, {"purpose": "research"}, {"analyst": "ann"}], ids=str)
def test_the_last_unit_may_be_spent_and_none_beyond(named):
    for beyond, event in ((False, Opaque("0.4")), (True, Opaque("0.400000000001"))):
        book = Forgery(PureDP(1) if not named else PureDP(5))
        if named:
            book.budget(PureDP(1), **named)
        book.spend(Opaque("0.6"), **named)
        book.spend(event, **named)
        if beyond:
            refused(book, "entry", "spends more than its budget held")
        else:
            assert book.verify().spends == 2


@pytest.mark.parametrize("event", [Opaque(1, "1e-7"), Opaque("0.5", "1.1e-6")])
def test_each_coin_has_its_own_cap(event):
    book = Forgery(ApproxDP("0.99", "1e-6"), "basic")
    book.spend(event)
    refused(book, "entry 2 spends more than its budget held")


def test_a_budget_may_be_spent_on_its_last_day_and_not_the_day_after():
    for named in ({}, {"purpose": "research"}, {"analyst": "ann"}):
        for day, late in ((LAST_DAY, False), (LAST_DAY + datetime.timedelta(1), True)):
            book = Forgery(PureDP(1), expires=None if named else LAST_DAY)
            if named:
                book.budget(PureDP(1), **named, expires=LAST_DAY)
            on(book, day).spend(Opaque("0.1"), **named)
            if late:
                refused(book, "spends from a budget that had ended")
            else:
                assert book.verify().spends == 1


def test_a_budget_that_had_ended_is_not_opened():
    day = datetime.date(2026, 3, 1)  # the forger's own
    for expires, late in ((day, False), (day - datetime.timedelta(1), True)):
        of_all, sub = Forgery(PureDP(1), expires=expires), Forgery(PureDP(1))
        sub.budget(PureDP(1), purpose="research", expires=expires)
        for book, number in ((of_all, 1), (sub, 2)):
            if late:
                refused(book, f"entry {number} opens a budget that had ended")
            else:
                book.verify()


def test_caps_are_those_of_the_limit():
    for caps, wrong in (({"epsilon": "1"}, False), ({"epsilon": "1.00000001"}, True)):
        of_all, sub = Forgery(PureDP(1), caps=caps), Forgery(PureDP(2))
        sub.budget(PureDP(1), analyst="ann", caps=caps)
        for book, number in ((of_all, 1), (sub, 2)):
            if wrong:
                refused(book, f"entry {number} allows more than its limit gives")
            else:
                book.verify()


@pytest.mark.parametrize(
    ("limit", "accounting", "caps"),
    [
        (PureDP(1), "pure", {}),
        (PureDP(1), "pure", {"epsilon": "1", "delta": "0.1"}),
        (ApproxDP(1, "1e-6"), "zcdp", {"rho": "0.5", "delta": "0.0000005"}),
        (ZeroConcentratedDP("0.1"), "zcdp", {"rho": "0.1", "delta": "0.0001"}),
    ],
)
def test_other_coins_or_larger_caps_are_found(limit, accounting, caps):
    refused(Forgery(limit, accounting, caps=caps), "entry 1 allows more than its limit gives")


def test_caps_are_compared_as_exactly_as_machines_agree():
    """The cap on rho comes from logarithms: one that differs in the last digits was written by another processor."""
    exact = Forgery(ApproxDP(1, "1e-6"), "zcdp").accounts[DATA_SET].caps["rho"]
    room = exact // 10**9 + 1
    for units, wrong in ((exact + room, False), (exact + room + 1, True)):
        caps = {"rho": written(units * LOSS_UNIT), "delta": "0.0000005"}
        book = Forgery(ApproxDP(1, "1e-6"), "zcdp", caps=caps)
        if wrong:
            refused(book, "entry 1 allows more than its limit gives")
        else:
            book.verify()


@pytest.mark.parametrize(
    "terms",
    [
        {"accounting": "basic"},
        {"accounting": "made up"},
        {"limit": ZeroConcentratedDP(1).to_json()},
        {"limit": KAnonymity(5).to_json()},
        {"limit": None},
    ],
)
def test_a_limit_is_kept_by_an_accounting_of_its_kind(terms):
    book = edited(Forgery(), 1, lambda body: body.update(terms))
    refused(book, "entry 1 is not complete, or not one that a ledger enters")


def test_a_sub_cap_lies_below_the_data_sets():
    for limit, wrong in ((PureDP(1), False), (PureDP("1.000000000001"), True)):
        book = Forgery(PureDP(1))
        book.budget(limit, purpose="research")
        if wrong:
            refused(book, "entry 2 opens a budget that is larger than the data set's own")
        else:
            book.verify()


def test_a_budget_is_opened_once_and_for_one():
    book = Forgery()
    book.budget(PureDP(1), purpose="research")
    book.verify()
    book.budget(PureDP(1), purpose="research")
    refused(book, "entry 3 opens a budget a second time")
    nobodys, both = Forgery(), Forgery()
    nobodys.budget(PureDP(1))
    both.budget(PureDP(1), purpose="research", analyst="ann")
    for one in (nobodys, both):
        refused(one, "entry 2 opens a budget that is not for one purpose or for one analyst")


def test_a_spend_names_budgets_that_were_opened():
    book = Forgery()
    book.spend(Opaque("0.1"), analyst=None, purpose=None)
    book.accounts["purpose research"] = book.accounts[DATA_SET]
    book.spend(Opaque("0.1"), purpose="research")
    refused(book, "entry 3 names a budget that was never opened (purpose research)")


# --- prices -------------------------------------------------------------------------------------


def test_an_event_costs_at_least_its_price():
    for cost, wrong in (("0.5", False), ("0.6", False), ("0.499999999", True), ("0", True)):
        book = Forgery()
        book.spend(Opaque("0.5"), cost={"epsilon": cost})
        if wrong:
            refused(book, "entry 2 costs less than its event does")
        else:
            book.verify()


def test_every_coin_of_the_price_is_booked():
    free = Forgery(ApproxDP(1, "1e-5"), "basic")
    free.spend(Opaque("0.5", "1e-7"), cost={"epsilon": "0.5", "delta": "0"})
    refused(free, "entry 2 costs less than its event does")
    more = Forgery()
    more.spend(Opaque("0.5"), cost={"epsilon": "0.5", "delta": "0.1"})
    refused(more, "entry 2 costs less than its event does")


@pytest.mark.parametrize(
    ("event", "change"),
    [
        (RandomizedResponse("0.5"), Change.ADD_OR_REMOVE),
        (PoissonSampled("0.5", Opaque("0.1")), Change.REPLACE),
    ],
    ids=["response", "sample"],
)
def test_an_event_has_a_price_for_the_ledgers_unit(event, change):
    for own in Change:
        book = Forgery(PureDP(5), unit=Row(own))
        book.spend(Opaque(2))
        edited(book, 2, lambda body: body.update(event=event.to_json()))
        if own is change:
            refused(book, "entry 2 is not complete, or not one that a ledger enters")
        else:
            book.verify()


def test_a_sealed_plan_is_priced_by_its_certificate():
    plan = SealedPlan(DiscreteGaussian(10), "1e-6")
    for factor, wrong in ((1, False), (Fraction(99, 100), True)):
        book = Forgery(ApproxDP(3, "1e-5"), "basic")
        price = book.filter.price(plan, Change.ADD_OR_REMOVE).cost["epsilon"]
        book.spend(plan, cost={"epsilon": written(int(price * factor) * LOSS_UNIT), "delta": "0.000001"})
        if wrong:
            refused(book, "entry 2 costs less than its event does")
        else:
            book.verify()


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"accounting": "basic"}, "is counted by another accounting than the ledger's"),
        ({"composition": "sealed plan"}, "names another composition than its event has"),
        ({"remaining": {"epsilon": "1"}}, "states another remainder than its amounts give"),
        ({"event": {"kind": "unheard of"}}, "is not complete, or not one that a ledger enters"),
        ({"event": None}, "is not complete, or not one that a ledger enters"),
        ({"promise": {"promise": "unheard of"}}, "is not complete, or not one that a ledger enters"),
        ({"why": None}, "holds a text that no ledger keeps"),
        ({"why": " a reason"}, "holds a text that no ledger keeps"),
        ({"why": "a\nreason"}, "is not complete, or not one that a ledger enters"),
        ({"data": "a " * 150}, "is not complete, or not one that a ledger enters"),
        ({"question": "how many?"}, "holds a text that no ledger keeps"),
        ({"once": True}, "is booked once, and names no question"),
        ({"once": False, "question": QUESTION}, "is booked once, and names no question"),
    ],
)
def test_a_spend_says_what_a_ledger_would(over, words):
    book = Forgery()
    book.spend(Opaque("0.5"))
    refused(edited(book, 2, lambda body: body.update(over)), f"entry 2 {words}")


def test_a_promise_of_its_own_and_all_texts_are_kept():
    book = Forgery()
    book.spend(Opaque("0.5"), promise=PureDP("0.5").to_json(), data="sha256:x", question="how many?")
    book.verify()


# --- units --------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [Row(Change.REPLACE), Person("id"), Person("name")])
def test_a_booking_is_for_the_ledgers_unit(other):
    own = Person("id", change=Change.REPLACE) if isinstance(other, Person) else Row()
    spending, promising = Forgery(unit=own), Forgery(unit=own)
    spending.spend(Opaque("0.1"), unit=other)
    promising.unit = other
    promising.promise()
    for book in (spending, promising):
        refused(book, "entry 2 is for another unit than the ledger's")


def test_a_booking_needs_a_unit():
    book = Forgery(unit=None)
    book.unit = Row()
    book.spend(Opaque("0.1"))
    refused(book, "entry 2 is for another unit than the ledger's")


def test_a_unit_is_bound_once():
    book = Forgery(unit=None)
    book.bind(Row())
    book.verify()
    book.bind(Row())
    refused(book, "entry 3 binds the unit a second time")


def test_caps_on_rows_are_no_part_of_a_bound_unit():
    book = Forgery(unit=None)
    book.bind(Person("id"), max_rows=3)
    refused(book, "entry 2 binds something else than a unit")
    opened = edited(Forgery(unit=Person("id")), 1, lambda body: body["unit"].update(max_rows=3))
    refused(opened, "entry 1 binds something else than a unit")


# --- promises and releases ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"cost": {"epsilon": "0.1"}}, "is a promise without a budget, and has a cost"),
        ({"event": Opaque("0.1").to_json()}, "is a promise without a budget, and has a cost"),
        ({"accounting": "pure"}, "is a promise without a budget, and is counted as a spend"),
        ({"composition": "adaptive filter"}, "is a promise without a budget, and is counted as a spend"),
        ({"promise": PureDP("0.1").to_json()}, "is not complete, or not one that a ledger enters"),
        ({"promise": AllOf((KAnonymity(2), PureDP(1))).to_json()}, "is not complete, or not one"),
        ({"promise": None}, "is not complete, or not one that a ledger enters"),
        ({"remaining": {"epsilon": "0.5"}}, "states another remainder than there was"),
        ({"why": None}, "holds a text that no ledger keeps"),
    ],
)
def test_a_promise_without_a_budget_says_what_a_ledger_would(over, words):
    book = Forgery()
    book.promise()
    refused(edited(book, 2, lambda body: body.update(over)), f"entry 2 {words}")


def test_a_promise_leaves_every_balance_as_it_was():
    book = Forgery()
    book.promise()
    edited(book, 2, lambda body: body.update(after={DATA_SET: book.accounts[DATA_SET].to_json()}, balance=2))
    refused(book, "entry 2 leaves other balances behind than its amounts give")


def test_a_release_is_paid_for_by_an_entry_before_it_and_for_its_question():
    for pay in (Forgery.spend, Forgery.promise):
        first = {Forgery.spend: (Opaque("0.1"),), Forgery.promise: ()}[pay]
        for question, wrong in (("how many?", False), (None, False), ("how old?", True)):
            book = Forgery()
            paid = pay(book, *first, question=question)
            book.release(paid, QUESTION, ANSWERED, ANSWER)
            if wrong:
                refused(book, "entry 3 is a release that no entry, or one for another question, paid for")
            else:
                book.verify()
    for nobody in (1, 3, 4, None):
        book = Forgery()
        book.spend(Opaque("0.1"))
        book.release(nobody, QUESTION, ANSWERED, ANSWER)
        refused(book, "entry 3 is a release that no entry, or one for another question, paid for")


def test_a_question_has_one_release():
    book = Forgery()
    paid = book.spend(Opaque("0.1"))
    book.release(paid, QUESTION, ANSWERED, ANSWER)
    book.release(paid, OTHER, ANSWERED, ANSWER)
    book.verify()
    book.release(paid, QUESTION, ANSWERED)
    refused(book, "entry 5 is a second release for one question")


def test_what_is_booked_once_is_booked_once():
    book = Forgery()
    paid = book.spend(Opaque("0.1"), question="how many?", once=True)
    book.spend(Opaque("0.1"), question="how old?", once=True)
    book.spend(Opaque("0.1"), question="how many?")  # booked anew, and not once
    book.verify()
    book.spend(Opaque("0.1"), question="how many?", once=True)
    refused(book, "entry 5 books a second time what is booked once")
    late = Forgery()
    paid = late.spend(Opaque("0.1"))
    late.release(paid, QUESTION, ANSWERED, ANSWER)
    late.spend(Opaque("0.1"), question="how many?", once=True)
    refused(late, "entry 4 books a second time what is booked once")


def test_a_stored_release_is_the_one_that_was_entered():
    book = Forgery()
    paid = book.spend(Opaque("0.1"))
    book.release(paid, QUESTION, ANSWERED, b"43")
    refused(book, f"the stored release {QUESTION[:12]}… is not the one that was entered")
    gone = Forgery()
    gone.release(gone.spend(Opaque("0.1")), QUESTION, ANSWERED)
    refused(gone, f"the stored release {QUESTION[:12]}… is not the one that was entered")


# --- order and form -----------------------------------------------------------------------------


def test_time_does_not_run_backwards():
    """Otherwise a spend could be dated into the life of a budget that had ended."""
    for day, wrong in ((2, False), (1, True)):
        book = Forgery()
        on(book, datetime.date(2026, 3, 2)).spend(Opaque("0.1"))
        on(book, datetime.date(2026, 3, day)).spend(Opaque("0.1"))
        if wrong:
            refused(book, "entry 3 is dated before the entry that it follows")
        else:
            book.verify()


@pytest.mark.parametrize("at", ["2026-03-02", "2026-03-02T25:00:00.000000Z", "later", None])
def test_a_time_is_a_time(at):
    book = Forgery()
    book.at = at
    book.spend(Opaque("0.1"))
    refused(book, "entry 2 is not complete, or not one that a ledger enters")


def test_the_book_is_opened_by_its_first_entry_and_no_other():
    book = Forgery()
    book.enter("open", {}, {})
    refused(book, "entry 2 opens the book in the wrong place")
    headless = edited(Forgery(), 1, lambda body: body.update(kind="promise"))
    refused(headless, "entry 1 opens the book in the wrong place, or fails to")


def test_kinds_and_versions_are_known():
    book = Forgery()
    book.enter("refund", {}, {})
    refused(book, "entry 2 is of a kind or version that is not known here")
    newer = edited(Forgery(), 1, lambda body: body.update(schema=2))
    refused(newer, "entry 1 is of a kind or version that is not known here")


def test_an_entry_is_written_in_the_one_way():
    """A name that stands twice, spaces, or an infinity: readers would differ in what they see."""
    for change in (
        lambda text: text.replace('"cost":', '"cost":{"epsilon":"0.9"},"cost":', 1),
        lambda text: text.replace(",", ", ", 1),
        lambda text: text.replace('"data":null', '"data":Infinity', 1),
    ):
        book = Forgery()
        book.spend(Opaque("0.1"))
        respelled(book, 2, change)
        refused(book, "entry 2 is not written as entries are")


def test_entries_point_at_the_newest_balance_once_one_does():
    for pointer, wrong in ((2, False), (1, True), (None, True)):
        book = Forgery()
        book.spend(Opaque("0.1"))
        book.promise()
        edited(book, 3, lambda body, pointer=pointer: body.update(balance=pointer))
        if wrong:
            refused(book, "entry 3 points at another entry than the one that wrote the newest balance")
        else:
            book.verify()


# --- the head, the running states, receipts -----------------------------------------------------


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE head SET count = 4", "the head row counts 4 entries and 3 are there: the end was cut off"),
        ("UPDATE head SET count = 2", "1 entries follow the last one that the head row counts"),
        ("UPDATE head SET hash = 'f'", "the head row names another last entry"),
        ("DELETE FROM head", "the head row is gone"),
        (
            "DELETE FROM states WHERE scope = 'unit'",
            "the running balance of unit is not what the entries give",
        ),
        ("INSERT INTO states VALUES ('purpose x', '{}')", "the running balance of purpose x is not"),
        ("DELETE FROM entries WHERE number = 2", "entry 2 is missing"),
        ("UPDATE entries SET number = 5 WHERE number = 3", "entry 3 to 4 is missing"),
        ("UPDATE entries SET number = 4 WHERE number = 3", "entry 3 is missing"),
        ("UPDATE entries SET body = body || ' ' WHERE number = 2", "entry 2 does not match its hash"),
        ("DELETE FROM entries", "there are no entries"),
    ],
)
def test_the_book_is_held_against_its_head_and_states(statement, words):
    book = Forgery()
    book.spend(Opaque("0.1"))
    book.spend(Opaque("0.1"))
    with book.store.writing() as transaction:
        for trigger in ("entries_stay", "entries_last"):
            transaction._run(f"DROP TRIGGER IF EXISTS {trigger}")
        transaction._run(statement)
    refused(book, words)


def test_a_text_that_is_no_entry_is_found():
    for text in ("[]", "{}", "no JSON", '{"number":1,"kind":"open"}'):
        book = Forgery()
        book.spend(Opaque("0.1"))
        respelled(book, 2, lambda _, text=text: text)
        refused(book, "entry 2 is not an entry of this place")


def test_a_long_list_of_faults_ends():
    book = Forgery()
    for _ in range(30):
        book.promise(why=None)
    with pytest.raises(LedgerTampered) as found:
        book.verify()
    assert len(found.value.details["faults"]) == 20


def receipt(book, number):
    with book.store.reading() as transaction:
        rows = transaction.page(0)
        entry = read(rows[number - 1], rows[number - 2].hash)
        return receipt_of(entry, rows[0].hash)


def test_receipts_are_held_against_their_entries():
    book = Forgery()
    spent, said = book.spend(Opaque("0.1")), book.promise()
    own = [receipt(book, spent), receipt(book, said)]
    assert book.verify(own).receipts == 2
    assert book.verify([replace(own[0], ledger=IN_MEMORY + own[0].ledger)]).receipts == 1
    refused(book, "belongs to another ledger", receipts=[replace(own[0], ledger="f" * 64)])
    refused(book, "entry 9, for which there is a receipt", receipts=[replace(own[0], entry=9)])
    refused(book, "entry 3 is not the one its receipt names", receipts=[replace(own[0], entry=3)])
    refused(book, "says something else than the entry", receipts=[replace(own[0], cost={"epsilon": "0.01"})])
    refused(book, "says something else than the entry", receipts=[replace(own[1], why="another")])
