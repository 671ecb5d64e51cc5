"""Errors of tables. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _source_errors as section

KNOWN = {
    "E-SOURCE-001": ("SourceMissing", 2),
    "E-SOURCE-002": ("UnknownFormat", 2),
    "E-SOURCE-003": ("MalformedSource", 2),
    "E-SOURCE-004": ("SourceUnreachable", 1),
    "E-SOURCE-005": ("NoSuchTable", 2),
    "E-SOURCE-006": ("BadColumnNames", 2),
    "E-SOURCE-007": ("BadDeclaration", 2),
    "E-SOURCE-008": ("BadBounds", 2),
    "E-SOURCE-009": ("BadKeySet", 2),
    "E-SOURCE-010": ("NotPublic", 7),
    "E-SOURCE-011": ("BadQuery", 2),
    "E-SOURCE-013": ("ComputedTable", 7),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
