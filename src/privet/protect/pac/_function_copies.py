"""A function as it was before it saw a row: every half is given a copy of its own.

A model that goes on where it stopped, a memo or a list that grows carries something from one half to the next. Outputs are then
not those of their halves; and a function that keeps what it made of the first half gives the same on all of them, where nothing
varies and no noise is added. Copies are made in memory, of the function that the caller gave, and of nothing that was read.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from privet.protect.pac._function_identity import is_library

# Which modules are written down with their functions is one list for the whole process.
_WRITING = threading.Lock()


@dataclass(frozen=True)
class FunctionCopies:
    """A function and what copies of it are made from; None where it holds what cannot be copied, as a lock or a connection."""

    function: Callable[[Any], Any] | None
    written: bytes | None

    @classmethod
    def of(cls, function: Callable[[Any], Any]) -> FunctionCopies:
        """As the function is now. What its module keeps is copied with it where that can be; a library is taken as it is."""
        from joblib.externals.loky.backend.reduction import dumps, loads

        for by_value in (True, False):
            # Whatever its parts raise when they are written down or read again.
            with contextlib.suppress(Exception), _WRITING, _by_value(function, enabled=by_value):
                written = bytes(dumps(function))
                loads(written)
                return cls(None, written)
        return cls(function, None)

    @property
    def can_be_sent(self) -> bool:
        """Whether other processes can be handed it: one that cannot be copied runs in this one."""
        return self.written is not None

    def fresh(self) -> Callable[[Any], Any]:
        """The function as it was; itself where it cannot be copied."""
        if self.written is None:
            assert self.function is not None
            return self.function
        from joblib.externals.loky.backend.reduction import loads

        found: Callable[[Any], Any] = loads(self.written)
        return found


@contextlib.contextmanager
def _by_value(function: Callable[[Any], Any], *, enabled: bool) -> Iterator[None]:
    """Have the caller's own module written down with the function, rather than named: what it keeps lies there."""
    from joblib.externals.loky.backend import reduction

    writer = getattr(
        reduction, "cloudpickle", None
    )  # older releases keep it elsewhere: modules are then named
    module = _own_module(function)
    if (
        not enabled
        or writer is None
        or module is None
        or module.__name__ in writer.list_registry_pickle_by_value()
    ):
        yield
        return
    writer.register_pickle_by_value(module)
    try:
        yield
    finally:
        writer.unregister_pickle_by_value(module)


def _own_module(function: Callable[[Any], Any]) -> types.ModuleType | None:
    inner = getattr(function, "func", function)  # of a partial
    name = getattr(inner, "__module__", None) or type(inner).__module__
    return None if not isinstance(name, str) or is_library(name) else sys.modules.get(name)
