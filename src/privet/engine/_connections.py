"""Connections in threads and processes: one thread speaks at a time, and only in the process that opened it.

A connection of DuckDB or PostgreSQL is one conversation: two threads in it at once get each other's answers. DuckDB
moreover asks for the interpreter's lock while it scans an Arrow table, and holds its own meanwhile; a thread that
waits for the latter inside DuckDB holds the former, and both wait for ever. So whoever touches a connection is
`alone` with it, and others wait outside the engine. A Spark session takes several threads by itself.

Nobody stays alone while a caller works on rows: who reads in batches does so `apart`, in a conversation of its own.

A forked child inherits sockets and memory, and none of the engine's threads. It is refused, and what it inherited is
never taken down there: that would crash the child, or end the parent's conversation.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from privet.engine import _ibis_comparison_cache as comparison_cache
from privet.engine._relation import SPARK
from privet.errors import AnotherProcess

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(eq=False)
class _Session:
    """What threads must agree on about one connection."""

    process: int = field(default_factory=os.getpid)
    lock: Any = field(default_factory=threading.RLock)
    # Tables in memory that an engine of our own was given, by name; None for a connection of the caller's.
    frames: dict[str, pa.Table] | None = None
    # Cursors that were given up half-way, perhaps by the garbage collector inside another statement.
    given_up: deque[Any] = field(default_factory=deque)


_sessions: weakref.WeakKeyDictionary[Any, _Session] = weakref.WeakKeyDictionary()
_finding = threading.RLock()  # the garbage collector may close a stream while it is held


@contextlib.contextmanager
def alone(backend: Any) -> Iterator[None]:
    """The calling thread has the connection of this Ibis backend for itself; it may ask for it again inside."""
    here(backend)
    if backend.name == SPARK:
        yield
        return
    session = _session(backend)
    with session.lock:
        while session.given_up:
            with contextlib.suppress(Exception):  # what a lost connection held is gone already
                session.given_up.popleft().close()
        yield


def here(backend: Any) -> None:
    """Refuses a connection that this process inherited from the one that opened it."""
    if _session(backend).process != os.getpid():
        raise AnotherProcess(
            "the table was opened in another process, of which this one is a copy.",
            "Open the table in the process that uses it.",
        )


def give_up(backend: Any, cursor: Any) -> None:
    """Let the next one who is alone close a cursor: this may be called inside a statement of the same thread."""
    _session(backend).given_up.append(cursor)


def own(backend: Any) -> None:
    """Mark an engine as ours: nobody else knows it, so what it was given can be given to it again."""
    _session(backend).frames = {}


def give_frame(backend: Any, name: str, frame: pa.Table) -> None:
    """Put a table in memory on an embedded engine, under this name."""
    session = _session(backend)
    with alone(backend):
        backend.con.register(name, frame)
        if session.frames is not None:
            session.frames[name] = frame


def is_own(backend: Any) -> bool:
    """Whether the engine is an embedded one of ours, on which `apart` works."""
    return _session(backend).frames is not None


@contextlib.contextmanager
def apart(backend: Any, names: set[str]) -> Iterator[Any]:
    """A second conversation with an embedded engine of ours, which sees the tables of these names; closed at the end.

    Unlike a result that is read bit by bit over the connection itself, it is not cut short by the next question.
    """
    session = _session(backend)
    with alone(backend):
        cursor = backend.con.cursor()
        with _finding:
            _sessions[cursor] = session
        views = backend.con.execute(
            "SELECT view_name, sql FROM duckdb_views() WHERE temporary AND NOT internal"
        ).fetchall()
    try:
        for name, definition in views:
            if name in names:
                frame = (session.frames or {}).get(name)
                cursor.execute(definition) if frame is None else cursor.register(name, frame)
        yield cursor
    finally:
        if session.process == os.getpid():
            cursor.close()


def _session(backend: Any) -> _Session:
    connection = backend._session if backend.name == SPARK else backend.con  # noqa: SLF001  it has no public name
    with _finding:
        found = _sessions.get(connection)
        if found is None:
            comparison_cache.mend()
            found = _sessions[connection] = _Session()
    return found


def _in_child() -> None:
    """A forked child never takes down what it inherited, not even when it ends."""
    global _finding  # noqa: PLW0603  another thread of the parent may have held it
    _finding = threading.RLock()
    # DuckDB opens a connection of its own when it is loaded, and takes it down with the interpreter.
    default = getattr(sys.modules.get("duckdb"), "default_connection", None)
    for connection in [*_sessions, *([default()] if default else [])]:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
