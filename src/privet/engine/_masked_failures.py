"""Failures after booking: the answer of a table without rows leaves in their place, and a note for the owner.

Whether an engine fails may depend on a single row, in a view that divides by zero or by a fault of its own; once a
question is booked, an exception would be an answer without noise. So a computation that fails hands over what it
would have for no rows at all, sealed like any answer, and keeps what happened apart. Only the owner may be told.

Whoever stops the work still does: interrupts and exits are no failures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from privet.engine._error_guard import translated
from privet.errors import PrivetError

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class MaskedFailure:
    """What went wrong, for the owner: the code of an error, and its sentence, which holds no value."""

    code: str
    said: str


@dataclass(frozen=True)
class Prepared(Generic[Answer]):
    """Something the engine has accepted and not computed yet, and what it would be if the table had no rows."""

    compute: Callable[[], Answer]
    nothing: Answer


def attempted(prepared: Prepared[Answer]) -> tuple[Answer, MaskedFailure | None]:
    """The answer, or that of no rows and what went wrong. Raises nothing but what stops a program."""
    try:
        return prepared.compute(), None
    except Exception as error:  # noqa: BLE001  whatever it is, it must not show
        clean = error if isinstance(error, PrivetError) else translated(error, "sealing the result")
        return prepared.nothing, MaskedFailure(clean.code, clean.fact)
