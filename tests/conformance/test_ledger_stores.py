"""Every ledger store keeps the same promises: the one suite that SQLite and PostgreSQL both pass."""

import contextlib
import datetime
import hashlib
import itertools
import json
import multiprocessing
import os
import random
import signal
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from tests.ledger.wire import wire
from tests.postgres_server import postgres_server

from privet.errors import (
    AlreadyReleased,
    BadBooking,
    BudgetExceeded,
    BudgetExpired,
    LedgerBusy,
    LedgerMismatch,
    LedgerReplaced,
    LedgerTampered,
    LedgerUnavailable,
    NoSuchBudget,
    PrivetError,
)
from privet.guarantee._events import DiscreteLaplace, Opaque
from privet.guarantee._privacy_units import Change, Person, Row
from privet.guarantee._promise_registry import ApproxDP, KAnonymity, PureDP
from privet.ledger import (
    Ledger,
    clock,
)
from privet.ledger import (
    _entry_text as words,
)
from privet.ledger import (
    _postgres_store as postgres,
)
from privet.ledger import (
    _sqlite_store as sqlite,
)
from privet.ledger._hash_chain import GENESIS, canonical, link

TENTH = DiscreteLaplace(10)  # costs 0.1
FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Place:
    """One empty place for a ledger, and a way round the ledger to its tables."""

    where: str
    prefix: str

    def open(self, limit=PureDP(1), unit=Row(), **terms):  # noqa: B008  frozen values
        return Ledger(self.where, limit=limit, unit=unit, **terms)

    def again(self, **terms):
        return Ledger(self.where, **terms)

    def tamper(self, statement, *values, triggers_off=True):
        """Run one statement as somebody with full access to the database would."""
        sql = statement.format(self.prefix)
        if not self.prefix:
            with contextlib.closing(sqlite3.connect(self.where)) as raw, raw:
                if triggers_off:
                    raw.execute("DROP TRIGGER IF EXISTS entries_stay")
                    raw.execute("DROP TRIGGER IF EXISTS entries_last")
                return raw.execute(sql, values).fetchall()
        import psycopg

        with psycopg.connect(self.where.partition("#")[0], autocommit=True) as raw:
            if triggers_off:
                raw.execute(f"ALTER TABLE {self.prefix}entries DISABLE TRIGGER USER")
            cursor = raw.execute(sql.replace("?", "%s"), values or None)
            return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def server():
    with postgres_server() as running:
        yield running.get_uri()


_names = iter(range(10**6))


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    if request.param == "sqlite":
        return Place(str(tmp_path / "book.ledger"), "")
    name = f"t{next(_names)}"
    return Place(f"{request.getfixturevalue('server')}#{name}", f"privet_ledger_{name}.")


def start(task, *arguments):
    """A child that exits with what its task returns; forked, so that many start quickly."""

    def run():
        try:
            code = task(*arguments)
        except BaseException:  # noqa: BLE001
            os._exit(99)
        os._exit(code or 0)

    child = FORK.Process(target=run)
    child.start()
    return child


def codes(children):
    for child in children:
        child.join(400)
    return sorted(child.exitcode for child in children)


# --- many processes -----------------------------------------------------------------------------


def _spend_behind(barrier, place, note):
    with place.again() as ledger:
        barrier.wait(300)
        try:
            ledger.charge(TENTH, why="race", **note)
        except BudgetExceeded:
            return 8
    return 0


def test_fifty_processes_share_one_budget(place):
    place.open(PureDP(1)).close()
    barrier = FORK.Barrier(50)
    assert codes([start(_spend_behind, barrier, place, {}) for _ in range(50)]) == [0] * 10 + [8] * 40
    with place.again() as ledger:
        assert ledger.balance().spent == {"epsilon": 1}
        assert ledger.verify().spends == 10


def test_sub_caps_are_charged_all_or_none_under_contention(place):
    with place.open(PureDP(1)) as ledger:
        ledger.open_budget(PureDP("0.3"), purpose="research")
        ledger.open_budget(PureDP("0.8"), analyst="ann")
        ledger.open_budget(PureDP("0.8"), analyst="bob")
    barrier = FORK.Barrier(20)
    notes = [{"analyst": "ann"}, {"analyst": "bob"}, {"analyst": "ann", "purpose": "research"}, {}]
    children = [start(_spend_behind, barrier, place, notes[i % 4]) for i in range(20)]
    assert codes(children) == [0] * 10 + [8] * 10
    with place.again() as ledger:
        spent = {balance.scope: balance.spent["epsilon"] for balance in ledger.balances()}
        by_scope = dict.fromkeys(spent, Fraction(0))
        for entry in ledger.history():
            if entry.kind == "spend":
                by_scope["data set"] += Fraction(entry.cost["epsilon"])
                for kind in ("purpose", "analyst"):
                    if entry.body[kind]:
                        by_scope[f"{kind} {entry.body[kind]}"] += Fraction(entry.cost["epsilon"])
        assert spent == by_scope
        assert spent["data set"] == 1
        assert spent["purpose research"] <= Fraction("0.3")
        ledger.verify()


