"""Books whose entries were written before they pointed at the newest balance: they open, verify and are booked on."""

import contextlib
import json
import sqlite3
from fractions import Fraction

import pytest
from tests.ledger.forgery import Forgery

from privet.errors import LedgerTampered
from privet.guarantee._events import DiscreteLaplace, Opaque
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger
from privet.ledger._entry_journal import EntryJournal
from privet.ledger._hash_chain import GENESIS, canonical, link

TENTH = DiscreteLaplace(10)


def spend(ledger):
    return ledger.charge(TENTH, unit=Row(), promise=PureDP("0.1"), data="sha256:x", why="test")


def rewritten(path, change):
    """The file with every entry changed and the chain closed again, as its maker would have written it."""
    with contextlib.closing(sqlite3.connect(path)) as book, book:
        guards = book.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            book.execute(f"DROP TRIGGER {name}")
        previous = GENESIS
        rows = book.execute("SELECT number, body FROM entries ORDER BY number").fetchall()
        for number, text in rows:
            body = json.loads(text)
            change(number, body)
            new = canonical(body)
            previous = link(previous, new)
            book.execute("UPDATE entries SET body = ?, hash = ? WHERE number = ?", (new, previous, number))
        book.execute("UPDATE head SET hash = ?", (previous,))
        for _, guard in guards:
            book.execute(guard)


@pytest.fixture
def old(tmp_path):
    """An old book: opened, a spend, and two entries after it that change no balance of the data set."""
    path = tmp_path / "old.ledger"
    with Ledger(path, limit=PureDP(1), unit=Row()) as ledger:
        spend(ledger)
        ledger.open_budget(PureDP(1), purpose="research")
        ledger.open_budget(PureDP(1), analyst="ann")
    rewritten(path, lambda _, body: body.pop("balance"))
    return path


def test_an_old_book_is_read_verified_and_booked_on(old):
    with Ledger(old) as ledger:
        assert ledger.balance().spent == {"epsilon": Fraction("0.1")}
        assert ledger.verify().spends == 1
        ledger.open_budget(PureDP(1), purpose="teaching")
        spend(ledger)
        assert ledger.balance().spent == {"epsilon": Fraction("0.2")}
        assert ledger.verify().spends == 2
        assert [entry.body.get("balance") for entry in ledger.history()] == [None] * 4 + [2, 6]


def test_a_balance_that_was_put_back_is_noticed_in_an_old_book_too(old):
    with contextlib.closing(sqlite3.connect(old)) as book, book:
        first = json.loads(book.execute("SELECT body FROM entries WHERE number = 1").fetchone()[0])
        state = {"entry": 1, "state": first["after"]["data set"]}
        book.execute("UPDATE states SET content = ? WHERE scope = 'data set'", (canonical(state),))
    with Ledger(old) as ledger:
        with pytest.raises(LedgerTampered, match="running balance"):
            ledger.balance()
        with pytest.raises(LedgerTampered, match="running balance"):
            spend(ledger)


def test_after_an_entry_that_points_all_do(old):
    with Ledger(old) as ledger:
        spend(ledger)
        spend(ledger)
    rewritten(old, lambda number, body: body.pop("balance", None) if number == 6 else None)
    with Ledger(old) as ledger, pytest.raises(LedgerTampered, match="points at another entry"):
        ledger.verify()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM head",
        "UPDATE head SET hash = 'f'",
        "UPDATE head SET count = 9",
        "UPDATE head SET count = 1",
    ],
)
@pytest.mark.parametrize("spends", [0, 1, 2])
def test_a_head_that_names_no_last_entry_is_noticed_before_anything_is_done(statement, spends):
    book = Forgery()
    for _ in range(spends):
        book.spend(Opaque("0.1"))
    with book.store.writing() as transaction:
        EntryJournal(transaction)
        transaction._run(statement)
        if statement.endswith("count = 1") and not spends:
            assert EntryJournal(transaction).last.number == 1
            return
        with pytest.raises(LedgerTampered, match="the end was cut off or replaced"):
            EntryJournal(transaction)


@pytest.mark.parametrize(
    "row",
    ["no JSON", "[]", "{}", '{"entry":9,"state":{}}', '{"entry":1,"state":{}}', '{"entry":"x","state":{}}'],
)
def test_a_running_state_is_the_one_its_entry_wrote(row):
    book = Forgery()
    with book.store.writing() as transaction:
        journal = EntryJournal(transaction)
        honest = journal.state("data set")
        assert honest is not None
        assert journal.balance() == honest
        assert journal.state("purpose research") is None
        transaction.put_state("data set", row)
        with pytest.raises(LedgerTampered, match="running balance of data set"):
            journal.state("data set")


def test_an_entry_states_its_version_place_and_kind():
    book = Forgery()
    book.spend(Opaque("0.1"))
    with book.store.reading() as transaction:
        bodies = [json.loads(row.body) for row in transaction.page(0)]
    assert [(body["schema"], body["number"], body["kind"]) for body in bodies] == [
        (1, 1, "open"),
        (1, 2, "spend"),
    ]
