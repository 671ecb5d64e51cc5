"""Errors of tables, columns, bounds and keys."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure, PolicyViolation

__all__ = [
    "BadBounds",
    "BadColumnNames",
    "BadDeclaration",
    "BadKeySet",
    "BadQuery",
    "ComputedTable",
    "MalformedSource",
    "NoSuchTable",
    "NotIsolated",
    "NotPublic",
    "SourceMissing",
    "SourceTooLarge",
    "SourceUnreachable",
    "UnknownFormat",
]


class SourceMissing(BadInput):
    """There is no such file, or it is a directory, or it may not be read."""

    code = "E-SOURCE-001"


class UnknownFormat(BadInput):
    """Neither the file's ending, the address nor the object's type is one that Privet opens."""

    code = "E-SOURCE-002"


class MalformedSource(BadInput):
    """A file breaks the rules of its own format: torn, empty, wrongly encoded, or with rows that do not fit."""

    code = "E-SOURCE-003"


class SourceUnreachable(Failure):
    """A database could not be reached, or did not let us in."""

    code = "E-SOURCE-004"


class NoSuchTable(BadInput):
    """The database has no table of that name, or several and none was named."""

    code = "E-SOURCE-005"


class BadColumnNames(BadInput):
    """The columns' names cannot be used: two are equal, one is empty, or the first line is data."""

    code = "E-SOURCE-006"


class BadDeclaration(BadInput):
    """What was said about a table (roles, unit, bounds, keys) does not fit it. All faults are listed at once."""

    code = "E-SOURCE-007"


class BadBounds(BadInput):
    """Bounds that hold nothing, or are not numbers."""

    code = "E-SOURCE-008"


class BadKeySet(BadInput):
    """A set of public keys is empty, repeats itself, or mixes shapes."""

    code = "E-SOURCE-009"


class NotPublic(PolicyViolation):
    """Bounds or keys were read off the private data, and nobody has taken responsibility for making them public."""

    code = "E-SOURCE-010"


class BadQuery(BadInput):
    """A query asks for something that its table does not have or that cannot be computed. All faults are listed."""

    code = "E-SOURCE-011"


class ComputedTable(PolicyViolation):
    """A table in a database file is a view, or has computed columns: what it shows is decided when it is read."""

    code = "E-SOURCE-013"


class SourceTooLarge(BadInput):
    """A file is larger, deeper, wider or more tightly packed than the limits for reading allow."""

    code = "E-SOURCE-014"


class NotIsolated(Failure):
    """Files are to be read in a process without rights only, and this system does not offer one."""

    code = "E-SOURCE-015"