def test_a_refused_sub_cap_books_nothing_anywhere(place):
    with place.open(PureDP(1)) as ledger:
        ledger.open_budget(PureDP("0.1"), purpose="research")
        ledger.open_budget(PureDP("0.9"), analyst="ann")
        ledger.charge(TENTH, why="first", purpose="research", analyst="ann")
        before = list(ledger.history())
        with pytest.raises(
            BudgetExceeded, match=r"spent 0\.1 of 0\.1, this needs 0\.1, 0\.1 short .*purpose research"
        ):
            ledger.charge(TENTH, why="second", purpose="research", analyst="ann")
        assert list(ledger.history()) == before
        assert ledger.balance(analyst="ann").spent == {"epsilon": Fraction("0.1")}
        with pytest.raises(NoSuchBudget):
            ledger.charge(TENTH, why="third", purpose="marketing")


def test_processes_that_open_at_once_open_one_ledger(place):
    barrier = FORK.Barrier(8)

    def create():
        barrier.wait(300)
        with place.open(PureDP(1)) as ledger:
            ledger.charge(TENTH, why="opening")
        return 0

    assert codes([start(create) for _ in range(8)]) == [0] * 8
    with place.again() as ledger:
        assert [entry.kind for entry in ledger.history()] == ["open"] + ["spend"] * 8
        ledger.verify()


def test_threads_share_one_ledger(place):
    with place.open(PureDP(1)) as ledger:

        def attempt(_):
            try:
                ledger.charge(TENTH, why="thread")
            except BudgetExceeded:
                return 0
            return 1

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(attempt, range(30))) == 10
        assert ledger.verify().spends == 10


def test_a_forked_child_reopens_and_the_parent_goes_on(place):
    with place.open(PureDP(1)) as ledger:
        ledger.charge(TENTH, why="parent")

        def child():
            ledger.charge(TENTH, why="child")
            ledger.close()
            return 0

        assert codes([start(child), start(child)]) == [0, 0]
        ledger.charge(TENTH, why="parent again")
        assert ledger.verify().spends == 4


def test_a_child_forked_while_a_thread_writes_is_not_stuck(place):
    with place.open(PureDP(1)) as ledger:
        ledger.charge(TENTH, why="parent")

        def child():
            return 0 if ledger.balance().spends == 1 else 1

        with ledger._book.store._turns.taken():  # as if another thread were in the middle of a turn
            forked = start(child)
            forked.join(120)
        stuck = forked.is_alive()
        forked.kill()
        assert not stuck
        assert forked.exitcode == 0


# --- crashes ------------------------------------------------------------------------------------


