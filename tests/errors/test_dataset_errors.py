"""Errors of data sets. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _dataset_errors as section

KNOWN = {
    "E-DATASET-001": ("SecondLedger", 2),
    "E-DATASET-002": ("UnitNotStated", 2),
    "E-DATASET-003": ("RolesNotStated", 2),
    "E-DATASET-004": ("NoPurpose", 2),
    "E-DATASET-005": ("Contradicted", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
