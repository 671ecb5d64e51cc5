"""Errors of mechanisms and seals. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _mechanism_errors as section

KNOWN = {
    "E-MECHANISM-001": ("PermitMismatch", 7),
    "E-MECHANISM-002": ("OutOfRange", 2),
    "E-MECHANISM-003": ("NothingToChoose", 2),
    "E-SEALED-001": ("SealBroken", 7),
    "E-SEALED-002": ("BadSensitivity", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
