"""One booking, one answer: what leaves is what is stored, whatever was drawn, by whomever, and however it ended."""

import ast
import json
import multiprocessing
import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import privet as pv
from privet.errors import LedgerBusy, ReleaseFailed
from privet.guarantee._events import DiscreteLaplace
from privet.ledger import Ledger
from privet.protect import _exactly_once as exactly_once
from privet.protect._exactly_once import Booking, released
from privet.protect.query import _release_run as running

FORK = multiprocessing.get_context("fork")
TENTH = DiscreteLaplace(10)
SPEND = {"event": TENTH, "unit": pv.Row(), "promise": pv.PureDP("0.1"), "data": "sha256:x"}
SOURCE = Path(exactly_once.__file__).parents[1]


@pytest.fixture
def place(tmp_path):
    path = tmp_path / "book.ledger"
    Ledger(path, limit=pv.PureDP(1), unit=pv.Row()).close()
    return path


def _drawing(before=lambda: None):
    """A draw that is different every time."""

    def draw(permit):
        permit.use()
        before()
        return os.urandom(8).hex().encode()

    return lambda: draw


def test_what_leaves_is_what_is_stored_and_not_what_was_drawn(place):
    """Somebody else stores an answer between this draw and its store: this one is thrown away unseen."""
    with Ledger(place) as ledger, Ledger(place) as other:
        theirs = []

        def meanwhile():
            theirs.append(released(Booking(other, "theirs"), "q", spend=SPEND, prepared=_drawing()))

        ours = released(Booking(ledger, "ours"), "q", spend=SPEND, prepared=_drawing(meanwhile))
        assert [ours] == theirs
        assert ledger.balance().spends == 1


def test_an_answer_stored_while_this_one_was_prepared_is_taken(place):
    with Ledger(place) as ledger, Ledger(place) as other:

        def prepared():
            first.append(released(Booking(other, "theirs"), "q", spend=SPEND, prepared=_drawing()))
            return lambda permit: pytest.fail("drawn although the answer is stored")

        first = []
        assert released(Booking(ledger, "ours"), "q", spend=SPEND, prepared=prepared) == first[0]
        assert ledger.balance().spends == 1


def test_a_fresh_answer_is_booked_and_drawn_anew_and_the_stored_one_stays(place):
    with Ledger(place) as ledger:
        first = released(Booking(ledger, "x"), "q", spend=SPEND, prepared=_drawing())
        fresh = [
            released(Booking(ledger, "x", again=True), "q", spend=SPEND, prepared=_drawing())
            for _ in range(2)
        ]
        assert len({first, *fresh}) == 3
        assert ledger.balance().spends == 3
        assert released(Booking(ledger, "x"), "q", spend=SPEND, prepared=_drawing()) == first


def test_a_fresh_answer_that_was_lost_is_nobody_elses(place):
    """It may have left before it was lost, so its entry is never drawn under again."""
    with Ledger(place) as ledger:
        with pytest.raises(KeyboardInterrupt):
            released(Booking(ledger, "x", again=True), "q", spend=SPEND, prepared=_drawing(_interrupted))
        assert ledger.balance().spends == 1
        released(Booking(ledger, "x"), "q", spend=SPEND, prepared=_drawing())
        assert ledger.balance().spends == 2


def _interrupted():
    raise KeyboardInterrupt


def test_an_interrupted_draw_is_repeated_at_no_cost(place):
    with Ledger(place) as ledger:
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                released(Booking(ledger, "x"), "q", spend=SPEND, prepared=_drawing(_interrupted))
        answer = released(Booking(ledger, "x"), "q", spend=SPEND, prepared=_drawing())
        assert ledger.recall("q")[1] == answer
        assert ledger.balance().spends == 1
        assert [one.code for one in ledger.incidents()] == ["drawn-again"] * 3


def test_a_draw_that_cannot_be_finished_is_an_outcome_and_not_repeated(place):
    """Else the answer that is seen would be one that was chosen by its value."""
    draws = []

    def failing():
        draws.append(1)
        raise ZeroDivisionError("secret 42")

    with Ledger(place) as ledger:
        for _ in range(2):
            with pytest.raises(ReleaseFailed) as refusal:
                released(Booking(ledger, "x"), "q", spend=SPEND, prepared=_drawing(failing))
            assert "42" not in str(refusal.value)
            assert refusal.value.__cause__ is None
        assert len(draws) == ledger.balance().spends == 1
        (told,) = ledger.incidents()
        assert (told.code, told.doing) == ("ZeroDivisionError", "finishing an answer that was drawn")


def test_without_a_store_there_is_no_answer(place, monkeypatch):
    def busy(*_):
        raise LedgerBusy("the ledger is held by another.")

    with Ledger(place) as ledger:
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "remember", busy)
            with pytest.raises(LedgerBusy):
                released(Booking(ledger, "x"), "q", spend=SPEND, prepared=_drawing())
        released(Booking(ledger, "x"), "q", spend=SPEND, prepared=_drawing())
        assert ledger.balance().spends == 1


