"""Errors of measures of disclosure. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _disclosure_errors as section

KNOWN = {
    "E-DISCLOSURE-001": ("BadCodes", 2),
    "E-DISCLOSURE-002": ("DisclosureTooLarge", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
