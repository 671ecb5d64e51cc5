"""Refusals about passwords: where one stands that must not, and where none is found."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure


class PasswordWritten(BadInput):
    """A password stands in an address, where others can read it: on a command line or in a file. Nothing was read."""

    code = "E-SECRET-001"


class PasswordNotFound(Failure):
    """An address names its password, and it cannot be found there. Nothing was read."""

    code = "E-SECRET-002"
