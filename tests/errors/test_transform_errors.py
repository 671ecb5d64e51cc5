"""Errors of what changes values: masks, pseudonyms, microdata. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _transform_errors as section

KNOWN = {
    "E-ANONYMIZE-001": ("BadTransform", 2),
    "E-ANONYMIZE-002": ("GuessableHash", 7),
    "E-ANONYMIZE-003": ("BadKeyRing", 2),
    "E-ANONYMIZE-004": ("NoKeys", 2),
    "E-ANONYMIZE-005": ("SecretExposed", 7),
    "E-ANONYMIZE-006": ("KeyFileLocked", 1),
    "E-ANONYMIZE-007": ("SmallDomain", 7),
    "E-ANONYMIZE-008": ("BadPseudonym", 2),
    "E-ANONYMIZE-009": ("VaultUnavailable", 1),
    "E-ANONYMIZE-010": ("NoSuchSubject", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
