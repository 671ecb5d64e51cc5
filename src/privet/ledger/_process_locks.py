"""One connection for each process, and one thread at a time on it, also after a fork.

A forked child must neither use nor close what its parent holds open: both would speak on one session, and closing a file
drops the parent's locks on it. So a child begins with nothing, and keeps the parent's connection without touching it.
The lock is new as well, since some thread of the parent may have held it at that moment.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

Held = TypeVar("Held")

_LEFT_TO_THE_PARENT: list[Any] = []
_ALL: weakref.WeakSet[Turns[Any]] = weakref.WeakSet()


class Turns(Generic[Held]):
    """What one process holds open, and whose turn it is."""

    def __init__(self) -> None:
        self.held: Held | None = None
        self._lock = threading.Lock()
        _ALL.add(self)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """One thread's turn."""
        with self._lock:
            yield

    def begin_anew(self) -> None:
        """In a forked child, before any other thread runs."""
        if self.held is not None:
            _LEFT_TO_THE_PARENT.append(self.held)
        self.held, self._lock = None, threading.Lock()


def _in_the_child() -> None:
    for turns in list(_ALL):
        turns.begin_anew()


if hasattr(os, "register_at_fork"):  # not on systems that cannot fork
    os.register_at_fork(after_in_child=_in_the_child)
