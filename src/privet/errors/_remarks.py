"""What was done to a source so that it could be read: said once to whoever listens, and kept with the table.

A remark is no warning: nothing is wrong, and nothing is left to decide. It names no value of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_LISTENER: ContextVar[Callable[[str], None] | None] = ContextVar("privet_remarks", default=None)


def remark(text: str) -> str:
    """Say it to whoever listens, and give it back to be kept."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(text)
    return text


@contextmanager
def listening(say: Callable[[str], None]) -> Iterator[None]:
    """Call `say` with every remark that is made inside, each text once."""
    heard: set[str] = set()

    def once(text: str) -> None:
        if text not in heard:
            heard.add(text)
            say(text)

    before = _LISTENER.set(once)
    try:
        yield
    finally:
        _LISTENER.reset(before)
