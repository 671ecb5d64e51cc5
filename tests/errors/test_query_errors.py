"""Errors of questions. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _query_errors as section

KNOWN = {
    "E-RELEASE-001": ("BadQuestion", 2),
    "E-RELEASE-002": ("PromiseUnmeetable", 2),
    "E-RELEASE-003": ("BadArithmetic", 2),
    "E-RELEASE-004": ("ReleaseFailed", 1),
    "E-RELEASE-010": ("BadBatch", 2),
    "E-RELEASE-020": ("BadSpine", 2),
    "E-RELEASE-021": ("BadInvariant", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