def test_a_failure_that_noise_alone_decided_is_told_each_time(place):
    """Who pays for nothing is told why and what to do instead, not to pay for the same again."""

    def left_nothing():
        raise ReleaseFailed("the noise left nothing.", "State bounds.")

    with Ledger(place) as ledger:
        for _ in range(2):
            with pytest.raises(ReleaseFailed) as refusal:
                released(Booking(ledger, "x"), "q", spend=SPEND, prepared=_drawing(left_nothing))
            assert (refusal.value.fact, refusal.value.hint) == ("the noise left nothing.", "State bounds.")
        assert ledger.balance().spends == 1


def test_what_is_refused_while_preparing_books_nothing(place):
    def refused():
        raise ReleaseFailed("refused.")

    with Ledger(place) as ledger:
        with pytest.raises(ReleaseFailed):
            released(Booking(ledger, "x"), "q", spend=SPEND, prepared=refused)
        assert ledger.balance().spends == 0


# --- the whole way, from a question to an answer ---------------------------------------------------


def _table():
    return pv.open_table(
        pa.table({"ward": ["A", "B"] * 50, "days": list(range(100))}),
        unit=pv.Row(),
        name="stays",
        version="1",
    )


def _question(table):
    return table.group_by("ward", keys={"ward": ["A", "B"]}).agg(n=pv.count())


def _sources(folder):
    """The same rows behind every kind of door that threads can share."""
    import duckdb

    rows = pa.table({"ward": ["A", "B"] * 50, "days": [1, 2] * 50})
    (folder / "stays.csv").write_text("ward,days\n" + "A,1\nB,2\n" * 50)
    parquet.write_table(rows, folder / "stays.parquet")
    with duckdb.connect(folder / "stays.duckdb") as database:
        database.register("frame", rows)
        database.execute("CREATE TABLE stays AS SELECT * FROM frame")
    return [rows, *(folder / f"stays.{ending}" for ending in ("csv", "parquet", "duckdb"))]


def test_ten_threads_that_ask_one_table_the_same_see_one_answer_under_one_booking(tmp_path):
    for at, source in enumerate(_sources(tmp_path)):
        question = _question(pv.open_table(source, unit=pv.Row(), name="stays", version="1"))
        barrier = threading.Barrier(10)
        with Ledger(tmp_path / f"{at}.ledger", limit=pv.PureDP(1), unit=pv.Row()) as ledger:

            def ask(_, question=question, barrier=barrier, ledger=ledger):
                barrier.wait(300)
                return pv.release(question, pv.PureDP("0.1"), ledger=ledger, why="x").to_json()

            with ThreadPoolExecutor(10) as pool:
                answers = list(pool.map(ask, range(10)))
            assert all(answer == answers[0] for answer in answers)
            assert ledger.balance().spent == {"epsilon": Fraction("0.1")}
            assert ledger.verify().spends == 1


@pytest.mark.parametrize("where", ["noised_with", "answered", "remember"])
def test_killed_after_its_booking_a_question_is_answered_at_no_further_cost(tmp_path, where):
    """With SIGKILL: before the draw, after it, and just before the answer is stored."""
    path = tmp_path / "l"
    Ledger(path, limit=pv.PureDP(1), unit=pv.Row()).close()

    def dies(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)

    def child():
        setattr(Ledger if where == "remember" else running, where, dies)
        with Ledger(path) as ledger:
            pv.release(_question(_table()), pv.PureDP("0.1"), ledger=ledger, why="x")

    killed = FORK.Process(target=child)
    killed.start()
    killed.join(120)
    assert killed.exitcode == -signal.SIGKILL
    table = _table()
    with Ledger(path) as ledger:
        assert ledger.balance().spends == 1
        answer = pv.release(_question(table), pv.PureDP("0.1"), ledger=ledger, why="again")
        assert ledger.balance().spends == 1
        assert answer.receipt.why == "x"
        again = pv.release(_question(table), pv.PureDP("0.1"), ledger=ledger, why="third")
        assert again.to_json() == answer.to_json()


def test_the_first_answer_is_the_one_that_everybody_else_gets(tmp_path):
    """What is handed out is read from what was stored, so that the first asker sees no more than the next."""
    with Ledger(tmp_path / "l", limit=pv.PureDP(1), unit=pv.Row()) as ledger:
        question = _question(_table())
        first = pv.release(question, pv.PureDP("0.1"), ledger=ledger, why="x")
        stored = ledger.recall(running.question_of(_plans(question, ledger)))[1]
        assert first.to_json() == json.loads(stored)


def _plans(question, ledger):
    from privet.protect.query._batch import Wishes, plan_batch

    return plan_batch([question], pv.PureDP("0.1"), Wishes(), accounting=ledger.accounting).plans


def test_nobody_else_books_once():
    """The condition of the proof is kept in one place."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            charges = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "charge"
            if charges and any(word.arg == "once" for word in node.keywords):
                found.add(path.relative_to(SOURCE).as_posix())
    assert found == {"protect/_exactly_once.py"}


def test_nobody_keeps_a_throwaway_book_but_those_whose_results_need_none():
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if "throwaway(" in path.read_text(encoding="utf-8") and path.name != "_throwaway_ledger.py"
    }
    assert found == {
        "pipeline/_sweep.py",
        "protect/pac/_pac_trials.py",
        "protect/train/tabular/_sklearn_estimators.py",
    }
