"""The ledger for trying out: a real book as long as the process lives, which says wherever it shows that it forgets."""

import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pandas as pd
import pytest

import privet as pv
from privet.artifact._receipt import FORGETS, Receipt
from privet.errors import BudgetExceeded, LedgerMismatch, LedgerUnavailable, NoSuchBudget
from privet.guarantee._events import DiscreteLaplace
from privet.ledger import Ledger
from privet.ledger._hash_chain import EntryRow
from privet.ledger._in_memory_store import InMemoryStore

TENTH = DiscreteLaplace(10)  # costs 0.1


@pytest.fixture
def ledger() -> Ledger:
    return Ledger.in_memory(limit=pv.PureDP(1), unit=pv.Row())


def test_it_books_refuses_and_verifies_as_any_other(ledger: Ledger) -> None:
    permits = [ledger.charge(TENTH, why=f"spend {number}") for number in range(10)]
    with pytest.raises(BudgetExceeded):
        ledger.charge(TENTH, why="one too many")
    assert ledger.balance().spent == {"epsilon": 1}
    assert [entry.kind for entry in ledger.history()] == ["open"] + ["spend"] * 10
    assert ledger.verify(permit.receipt for permit in permits).spends == 10
    assert ledger.export()["ledger"] == ledger.id


def test_sub_caps_and_stored_releases(ledger: Ledger) -> None:
    ledger.open_budget(pv.PureDP("0.1"), purpose="research")
    permit = ledger.charge(TENTH, why="first", purpose="research", question="how many?")
    before = list(ledger.history())
    with pytest.raises(BudgetExceeded):
        ledger.charge(TENTH, why="second", purpose="research")
    with pytest.raises(NoSuchBudget):
        ledger.charge(TENTH, why="third", purpose="marketing")
    assert list(ledger.history()) == before
    ledger.remember(permit.receipt, "how many?", b"seven")
    assert ledger.recall("how many?") == (permit.receipt, b"seven")
    assert len(ledger.balances()) == 2
    ledger.verify()


def test_a_failure_inside_a_turn_leaves_everything_as_it_was() -> None:
    store = InMemoryStore()

    def fail() -> None:
        with store.writing() as transaction:
            transaction.append(EntryRow(1, "{}", "0"))
            transaction.put_state("data set", "{}")
            transaction.put_release("q", 1, b"r")
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        fail()
    with store.reading() as transaction:
        assert transaction.head() is None
        assert transaction.states() == {}
        assert list(transaction.releases()) == []


def test_it_lasts_as_long_as_the_object_also_after_it_was_closed(ledger: Ledger) -> None:
    with ledger:
        ledger.charge(TENTH, why="spend")
    assert ledger.balance().spends == 1


def test_threads_share_one_budget(ledger: Ledger) -> None:
    def attempt(_: int) -> int:
        try:
            ledger.charge(TENTH, why="thread")
        except BudgetExceeded:
            return 0
        return 1

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(attempt, range(30))) == 10
    assert ledger.verify().spends == 10


def test_a_child_process_cannot_spend_the_copy_that_it_has(ledger: Ledger) -> None:
    def child() -> None:
        try:
            ledger.charge(TENTH, why="twice")
        except LedgerUnavailable:
            os._exit(7)
        os._exit(0)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(60)
    assert process.exitcode == 7
    assert ledger.balance().remaining == {"epsilon": Fraction(1)}


def test_two_of_them_have_nothing_in_common(ledger: Ledger) -> None:
    other = Ledger.in_memory(limit=pv.PureDP(1), unit=pv.Row())
    receipt = other.charge(TENTH, why="other").receipt
    assert other.id != ledger.id
    with pytest.raises(LedgerMismatch):
        ledger.remember(receipt, "question", b"release")


def test_a_file_in_memory_is_refused_and_the_hint_names_what_there_is() -> None:
    with pytest.raises(LedgerUnavailable) as said:
        Ledger(":memory:", limit=pv.PureDP(1))
    assert "Ledger.in_memory(" in said.value.hint


# --- it says that it forgets --------------------------------------------------------------------


def test_the_ledger_and_its_receipts_say_that_they_forget(ledger: Ledger) -> None:
    assert "forgets" in repr(ledger)
    assert "no budget holds beyond it" in repr(ledger)
    receipt = ledger.charge(TENTH, why="spend").receipt
    assert receipt.note == FORGETS
    assert Receipt.from_json(receipt.to_json()).note == FORGETS
    assert "in-memory" in receipt.to_json()["ledger"]


def test_a_ledger_that_is_kept_says_nothing_of_the_sort(tmp_path) -> None:
    with Ledger(tmp_path / "kept.ledger", limit=pv.PureDP(1), unit=pv.Row()) as kept:
        assert kept.charge(TENTH, why="spend").receipt.note == ""
        assert "forgets" not in repr(kept)


def test_every_release_made_with_it_says_so(tmp_path) -> None:
    ledger = Ledger.in_memory(limit=pv.ApproxDP(10, 1e-4))
    frame = pd.DataFrame({"zip": ["1", "2"] * 50, "area": ["a", "b"] * 50, "sick": [True, False] * 50})
    table = pv.open_table(
        frame,
        unit=pv.Row(),
        keys={"zip": ["1", "2"], "area": ["a", "b"], "sick": [True, False]},
        roles={"zip": "quasi", "sick": "sensitive", "area": "insensitive"},
    )
    question = table.group_by("zip").agg(n=pv.count())
    answer = pv.release(question, pv.PureDP(1), ledger=ledger, why="trying")
    made = [
        answer,
        pv.release(question, pv.PureDP(1), ledger=ledger, why="the stored one"),
        pv.release(
            pv.spine(table, ["zip"], ["sick"]), pv.ApproxDP(1, 1e-6), ledger=ledger, why="a hierarchy"
        ),
        pv.anonymize(table, pv.KAnonymity(2), ledger=ledger),
        pv.train(table, pv.ApproxDP(1, 1e-6), target="sick", records=100, columns=["zip"], ledger=ledger),
        pv.ReleasedAnswer.load(answer.save(tmp_path / "answer.json")),
    ]
    for one in made:
        assert one.notes.count(FORGETS) == 1, type(one).__name__
        assert FORGETS in str(one), type(one).__name__
        assert FORGETS in one.to_json()["notes"], type(one).__name__
