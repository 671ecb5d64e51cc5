"""Errors that any room may raise. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _general_errors as section

KNOWN = {
    "E-GENERAL-001": ("InternalError", 1),
    "E-GENERAL-002": ("MissingExtra", 1),
    "E-GENERAL-003": ("BadUsage", 2),
    "E-GENERAL-004": ("FileProblem", 1),
    "E-GENERAL-005": ("Interrupted", 1),
    "E-GENERAL-006": ("UnsafePath", 7),
    "E-GENERAL-007": ("NotMadeHere", 7),
    "E-GENERAL-008": ("NoSuchEntry", 2),
    "E-GENERAL-009": ("NothingToDraw", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
