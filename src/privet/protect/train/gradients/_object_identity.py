"""What objects are made of, besides what they hold: class, dictionary, a function's code and defaults, a class's bases.

All of these can be exchanged while a model runs, and what was put in their place may hold anything: a model whose class
is another one prints, pickles and answers with what that class keeps. So they are compared as the very things they were;
an equal one would do for one step, and be written to in the next.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_OF_FUNCTIONS = ("__code__", "__defaults__", "__kwdefaults__", "__name__", "__qualname__", "__doc__")
_OF_CLASSES = ("__bases__", "__name__", "__qualname__")
_HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE: objects of other types keep theirs
_ASKED: dict[str, Callable[[Any], object]] = {
    "__class__": type,  # what an object answers to the name may be made up
    **{name: operator.attrgetter(name) for name in ("__dict__", *_OF_FUNCTIONS, *_OF_CLASSES)},
}


class Identities:
    """Parts of objects as they were when they were noted. Asked in every step, so all of one kind at once."""

    def __init__(self) -> None:
        self._noted: dict[str, tuple[list[Any], list[object], list[str]]] = {}

    def note(self, where: str, held: object) -> None:
        """Remember what an object is made of."""
        names: tuple[str, ...]
        if isinstance(held, types.FunctionType):
            names = _OF_FUNCTIONS
        elif isinstance(held, type):
            names = _OF_CLASSES
        else:
            changeable = bool(type(held).__flags__ & _HEAP)
            names = (*(["__class__"] if changeable else []), *(["__dict__"] if _has_dictionary(held) else []))
        for name in names:
            objects, parts, places = self._noted.setdefault(name, ([], [], []))
            objects.append(held)
            parts.append(_ASKED[name](held))
            places.append(where)

    def exchanged(self) -> list[str]:
        """Where something else is now."""
        return [f"{where}.{name}" for name, _, _, where in self._differing()]

    def shown(self) -> list[object]:
        """What is there now instead of what was."""
        return [_ASKED[name](held) for name, held, _, _ in self._differing()]

    def put_back(self) -> None:
        """Make objects of the same things again, as far as Python lets anybody."""
        for name, held, part, _ in self._differing():
            with suppress(AttributeError, TypeError):
                (setattr if isinstance(held, type) else object.__setattr__)(held, name, part)

    def _differing(self) -> list[tuple[str, Any, object, str]]:
        found = []
        for name, (objects, parts, places) in self._noted.items():
            now = list(map(_ASKED[name], objects))
            if not all(map(operator.is_, now, parts)):
                rows = zip(objects, now, parts, places, strict=True)
                found += [(name, held, was, where) for held, is_, was, where in rows if not _same(is_, was)]
        return found


def _same(one: object, other: object) -> bool:
    """The very same; texts and code cannot be written to, so equal ones will do."""
    return one is other or (isinstance(one, str | tuple | types.CodeType) and one == other and _plain(one))


def _plain(held: object) -> bool:
    return not isinstance(held, tuple) or all(isinstance(part, type) for part in held)


def _has_dictionary(held: object) -> bool:
    """Whether an object has one dictionary, and does not make one up whenever it is asked."""
    try:
        own: Any = getattr(held, "__dict__", None)
        return isinstance(own, dict) and held.__dict__ is own
    except Exception:  # noqa: BLE001 -- an object may raise what it likes
        return False
