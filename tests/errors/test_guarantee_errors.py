"""Errors of promises and amounts. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _guarantee_errors as section

KNOWN = {
    "E-GUARANTEE-001": ("BadAmount", 2),
    "E-GUARANTEE-002": ("BadUnit", 2),
    "E-GUARANTEE-003": ("UnsoundAlgebra", 2),
    "E-GUARANTEE-004": ("UnknownRecord", 2),
    "E-GUARANTEE-005": ("UnsupportedEvent", 2),
    "E-GUARANTEE-006": ("BadNotation", 2),
    "E-GUARANTEE-007": ("NoSolution", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
