"""Errors of functions that are released under PAC privacy."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput

__all__ = ["BadFunction", "SessionProblem"]


class BadFunction(BadInput):
    """A function, or what is said about it, cannot be released: a column, a bound, a form, a shape, the worlds or the promise."""

    code = "E-PAC-001"


class SessionProblem(BadInput):
    """A session of PAC releases cannot be opened or go on: its secret is gone, in use, or belongs to other rows."""

    code = "E-PAC-002"
