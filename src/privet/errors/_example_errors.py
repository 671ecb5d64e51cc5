"""Errors of the bundled example data."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure

__all__ = [
    "BadExample",
    "SourceChanged",
]


class SourceChanged(Failure):
    """A file was changed after it was opened, so that it is no longer the snapshot that was named."""

    code = "E-SOURCE-012"


class BadExample(BadInput):
    """An example data set was asked for that cannot be made."""

    code = "E-EXAMPLE-001"
