"""Ledgers that are made with their first booking: what is refused leaves nothing, what is admitted is like any other."""

import multiprocessing
import sqlite3
from fractions import Fraction

import pytest

from privet.errors import (
    BadBooking,
    BadUnit,
    BudgetExceeded,
    LedgerMismatch,
    LedgerUnavailable,
    NoSuchBudget,
)
from privet.guarantee._events import DiscreteLaplace
from privet.guarantee._privacy_units import Person, Row
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PureDP
from privet.ledger import Ledger
from privet.ledger._draft_ledger import MemoryStore
from privet.ledger._throwaway_ledger import throwaway

TENTH = DiscreteLaplace(10)


def test_looking_makes_no_ledger(tmp_path):
    with Ledger(tmp_path / "l", limit=PureDP(1), unit=Row(), lazily=True) as ledger:
        assert (ledger.limit, ledger.accounting, ledger.unit) == (PureDP(1), "pure", Row())
        assert ledger.balance().remaining == {"epsilon": 1}
        assert ledger.quote(TENTH).admitted
        assert (ledger.recall("q"), ledger.paid("q"), ledger.settled("q")) == (None, None, False)
        assert (ledger.incidents(), ledger.verify().entries, len(list(ledger.history()))) == ([], 1, 1)
        assert ledger.export()["terms"]["accounting"] == "pure"
        assert ledger.place == str(tmp_path / "l")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("refused", "event", "note"),
    [
        (BudgetExceeded, DiscreteLaplace("0.5"), {}),
        (NoSuchBudget, TENTH, {"purpose": "nobody's"}),
        (BadBooking, TENTH, {"why": ""}),
        (LedgerMismatch, TENTH, {"unit": Person("id")}),
    ],
)
def test_a_refused_booking_makes_no_ledger(tmp_path, refused, event, note):
    with Ledger(tmp_path / "l", limit=PureDP(1), unit=Row(), lazily=True) as ledger:
        with pytest.raises(refused):
            ledger.charge(event, **{"why": "x", **note})
        assert ledger.balance().spends == 0
    assert list(tmp_path.iterdir()) == []


def test_terms_that_cannot_be_kept_are_refused_at_once(tmp_path):
    with pytest.raises(LedgerUnavailable):
        Ledger(tmp_path / "l", lazily=True)
    with pytest.raises(BadBooking):
        Ledger(tmp_path / "l", limit=KAnonymity(5), lazily=True)


def test_the_first_booking_makes_it_and_it_keeps_its_identity(tmp_path):
    with Ledger(tmp_path / "l", limit=PureDP(1), lazily=True) as ledger:
        identity = ledger.id
        with pytest.raises(BadUnit):
            ledger.charge(TENTH, why="x")
        receipt = ledger.charge(TENTH, why="x", unit=Row()).receipt
        assert receipt.ledger == identity == ledger.id
        assert ledger.unit == Row()
    with Ledger(tmp_path / "l") as again:
        assert again.id == identity
        assert again.verify([receipt]).spends == 1


@pytest.mark.parametrize("first", ["record", "open_budget"])
def test_other_entries_make_it_as_well(tmp_path, first):
    with Ledger(tmp_path / "l", limit=PureDP(1), unit=Row(), lazily=True) as ledger:
        if first == "record":
            ledger.record(KAnonymity(5), why="a table")
        else:
            ledger.open_budget(PureDP("0.5"), purpose="research")
    with Ledger(tmp_path / "l") as again:
        assert again.verify().entries == 2


def test_a_ledger_that_somebody_opened_meanwhile_is_used_as_it_is(tmp_path):
    with Ledger(tmp_path / "l", limit=PureDP(1), unit=Row(), lazily=True) as ledger:
        with Ledger(tmp_path / "l", limit=PureDP(1), unit=Row()) as other:
            other.charge(TENTH, why="theirs")
        assert ledger.charge(TENTH, why="ours").receipt.ledger == other.id == ledger.id
        assert ledger.balance().spent == {"epsilon": Fraction("0.2")}


@pytest.mark.parametrize(
    "terms", [{"limit": PureDP(2), "unit": Row()}, {"limit": PureDP(1), "unit": Person("id")}]
)
def test_and_is_refused_where_its_terms_differ(tmp_path, terms):
    with Ledger(tmp_path / "l", limit=PureDP(1), unit=Row(), lazily=True) as ledger:
        Ledger(tmp_path / "l", **terms).close()
        with pytest.raises(LedgerMismatch):
            ledger.charge(TENTH, why="ours")
    with Ledger(tmp_path / "l") as theirs:
        assert theirs.balance().spends == 0


def test_others_are_told_once_it_is_made(tmp_path):
    told = []
    with Ledger(tmp_path / "l", limit=PureDP(1), unit=Row(), lazily=True) as ledger:
        ledger.when_made(lambda: told.append("made"))
        with pytest.raises(BudgetExceeded):
            ledger.charge(DiscreteLaplace("0.5"), why="x")
        assert told == []
        for _ in range(2):
            ledger.charge(TENTH, why="x")
        assert told == ["made"]
        ledger.when_made(lambda: told.append("already"))
    assert told == ["made", "already"]


def test_processes_that_all_draft_one_make_one(tmp_path):
    fork = multiprocessing.get_context("fork")
    barrier = fork.Barrier(8)

    def spend():
        with Ledger(tmp_path / "l", limit=PureDP(1), unit=Row(), lazily=True) as ledger:
            barrier.wait(300)
            ledger.charge(TENTH, why="x")

    children = [fork.Process(target=spend) for _ in range(8)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0] * 8
    with Ledger(tmp_path / "l") as ledger:
        assert ledger.verify().spends == 8


def test_a_throwaway_book_holds_its_limit_and_has_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ledger = throwaway(ApproxDP(1, "1e-6"))
    for _ in range(10):
        ledger.charge(TENTH, why="x", unit=Row())
    with pytest.raises(BudgetExceeded):
        ledger.charge(TENTH, why="x")
    assert ledger.verify().spends == 10
    assert list(tmp_path.iterdir()) == []


def test_a_throwaway_book_stays_in_its_process():
    ledger = throwaway(PureDP(1))

    def child():
        try:
            ledger.charge(TENTH, why="x", unit=Row())
        except LedgerUnavailable:
            raise SystemExit(0) from None
        raise SystemExit(1)

    forked = multiprocessing.get_context("fork").Process(target=child)
    forked.start()
    forked.join(60)
    assert forked.exitcode == 0


def test_a_book_in_memory_that_is_closed_is_gone():
    store = MemoryStore()
    with store.reading() as transaction:
        assert transaction.head() is None
    store.close()
    with pytest.raises(sqlite3.ProgrammingError), store.reading():
        pass
