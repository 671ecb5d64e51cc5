"""Errors of policies and runs. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _pipeline_errors as section

KNOWN = {
    "E-POLICY-001": ("BadPolicy", 2),
    "E-POLICY-002": ("PolicyBreach", 7),
    "E-POLICY-003": ("PolicyGap", 10),
    "E-POLICY-004": ("StalePlan", 7),
    "E-POLICY-005": ("LimitBeaten", 6),
    "E-POLICY-006": ("BadSweep", 2),
    "E-POLICY-007": ("RecordAltered", 9),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
