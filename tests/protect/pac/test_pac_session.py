"""A session: one secret for all its answers, which survives crashes, is never redrawn, and is paid for once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.protect.pac.people import book, means, people

import privet as pv
from privet.errors import BudgetExceeded, SessionProblem
from privet.ledger import Ledger
from privet.mechanism import _opendp_samplers as sampling
from privet.protect.pac import _pac_session as sessions

COLUMNS = ["age", "cost"]


@pytest.fixture
def kept(tmp_path):
    ledger = Ledger(tmp_path / "people.ledger", limit=pv.ApproxDP(1, 1e-7))
    ledger.open_budget(pv.PacPrivacy(1))
    return ledger


def begun(ledger, table=None, **more) -> pv.PacSession:
    return pv.PacSession(table or people(), worlds=more.pop("worlds", 16), ledger=ledger, **more)


def test_all_answers_are_of_one_half(monkeypatch) -> None:
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))
    with begun(book()) as session:
        both = session.release(means, "1/64", COLUMNS).value
        age = session.release(lambda rows: rows.mean(), "1/64", ["age"]).value
        assert float(age) == pytest.approx(both[0], abs=1e-6)
        assert session.answered == 2


def test_opened_again_it_goes_on_with_the_same_secret(kept, monkeypatch) -> None:
    monkeypatch.setattr(sampling, "draw_discrete_gaussian", lambda n, sigma: np.zeros(n, np.int64))
    with begun(kept) as session:
        first = session.release(means, "1/64", COLUMNS).value
    with begun(kept) as session:
        assert session.answered == 1
        assert session.release(means, "1/32", COLUMNS).value == pytest.approx(first, abs=1e-5)
    assert float(kept.balance(nats=True).spent["nats"]) == pytest.approx(3 / 64)


def test_an_answer_is_given_again_for_nothing_unless_asked_anew(kept) -> None:
    with begun(kept) as session:
        first = session.release(means, "1/64", COLUMNS)
        assert session.release(means, "1/64", COLUMNS).numbers == first.numbers
        assert session.answered == 1
        anew = session.release(means, "1/64", COLUMNS, again=True)
        assert anew.numbers != first.numbers
        assert session.answered == 2
    with begun(kept) as session:
        assert session.release(means, "1/64", COLUMNS).numbers == first.numbers
    assert kept.balance(nats=True).spends == 2


@pytest.mark.parametrize("moment", ["before the draw", "after the draw", "after the store"])
def test_a_crash_neither_redraws_the_secret_nor_spends_twice(kept, monkeypatch, moment) -> None:
    class Killed(BaseException):
        pass

    def kill(*_, **__):
        raise Killed

    with begun(kept) as session:
        session.release(means, "1/64", COLUMNS)
        secret = session._state.secret
        with monkeypatch.context() as patch:
            if moment == "before the draw":
                patch.setattr(sessions, "drawn", kill)
            elif moment == "after the draw":
                patch.setattr(Ledger, "remember", kill)
            else:
                patch.setattr(sessions.SessionHistory, "enter", kill)
            with pytest.raises(Killed):
                session.release(means, "1/32", COLUMNS)
    with begun(kept) as again:
        assert again._state.secret._index == secret._index
        assert again._state.secret.seed == secret.seed
        assert again.answered == (2 if moment == "after the store" else 1)
        told = again._state.secret.content() != secret.content()
        assert told == (moment == "after the store")
        again.release(means, "1/32", COLUMNS)
        assert again.answered == 2
        assert again._state.secret.content() != secret.content()
    assert float(kept.balance(nats=True).spent["nats"]) == pytest.approx(3 / 64)


def test_what_it_tells_is_tracked(kept) -> None:
    with begun(kept) as session:
        level = session._state.secret.weights()
        session.release(means, "1/2", COLUMNS)
        assert session._state.secret.weights().max() > level.max()


def test_a_budget_stops_it_and_leaves_the_secret_as_it_was(kept) -> None:
    with begun(kept) as session:
        before = session._state.content()
        with pytest.raises(BudgetExceeded):
            session.release(means, 2, COLUMNS)
        assert session._state.content() == before


def test_it_is_opened_as_it_was_begun_and_by_one_at_a_time(kept, tmp_path) -> None:
    with begun(kept), pytest.raises(SessionProblem, match="in use"):
        begun(kept)
    for wrong in ({"worlds": 32}, {"table": people(version="2")}, {"table": people(unit=pv.Row())}):
        with pytest.raises(SessionProblem, match="begun with another"):
            begun(kept, **wrong)
    with begun(kept, path=tmp_path / "other.session", worlds=32) as other:
        assert other.worlds == 32
    (tmp_path / "other.session").unlink()
    begun(kept).close()


def test_functions_of_other_tables_are_refused() -> None:
    with begun(book()) as session, pytest.raises(SessionProblem, match="another table"):
        session.release(people().apply(means, COLUMNS), "1/64")


def test_it_explains_without_spending() -> None:
    ledger = book(1)
    with begun(ledger) as session:
        assert "nats 1 → 0.984375" in str(session.explain(means, "1/64", COLUMNS))
    assert ledger.balance(nats=True).spends == 0
    assert repr(session) == "<PAC session of 16 worlds, 0 answered>"


def test_a_function_that_asks_its_own_session_is_refused(kept) -> None:
    """What it asked would be calibrated to what was known before, while the outer answer is under way."""
    session, refused = begun(kept), []

    def asks(rows):
        try:
            session.release(means, "1/32", COLUMNS)
        except SessionProblem as problem:
            refused.append(problem.fact)
            raise
        return rows.mean()

    with session:
        session.release(pv.BlackBox(asks, "asks", shape=()), "1/64", ["age"], processes=1)
        assert session.answered == 1
    assert set(refused) == {"this session is in the middle of a release."}
    assert kept.balance(nats=True).spends == 1


def test_threads_take_turns_and_every_answer_is_tracked(kept, monkeypatch) -> None:
    """Two at once would both be calibrated to what was known before either, and one of them be forgotten."""
    inside, most, drawn = [], [], sessions.drawn

    def counted(*given):
        inside.append(1)
        most.append(len(inside))
        time.sleep(0.05)  # the others have the time to come in, if they may
        try:
            return drawn(*given)
        finally:
            inside.pop()

    monkeypatch.setattr(sessions, "drawn", counted)
    with begun(kept) as session:
        promises = [f"1/{64 + at}" for at in range(4)]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda nats: session.release(means, nats, COLUMNS).numbers, promises))
        assert session.answered == 4
        assert max(most) == 1
        assert len(set(answers)) == 4
    with begun(kept) as session:
        assert session.answered == 4  # the file is as the last release left it


def test_a_closed_session_answers_nothing(kept) -> None:
    session = begun(kept)
    session.close()
    with pytest.raises(SessionProblem, match="closed"):
        session.release(means, "1/64", COLUMNS)
    assert kept.balance(nats=True).spends == 0


def test_one_that_is_closed_in_the_middle_holds_its_file_to_the_end(kept) -> None:
    session, others = begun(kept), []

    def closes(rows):
        if session._answering:  # not in the rehearsal, where nothing is read
            session.close()
        try:
            begun(kept).close()
            others.append("came in")
        except SessionProblem:
            others.append("refused")
        return rows.mean()

    session.release(closes, "1/64", ["age"], processes=1)
    assert set(others) == {"refused"}
    with begun(kept) as after:
        assert after.answered == 1