def _release_for_ever(place, out):
    """Charge, then 'release': a line that must never exist without its entry."""
    with place.open(PureDP(1000)) as ledger:
        line = os.open(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        while True:
            receipt = ledger.charge(DiscreteLaplace(1000), why="crash test").receipt
            os.write(line, (json.dumps([receipt.entry, receipt.head]) + "\n").encode())


def _rounds(many, out):
    """So many rounds, and where the machine is too slow for anything to be seen, a few in which everybody lives longer."""
    yield from [1] * many
    pace = 1
    while pace < 64 and not (out.exists() and "\n" in out.read_text()):
        pace *= 4
        yield pace


def test_kill_at_any_moment_costs_budget_and_never_privacy(place, tmp_path):
    rng, out = random.Random(7), tmp_path / "releases"
    for pace in _rounds(8, out):
        children = [start(_release_for_ever, place, out) for _ in range(4)]
        for child in children:
            time.sleep(pace * rng.uniform(0.005, 0.12))
            os.kill(child.pid, signal.SIGKILL)
        assert set(codes(children)) == {-signal.SIGKILL}
        with place.open(PureDP(1000)) as ledger:
            # A server may still be committing what a killed client had sent: the two readings agree once it has.
            for _ in range(100):
                spends, spent = ledger.verify().spends, ledger.balance().spent["epsilon"]
                if spent == spends * Fraction(1, 1000):
                    break
                time.sleep(0.1)
            assert spent == spends * Fraction(1, 1000)
            booked = {entry.number: entry.hash for entry in ledger.history() if entry.kind == "spend"}
        released = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
        assert all(booked.get(entry) == head for entry, head in released)
        assert len({entry for entry, _ in released}) == len(released)
    assert released, "no child ever got as far as a release: the test showed nothing"


def test_kill_while_opening_leaves_a_place_that_opens(tmp_path):
    """SQLite only: a server makes the tables of PostgreSQL in one transaction."""
    rng = random.Random(11)
    for attempt in range(25):
        place = Place(str(tmp_path / f"{attempt}.ledger"), "")
        child = start(_release_for_ever, place, tmp_path / "releases")
        time.sleep(rng.uniform(0, 0.03))
        os.kill(child.pid, signal.SIGKILL)
        child.join()
        with place.open(PureDP(1000)) as ledger:
            ledger.verify()
            ledger.charge(TENTH, why="goes on")


def test_the_entry_is_there_before_the_permit(place, monkeypatch):
    seen = []

    def issue(event, receipt, question=None):
        with place.again() as other:
            seen.append(receipt.entry in [entry.number for entry in other.history() if entry.kind == "spend"])
        return "permit"

    with place.open() as ledger:
        monkeypatch.setattr("privet.ledger._ledger.issue", issue)
        assert ledger.charge(TENTH, why="order") == "permit"
    assert seen == [True]


def test_no_permit_without_a_commit(place, monkeypatch):
    with place.open() as ledger:
        inner = ledger._book.store.writing

        @contextlib.contextmanager
        def failing(*wanted):
            with inner(*wanted) as transaction:
                yield transaction
                raise LedgerUnavailable("the disk is full.")

        monkeypatch.setattr(ledger._book.store, "writing", failing)
        with pytest.raises(LedgerUnavailable):
            ledger.charge(TENTH, why="lost")
        monkeypatch.undo()
        assert ledger.balance().spends == 0
        ledger.charge(TENTH, why="works again")
        ledger.verify()


def test_nothing_is_refunded(place):
    with place.open() as ledger:
        permit = ledger.charge(TENTH, why="fails later")
        with pytest.raises(ZeroDivisionError):
            permit.use() and 1 / 0
        unused = ledger.charge(TENTH, why="never used")
        del unused
        assert ledger.balance().spent == {"epsilon": Fraction("0.2")}
    assert not [name for name in dir(Ledger) if "refund" in name or "cancel" in name or "undo" in name]


# --- exactly once -------------------------------------------------------------------------------


def _ask(ledger, question="how many?", event=TENTH, pause=0.0):
    """What `privet.protect._exactly_once` does, with a draw that is different every time."""
    stored = ledger.recall(question)
    if stored is None:
        try:
            permit = ledger.charge(event, why="asked", question=question, once=True)
        except AlreadyReleased:
            return ledger.recall(question)[1]
        assert permit.use() == event
        drawn = os.urandom(8)
        time.sleep(pause)
        stored = ledger.remember(permit.receipt, question, drawn)
    return stored[1]


def _ask_behind(barrier, place, out, question):
    with place.again() as ledger:
        barrier.wait(300)
        answer = _ask(ledger, question)
    handle = os.open(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{question}\t{answer.hex()}\n".encode())
    return 0


@pytest.mark.parametrize("turn", range(3))
def test_ten_processes_with_one_question_share_one_booking_and_one_answer(place, tmp_path, turn):
    place.open(PureDP(1)).close()
    barrier, out = FORK.Barrier(10), tmp_path / "seen"
    assert codes([start(_ask_behind, barrier, place, out, "q") for _ in range(10)]) == [0] * 10
    with place.again() as ledger:
        assert ledger.verify().spends == 1
        assert ledger.balance().spent == {"epsilon": Fraction("0.1")}
        seen = [line.split("\t")[1] for line in out.read_text().splitlines()]
        assert len(seen) == 10
        assert {ledger.recall("q")[1].hex()} == set(seen)


def test_ten_processes_with_ten_questions_have_ten_bookings_and_lose_none(place, tmp_path):
    place.open(PureDP(1)).close()
    barrier, out = FORK.Barrier(10), tmp_path / "seen"
    assert codes([start(_ask_behind, barrier, place, out, f"q{i}") for i in range(10)]) == [0] * 10
    with place.again() as ledger:
        assert ledger.verify().spends == 10
        for line in out.read_text().splitlines():
            question, answer = line.split("\t")
            assert ledger.recall(question)[1].hex() == answer


@pytest.mark.parametrize("turn", range(3))
def test_ten_threads_with_one_question_share_one_booking_and_one_answer(place, turn):
    with place.open(PureDP(1)) as ledger, ThreadPoolExecutor(10) as pool:
        assert len(set(pool.map(lambda _: _ask(ledger, pause=0.01), range(10)))) == 1
        assert ledger.verify().spends == 1


def test_ten_threads_with_ten_questions_have_ten_bookings(place):
    with place.open(PureDP(1)) as ledger, ThreadPoolExecutor(10) as pool:
        assert len(set(pool.map(lambda i: _ask(ledger, f"q{i}"), range(10)))) == 10
        assert ledger.verify().spends == 10


def _ask_for_ever(place, out):
    with place.open(PureDP(1000)) as ledger:
        handle = os.open(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        for number in itertools.count():
            question = f"q{number}"
            answer = _ask(ledger, question, DiscreteLaplace(1000))
            os.write(handle, f"{question}\t{answer.hex()}\n".encode())


def test_killed_at_any_moment_each_question_has_one_booking_and_one_answer(place, tmp_path):
    """Several ask the same questions in the same order, and are killed again and again."""
    rng, out = random.Random(5), tmp_path / "seen"
    for pace in _rounds(4, out):
        children = [start(_ask_for_ever, place, out) for _ in range(3)]
        time.sleep(pace * 0.1)
        for child in children:
            time.sleep(pace * rng.uniform(0.005, 0.1))
            os.kill(child.pid, signal.SIGKILL)
        assert set(codes(children)) == {-signal.SIGKILL}
    with place.open(PureDP(1000)) as ledger:
        found = ledger.verify()
        assert ledger.balance().spent["epsilon"] == found.spends * Fraction(1, 1000)
        asked = [entry.body["question"] for entry in ledger.history() if entry.kind == "spend"]
        assert len(set(asked)) == len(asked)
        lines = out.read_text().split("\n")[:-1] if out.exists() else []
        seen = {tuple(line.split("\t")) for line in lines}
        assert len({question for question, _ in seen}) == len(seen), "two answers to one question were seen"
        assert all(ledger.recall(question)[1].hex() == answer for question, answer in seen)
    assert seen, "no child ever got as far as an answer: the test showed nothing"


def test_an_answer_lost_after_its_booking_is_drawn_again_at_no_cost_and_the_owner_is_told(place):
    with place.open() as ledger:
        lost = ledger.charge(TENTH, why="killed", question="q", once=True).receipt
        assert (ledger.settled("q"), ledger.recall("q"), ledger.incidents()) == (True, None, [])
    with place.again() as ledger:
        permit = ledger.charge(TENTH, why="asked again", question="q", once=True)
        assert permit.receipt == lost
        assert permit.use() == TENTH
        assert ledger.balance().spends == 1
        assert [(one.entry, one.code) for one in ledger.incidents()] == [(lost.entry, "drawn-again")]
        assert ledger.remember(permit.receipt, "q", b"seen") == (lost, b"seen")
        assert ledger.remember(lost, "q", b"late") == (lost, b"seen")
        with pytest.raises(AlreadyReleased):
            ledger.charge(TENTH, why="third", question="q", once=True)
        assert ledger.verify().spends == 1


def test_what_was_not_booked_once_is_never_drawn_under_again(place):
    """Its answer may have left without having been stored."""
    with place.open() as ledger:
        first = ledger.charge(TENTH, why="plain", question="q").receipt
        assert not ledger.settled("q")
        assert ledger.charge(TENTH, why="once", question="q", once=True).receipt.entry != first.entry
        assert ledger.balance().spends == 2
        assert ledger.paid("q") == first


@pytest.mark.parametrize(
    "other",
    [
        {"event": DiscreteLaplace(20)},
        {"promise": PureDP("0.2")},
        {"data": "sha256:other"},
        {"unit": Row(change=Change.REPLACE)},
    ],
    ids=str,
)
def test_one_question_with_another_event_is_refused(place, other):
    asked = {"event": TENTH, "promise": PureDP("0.1"), "data": "sha256:one", "why": "x", "question": "q"}
    with place.open() as ledger:
        ledger.charge(**asked, once=True)
        with pytest.raises(LedgerMismatch):
            ledger.charge(**{**asked, **other}, once=True)
        assert ledger.balance().spends == 1


def test_nothing_is_drawn_after_the_end_of_a_budget(place, monkeypatch):
    end = datetime.date(2099, 12, 31)
    with place.open(expires=end) as ledger:
        ledger.open_budget(PureDP("0.5"), purpose="research", expires=datetime.date(2098, 12, 31))
        ledger.charge(TENTH, why="x", question="q", once=True)
        ledger.charge(TENTH, why="x", question="kept", once=True)
        ledger.remember(ledger.paid("kept"), "kept", b"seen")
        moment = datetime.datetime(2099, 1, 1, tzinfo=datetime.UTC)
        monkeypatch.setattr(clock, "now", lambda: moment)
        with pytest.raises(BudgetExpired):
            ledger.charge(TENTH, why="x", question="q", once=True, purpose="research")
        ledger.charge(TENTH, why="x", question="q", once=True)
        moment = datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC)
        with pytest.raises(BudgetExpired):
            ledger.charge(TENTH, why="x", question="q", once=True)
        assert ledger.recall("kept")[1] == b"seen"  # what is stored was seen already


@pytest.mark.parametrize("forged", ["release removed", "release altered"])
def test_a_forged_store_gives_no_second_draw(place, forged):
    with place.open() as ledger:
        receipt = ledger.charge(TENTH, why="x", question="q", once=True).receipt
        ledger.remember(receipt, "q", b"seen")
        TAMPERINGS[forged](place)
        with pytest.raises(LedgerTampered):
            ledger.recall("q")
        with pytest.raises(AlreadyReleased):
            ledger.charge(TENTH, why="x", question="q", once=True)
        with pytest.raises(LedgerTampered):
            ledger.remember(receipt, "q", b"second")
        with pytest.raises(LedgerTampered):
            ledger.verify()


def test_a_release_paid_for_by_another_question_is_not_believed(place):
    with place.open() as ledger:
        one = ledger.charge(TENTH, why="x", question="one", once=True).receipt
        ledger.remember(one, "one", b"seen")
        two = ledger.charge(TENTH, why="x", question="two", once=True).receipt
        with pytest.raises(LedgerMismatch):
            ledger.remember(one, "two", b"cheap")
        with pytest.raises(LedgerMismatch):
            ledger.remember(replace(two, head=one.head), "two", b"cheap")
    # Somebody who can write the tables enters a release of "two" that "one" paid for, with a proper hash.
    key = words.digest("two")
    ((number, digest),) = place.tamper("SELECT count, hash FROM {}head")
    ((text,),) = place.tamper("SELECT body FROM {}entries WHERE number = ?", number)
    forged = {name: json.loads(text)[name] for name in ("schema", "at", "balance")}
    forged |= {"number": number + 1, "kind": "release", "after": {}, "paid_by": one.entry, "question": key}
    body = canonical({**forged, "release": hashlib.sha256(b"forged").hexdigest()})
    place.tamper("INSERT INTO {}entries VALUES (?, ?, ?)", number + 1, body, link(digest, body))
    place.tamper("UPDATE {}head SET count = ?, hash = ?", number + 1, link(digest, body))
    place.tamper("INSERT INTO {}releases VALUES (?, ?, ?)", key, number + 1, b"forged")
    with place.again() as ledger:
        with pytest.raises(LedgerTampered):
            ledger.recall("two")
        with pytest.raises(LedgerTampered):
            ledger.verify()


def test_questions_are_found_by_an_index(place):
    with place.open(PureDP(100)) as ledger:
        for number in range(50):
            ledger.charge(TENTH, why='"question":"x"', question=f"q{number}")
        assert ledger.paid("q17").why == '"question":"x"'
        assert ledger.paid("never") is None
        with ledger._book.store._turn() as connection:
            if place.prefix:
                connection.execute("SET enable_seqscan = off")
                asked = "EXPLAIN " + postgres._BY_QUESTION.replace("{0}", place.prefix.rstrip("."))
                plan = str(connection.execute(asked, (words.digest("q17"),)).fetchall())
            else:
                asked = "EXPLAIN QUERY PLAN " + sqlite._BY_QUESTION
                plan = str(connection.execute(asked, (words.digest("q17"),)).fetchall())
    assert "entries_by_question" in plan


def test_a_ledger_from_before_the_index_gets_it_with_its_next_booking(place):
    receipts = _filled(place)
    place.tamper("DROP INDEX {}entries_by_question")
    with place.again() as ledger:
        assert ledger.paid("q3") == receipts[3]
        ledger.charge(TENTH, why="x", question="q9", once=True)
        assert ledger.settled("q9")
        assert ledger.verify(receipts).spends == 7
    table = "pg_indexes WHERE indexname" if place.prefix else "sqlite_master WHERE name"
    (found,) = place.tamper(f"SELECT count(*) FROM {table} = 'entries_by_question'")
    assert found[0] >= 1


# --- tampering ----------------------------------------------------------------------------------


def _filled(place, spends=6):
    """A book with a release in it; its receipts, oldest first."""
    with place.open(ApproxDP(2, "1e-6")) as ledger:
        ledger.open_budget(PureDP(1), purpose="research")
        receipts = [
            ledger.charge(Opaque("0.1", "1e-9"), why=f"spend {i}", question=f"q{i}").receipt
            for i in range(spends)
        ]
        ledger.remember(receipts[0], "q0", b"forty-two")
        receipts.append(ledger.record(KAnonymity(5), why="table"))
        ledger.verify(receipts)
    return receipts


def _edit_cost(place):
    ((body,),) = place.tamper("SELECT body FROM {}entries WHERE number = 4")
    place.tamper("UPDATE {}entries SET body = ? WHERE number = 4", body.replace('"0.1"', '"0.0"'))


def _swap(place):
    rows = dict(place.tamper("SELECT number, body FROM {}entries WHERE number IN (4, 5)"))
    for number, other in ((4, 5), (5, 4)):
        place.tamper("UPDATE {}entries SET body = ? WHERE number = ?", rows[other], number)


def _insert(place):
    for number in range(10, 4, -1):
        place.tamper("UPDATE {}entries SET number = ? WHERE number = ?", number + 1, number)
    ((body, digest),) = place.tamper("SELECT body, hash FROM {}entries WHERE number = 4")
    place.tamper("INSERT INTO {}entries VALUES (5, ?, ?)", body, digest)
    place.tamper("UPDATE {}head SET count = 11")


def _edit_and_rehash_one(place):
    ((before,),) = place.tamper("SELECT hash FROM {}entries WHERE number = 3")
    ((text,),) = place.tamper("SELECT body FROM {}entries WHERE number = 4")
    body = canonical({**json.loads(text), "why": "something else"})
    place.tamper("UPDATE {}entries SET body = ?, hash = ? WHERE number = 4", body, link(before, body))


def _cheapen_state(place):
    ((content,),) = place.tamper("SELECT content FROM {}states WHERE scope = 'data set'")
    place.tamper(
        "UPDATE {}states SET content = ? WHERE scope = 'data set'", content.replace('"0.6"', '"0.1"')
    )


def _put_state_back(place):
    """The row as it was after an earlier spend: the entry that wrote it is still there."""
    ((body,),) = place.tamper("SELECT body FROM {}entries WHERE number = 4")
    earlier = canonical({"entry": 4, "state": json.loads(body)["after"]["data set"]})
    place.tamper("UPDATE {}states SET content = ? WHERE scope = 'data set'", earlier)


TAMPERINGS = {
    "edited": _edit_cost,
    "edited and hashed anew": _edit_and_rehash_one,
    "hash edited": lambda p: p.tamper("UPDATE {}entries SET hash = ? WHERE number = 4", "f" * 64),
    "deleted in the middle": lambda p: p.tamper("DELETE FROM {}entries WHERE number = 4"),
    "deleted at the start": lambda p: p.tamper("DELETE FROM {}entries WHERE number = 1"),
    "reordered": _swap,
    "inserted": _insert,
    "cut off": lambda p: p.tamper("DELETE FROM {}entries WHERE number > 7"),
    "emptied": lambda p: p.tamper("DELETE FROM {}entries"),
    "head set back": lambda p: p.tamper("UPDATE {}head SET count = 5"),
    "head hash": lambda p: p.tamper("UPDATE {}head SET hash = ?", GENESIS),
    "head gone": lambda p: p.tamper("DELETE FROM {}head"),
    "state doctored": _cheapen_state,
    "state put back": _put_state_back,
    "balance removed": lambda p: p.tamper("DELETE FROM {}states WHERE scope = 'data set'"),
    "table dropped": lambda p: p.tamper("DROP TABLE {}states"),
    "state removed": lambda p: p.tamper("DELETE FROM {}states WHERE scope = 'purpose research'"),
    "state added": lambda p: p.tamper("INSERT INTO {}states VALUES ('purpose x', '{{}}')"),
    "release altered": lambda p: p.tamper("UPDATE {}releases SET release = ?", b"forty-three"),
    "release removed": lambda p: p.tamper("DELETE FROM {}releases"),
    "release added": lambda p: p.tamper("INSERT INTO {}releases VALUES ('q', 3, ?)", b"x"),
}


@pytest.mark.parametrize("how", TAMPERINGS)
def test_verify_finds(place, how):
    _filled(place)
    with place.again() as ledger:
        TAMPERINGS[how](place)
        with pytest.raises(LedgerTampered):
            ledger.verify()


@pytest.mark.parametrize(
    "how",
    [
        "cut off",
        "head set back",
        "head hash",
        "head gone",
        "state doctored",
        "state put back",
        "balance removed",
        "table dropped",
        "emptied",
    ],
)
def test_the_next_spend_is_refused_after(place, how):
    _filled(place)
    with place.again() as ledger:
        TAMPERINGS[how](place)
        with pytest.raises(LedgerTampered):
            ledger.charge(Opaque("0.1"), why="after")


def _rewrite(place, keep):
    """A forger with full access who knows the format: cuts the book back, head and states included."""
    place.tamper("DELETE FROM {}entries WHERE number > ?", keep)
    ((body, digest),) = place.tamper("SELECT body, hash FROM {}entries WHERE number = ?", keep)
    place.tamper("UPDATE {}head SET count = ?, hash = ?", keep, digest)
    place.tamper("DELETE FROM {}releases")
    for scope, state in json.loads(body)["after"].items():
        place.tamper(
            "UPDATE {}states SET content = ? WHERE scope = ?",
            canonical({"entry": keep, "state": state}),
            scope,
        )


def test_receipts_find_a_book_that_was_cut_back_with_its_head(place):
    receipts = _filled(place)
    _rewrite(place, keep=5)
    with place.again() as ledger:
        assert ledger.verify(receipts[:2]).entries == 5  # nothing inside the book gives it away …
        with pytest.raises(LedgerTampered, match="receipt"):  # … but one receipt from outside does
            ledger.verify(receipts[-2:-1])
        ledger.charge(Opaque("0.3"), why="overwrites entry 6")
        with pytest.raises(LedgerTampered, match="rewritten"):
            ledger.verify([receipts[3]])


def test_a_process_notices_a_book_that_was_cut_back_with_its_head_under_it(place):
    _filled(place)
    with place.again() as ledger:
        ledger.balance()
        _rewrite(place, keep=5)
        for verb in (
            ledger.balance,
            lambda: ledger.charge(Opaque("0.1"), why="x"),
            lambda: ledger.recall("q0"),
        ):
            with pytest.raises(LedgerReplaced):
                verb()


def test_a_process_notices_another_book_in_the_same_place(place):
    if not place.prefix:
        pytest.skip("of files, see tests/ledger/test_file_identity.py")
    (receipt, *_) = _filled(place)
    with place.again() as ledger:
        place.tamper(f"DROP SCHEMA {place.prefix.rstrip('.')} CASCADE")
        with pytest.raises(LedgerTampered):
            ledger.charge(Opaque("0.1"), why="x")
        place.open(ApproxDP(2, "1e-6")).close()
        for verb in (
            lambda: ledger.charge(Opaque("0.1"), why="x"),
            lambda: ledger.incident(receipt, "E-X", "x"),
            lambda: ledger.recall("q0"),
            ledger.balances,
            ledger.verify,
            lambda: list(ledger.history()),
        ):
            with pytest.raises(LedgerReplaced):
                verb()
    with place.again() as fresh:
        assert fresh.balance().spends == 0


def test_receipts_find_a_ledger_that_was_replaced(place, tmp_path):
    (receipt, *_) = _filled(place)
    other = Ledger(tmp_path / "other.ledger", limit=ApproxDP(2, "1e-6"), unit=Row())
    with other, pytest.raises(LedgerTampered, match="another ledger"):
        other.verify([receipt])


def test_a_doctored_receipt_is_found(place):
    (receipt, *_) = _filled(place)
    with place.again() as ledger, pytest.raises(LedgerTampered, match="says something else"):
        ledger.verify([replace(receipt, cost={"epsilon": "0.01", "delta": "0"})])


@pytest.mark.parametrize("statement", ["UPDATE {}entries SET body = 'x'", "DELETE FROM {}entries"])
def test_the_store_itself_refuses_to_change_entries(place, statement):
    _filled(place)
    with pytest.raises(Exception, match="entries are never"):
        place.tamper(statement, triggers_off=False)
    with place.again() as ledger:
        ledger.verify()


# --- the rest -----------------------------------------------------------------------------------


def test_stored_releases_cost_nothing_and_are_checked(place):
    (receipt, *_) = _filled(place)
    with place.again() as ledger:
        spent = ledger.balance().spent
        assert ledger.recall("q0") == (receipt, b"forty-two")
        assert ledger.recall("never asked") is None
        assert ledger.balance().spent == spent
        ledger.remember(receipt, "q0", b"another answer")
        assert ledger.recall("q0") == (receipt, b"forty-two")
        with pytest.raises(LedgerMismatch):
            ledger.remember(receipt, "q1", b"not what it paid for")
        TAMPERINGS["release altered"](place)
        with pytest.raises(LedgerTampered):
            ledger.recall("q0")


def test_incidents_are_kept_beside_the_book_and_are_no_part_of_it(place):
    receipts = _filled(place)
    with place.again() as ledger:
        assert ledger.incidents() == []
        before = (list(ledger.history()), ledger.export(), ledger.verify(receipts))
        ledger.incident(receipts[0], "E-ENGINE-003", "counting by ward")
        ledger.incident(receipts[2], "ZeroDivisionError", "reading the answer")
        assert (list(ledger.history()), ledger.export(), ledger.verify(receipts)) == before
    with place.again() as ledger:  # durable, oldest first
        found = [(one.entry, one.code, one.doing) for one in ledger.incidents()]
        assert found == [
            (receipts[0].entry, "E-ENGINE-003", "counting by ward"),
            (receipts[2].entry, "ZeroDivisionError", "reading the answer"),
        ]
        assert all(one.at >= receipts[-1].at for one in ledger.incidents())
        ledger.charge(Opaque("0.1"), why="goes on")


def test_a_ledger_from_before_incidents_gets_their_table(place):
    (receipt, *_) = _filled(place)
    with place.again() as ledger:
        ledger.incident(receipt, "E-ENGINE-003", "counting")
    place.tamper("DROP TABLE {}incidents")
    with place.again() as ledger:
        assert ledger.incidents() == []
        ledger.incident(receipt, "E-ENGINE-003", "counting")
        assert len(ledger.incidents()) == 1
        ledger.verify()


def test_an_incident_needs_an_entry_of_this_ledger_and_plain_words(place, tmp_path):
    (receipt, *_) = _filled(place)
    with place.again() as ledger:
        strange = [
            replace(receipt, ledger=GENESIS),
            replace(receipt, entry=99),
            replace(receipt, head=GENESIS),
        ]
        for other in strange:
            with pytest.raises(LedgerMismatch):
                ledger.incident(other, "E-ENGINE-003", "counting")
        for code, doing in (
            ("", "counting"),
            ("two words", "counting"),
            ("E", ""),
            ("E", "a\nb"),
            ("E", "x" * 201),
        ):
            with pytest.raises(BadBooking):
                ledger.incident(receipt, code, doing)
        assert ledger.incidents() == []


def test_terms_survive_and_bind(place):
    day = datetime.date(2099, 12, 31)
    with place.open(ApproxDP(3, "1e-7"), Person("id", max_rows=3), accounting="zcdp", expires=day) as first:
        identity = first.id
    with place.again() as ledger:
        assert (ledger.id, ledger.limit, ledger.accounting) == (identity, ApproxDP(3, "1e-7"), "zcdp")
        assert (ledger.unit, ledger.expires) == (Person("id"), day)
    for other in (
        {"limit": ApproxDP(4, "1e-7")},
        {"accounting": "basic"},
        {"unit": Row()},
        {"unit": Person("name")},
        {"expires": datetime.date(2098, 1, 1)},
    ):
        with pytest.raises(LedgerMismatch):
            place.again(**other)
    place.again(unit=Person("id", max_rows=50)).close()


def test_a_writer_that_waits_too_long_gives_up(place):
    place.open().close()
    holding, done = threading.Event(), threading.Event()

    def hold():
        with place.again() as ledger, ledger._book.store.writing():
            holding.set()
            done.wait(300)

    holder = threading.Thread(target=hold)
    holder.start()
    holding.wait(300)
    try:
        with place.again(patience=0.2) as ledger:
            with pytest.raises(LedgerBusy):
                ledger.charge(TENTH, why="waits")
            assert ledger.balance().spends == 0  # readers do not wait
    finally:
        done.set()
        holder.join()
    with place.again() as ledger:
        ledger.charge(TENTH, why="works again")


def test_no_ledger_no_guessing(place):
    with pytest.raises(LedgerUnavailable, match="no ledger"):
        place.again()


def test_a_newer_layout_is_refused(place):
    place.open().close()
    place.tamper("UPDATE {}layout SET version = 99" if place.prefix else "PRAGMA user_version = 99")
    with pytest.raises(LedgerUnavailable, match="newer"):
        place.again()


def test_the_book_exports_whole(place):
    receipts = _filled(place)
    with place.again() as ledger:
        book = ledger.export()
        assert json.loads(json.dumps(book)) == book
        assert [entry["number"] for entry in book["entries"]] == list(range(1, len(book["entries"]) + 1))
        assert book["head"] == book["entries"][-1]["hash"]
        assert book["balances"][0]["spent"] == {"epsilon": "0.6", "delta": "0.000000006"}
        assert book["entries"][receipts[0].entry - 1]["hash"] == receipts[0].head


def test_a_booking_speaks_to_a_server_twice(server):
    """A server may be far away: a booking is two round trips, whatever it touches; counted on the wire."""
    with wire(server) as line, Ledger(f"{line.address}#far", limit=PureDP(10), unit=Row()) as ledger:
        ledger.open_budget(PureDP(5), purpose="research")
        ledger.open_budget(PureDP(5), analyst="ann")
        ledger.charge(TENTH, why="the first may make an index")
        notes = [{}, {"purpose": "research"}, {"purpose": "research", "analyst": "ann"}]
        for number, note in enumerate([*notes, {"question": "q"}, {"question": "q1", "once": True}]):
            before = line.round_trips
            receipt = ledger.charge(TENTH, why=f"spend {number}", **note).receipt
            assert line.round_trips - before <= 2
        before = line.round_trips
        ledger.remember(receipt, "q1", b"x")
        assert ledger.recall("q1") == (receipt, b"x")
        assert line.round_trips - before <= 6
        assert ledger.verify().spends == 6


def test_errors_are_ours(place):
    """Whatever happens below, callers see one family of errors."""
    with place.open() as ledger:
        place.tamper("DROP TABLE {}releases")
        with pytest.raises(PrivetError):
            ledger.recall("q")
