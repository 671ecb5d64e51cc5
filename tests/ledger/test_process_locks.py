"""One thread's turn at a time, and nothing of the parent's in a forked child."""

import os
import signal
import threading

import pytest

from privet.ledger import _process_locks
from privet.ledger._process_locks import Turns


def test_a_turn_excludes_every_other_thread():
    turns, inside, most = Turns[str](), [], []

    def work():
        for _ in range(50):
            with turns.taken():
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert len(most) == 200


def test_a_turn_ends_when_it_fails():
    turns = Turns[str]()
    with pytest.raises(KeyError), turns.taken():
        raise KeyError
    with turns.taken():
        pass


def test_beginning_anew_keeps_what_the_parent_holds_without_touching_it(monkeypatch):
    kept: list[object] = []
    monkeypatch.setattr(_process_locks, "_LEFT_TO_THE_PARENT", kept)
    turns = Turns[str]()
    turns.begin_anew()
    assert kept == []
    turns.held = "a connection"
    with turns.taken():
        turns.begin_anew()
        assert turns.held is None
        # The lock that some thread of the parent holds is not waited for.
        with turns.taken():
            pass
    assert kept == ["a connection"]


def test_a_forked_child_begins_with_nothing():
    turns = Turns[str]()
    turns.held = "a connection"
    with turns.taken():
        child = os.fork()
        if child == 0:
            signal.alarm(10)  # a child that waits for its parent's lock would wait for ever
            clean = turns.held is None
            with turns.taken():
                os._exit(0 if clean else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert turns.held == "a connection"
