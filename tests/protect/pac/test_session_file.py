"""The file of a session: its owner's alone, replaced whole, and clear about what may have been seen."""

import json
import stat

import numpy as np
import pytest
from tests.protect.pac.people import book

from privet.errors import SessionProblem, UnknownRecord
from privet.guarantee import PacRelease, Row
from privet.mechanism import SecretWorld
from privet.protect.pac._session_file import (
    PendingDraw,
    SessionState,
    digest,
    read_state,
    sole_user,
    write_state,
)

TERMS = {"ledger": "x", "worlds": 8}


def state(pending=None) -> SessionState:
    return SessionState(TERMS, SecretWorld.fresh(8), 3, pending)


def pending(question="q", release=b"r") -> PendingDraw:
    return PendingDraw(question, digest(release), SecretWorld.fresh(8).updated(np.arange(8.0)))


def test_it_is_for_its_owner_alone_and_comes_back(tmp_path) -> None:
    path = tmp_path / "one.session"
    assert read_state(path) is None
    kept = state(pending())
    write_state(path, kept)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again = read_state(path)
    assert again is not None
    assert again.content() == kept.content()
    write_state(None, kept)  # a session in memory has no file
    assert [one.name for one in tmp_path.iterdir()] == ["one.session"]


def test_one_that_others_can_read_is_refused(tmp_path) -> None:
    path = tmp_path / "one.session"
    write_state(path, state())
    path.chmod(0o644)
    with pytest.raises(SessionProblem, match="others"):
        read_state(path)


@pytest.mark.parametrize("content", [b"{}", b"[]", b'{"schema": 1}', b"not json"])
def test_what_is_no_session_is_refused(content) -> None:
    with pytest.raises((SessionProblem, UnknownRecord)):
        SessionState.read(content, "one.session")
    with pytest.raises(UnknownRecord):
        SessionState.read(json.dumps(json.loads(state().content()) | {"schema": 9}).encode(), "one.session")


def test_what_was_stored_counts_and_what_was_not_is_forgotten() -> None:
    ledger = book()
    permit = ledger.charge(PacRelease("1/16"), why="a test", unit=Row(), question="q")
    waiting = state(pending())
    unseen = waiting.settled(ledger)
    assert (unseen.pending, unseen.answered) == (None, 3)
    assert unseen.secret.content() == waiting.secret.content()
    ledger.remember(permit.receipt, "q", b"r")
    seen = waiting.settled(ledger)
    assert (seen.pending, seen.answered) == (None, 4)
    assert waiting.pending is not None
    assert seen.secret.content() == waiting.pending.after.content()
    other = state(pending(release=b"another draw")).settled(ledger)
    assert (other.pending, other.answered) == (None, 3)


def test_one_process_at_a_time(tmp_path) -> None:
    path = tmp_path / "one.session"
    with sole_user(path), pytest.raises(SessionProblem, match="in use"), sole_user(path):
        pass
    with sole_user(path), sole_user(None):
        pass
