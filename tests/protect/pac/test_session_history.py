"""A session's file that is not the newest draws nothing, whoever put it there; and of two copies one alone answers."""

from __future__ import annotations

import json
import shutil

import pytest
from tests.protect.pac.people import means, people

import privet as pv
from privet.errors import SessionProblem
from privet.ledger import SESSION, Ledger

COLUMNS = ["age", "cost"]


@pytest.fixture
def kept(tmp_path):
    ledger = Ledger(tmp_path / "people.ledger", limit=pv.PacPrivacy(4))
    yield ledger
    ledger.close()


def begun(ledger, path) -> pv.PacSession:
    return pv.PacSession(people(), worlds=16, ledger=ledger, path=path)


def test_each_release_is_entered_and_a_repetition_is_not(kept, tmp_path) -> None:
    with begun(kept, tmp_path / "s") as session:
        session.release(means, "1/64", COLUMNS)
        session.release(means, "1/64", COLUMNS)
        session.release(means, "1/32", COLUMNS)
    entered = kept.anchors(SESSION)
    assert [one.said["release"] for one in entered] == ["1", "2"]
    assert kept.balance().spends == 2
    kept.verify()


@pytest.mark.parametrize("answered", [0, 1])
def test_a_file_that_was_put_back_is_refused_and_costs_nothing(kept, tmp_path, answered) -> None:
    path, copy = tmp_path / "s", tmp_path / "copy"
    with begun(kept, path) as session:
        for _ in range(answered):
            session.release(means, "1/64", COLUMNS)
        shutil.copy(path, copy)
        session.release(means, "1/32", COLUMNS)
    newest = path.read_bytes()
    shutil.copy(copy, path)
    spent = kept.balance().spends
    with pytest.raises(SessionProblem, match="put back"):
        begun(kept, path)
    assert kept.balance().spends == spent
    path.write_bytes(newest)
    with begun(kept, path) as session:
        assert session.answered == answered + 1


def test_of_two_copies_one_alone_answers(kept, tmp_path) -> None:
    first, second = tmp_path / "s", tmp_path / "copy"
    begun(kept, first).close()
    shutil.copy(first, second)
    with begun(kept, first) as one, begun(kept, second) as other:
        one.release(means, "1/64", COLUMNS)
        with pytest.raises(SessionProblem, match="copied"):
            other.release(means, "1/32", COLUMNS)
        assert kept.balance().spends == 1
        assert one.release(means, "1/16", COLUMNS).numbers


def test_one_that_lost_the_race_shows_nothing_then_or_later(kept, tmp_path, monkeypatch) -> None:
    first, second = tmp_path / "s", tmp_path / "copy"
    begun(kept, first).close()
    shutil.copy(first, second)
    with begun(kept, first) as one, begun(kept, second) as other:
        remember = Ledger.remember

        def overtaken(ledger, *given, **more):
            """The other copy answers between this one's draw and its store."""
            monkeypatch.setattr(Ledger, "remember", remember)
            one.release(means, "1/64", COLUMNS)
            return remember(ledger, *given, **more)

        monkeypatch.setattr(Ledger, "remember", overtaken)
        for _ in range(2):
            with pytest.raises(SessionProblem):
                other.release(means, "1/32", COLUMNS)


@pytest.mark.parametrize("forged", ["index", "log_weights", "seed"])
@pytest.mark.parametrize("answered", [0, 1])
def test_an_altered_secret_is_refused(kept, tmp_path, forged, answered) -> None:
    path = tmp_path / "s"
    with begun(kept, path) as session:
        for _ in range(answered):
            session.release(means, "1/4", COLUMNS)
    record = json.loads(path.read_bytes())
    secret = record["secret"]
    if forged == "index":
        secret["index"] = (secret["index"] + 1) % 16
    elif forged == "seed":
        secret["seed"] = "0" * 32
    else:
        secret["log_weights"] = [float(-at).hex() for at in range(16)]
    path.write_text(json.dumps(record))
    if answered or forged == "log_weights":
        with pytest.raises(SessionProblem, match="altered"):
            begun(kept, path)
    else:
        # Before the first release nothing depends on it: whoever can write the file knows the secret anyway.
        begun(kept, path).close()


def renamed(path, to) -> None:
    """A copy of a session that is called otherwise and has told nothing yet."""
    record = json.loads(path.read_bytes())
    record["terms"]["name"], record["answered"], record["pending"] = "00" * 16, 0, None
    record["secret"]["log_weights"] = [(0.0).hex()] * 16
    to.write_text(json.dumps(record))
    to.chmod(0o600)


def test_a_secret_under_another_name_is_refused(kept, tmp_path) -> None:
    """Its posterior would begin level, as if nobody had been told anything."""
    path, other = tmp_path / "s", tmp_path / "other"
    with begun(kept, path) as session:
        session.release(means, "1/4", COLUMNS)
    renamed(path, other)
    with pytest.raises(SessionProblem, match="copied"):
        begun(kept, other)
    with begun(kept, path) as session:
        session.release(means, "1/8", COLUMNS)
    assert kept.balance().spends == 2


def test_of_two_names_for_one_secret_the_first_to_answer_has_it(kept, tmp_path, monkeypatch) -> None:
    path, second = tmp_path / "s", tmp_path / "other"
    begun(kept, path).close()
    renamed(path, second)
    with begun(kept, path) as one, begun(kept, second) as other:
        remember = Ledger.remember

        def overtaken(ledger, *given, **more):
            """The other one answers between this one's draw and its store."""
            monkeypatch.setattr(Ledger, "remember", remember)
            one.release(means, "1/64", COLUMNS)
            return remember(ledger, *given, **more)

        monkeypatch.setattr(Ledger, "remember", overtaken)
        for _ in range(2):
            with pytest.raises(SessionProblem):
                other.release(means, "1/32", COLUMNS)
        assert one.release(means, "1/16", COLUMNS).numbers
    with pytest.raises(SessionProblem, match="copied"):
        begun(kept, second)
