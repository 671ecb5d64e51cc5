"""Errors of engines. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _engine_errors as section

KNOWN = {
    "E-ENGINE-001": ("EngineVersion", 1),
    "E-ENGINE-002": ("UnknownColumn", 2),
    "E-ENGINE-003": ("BadExpression", 2),
    "E-ENGINE-004": ("BadAggregate", 2),
    "E-ENGINE-005": ("BadKeys", 2),
    "E-ENGINE-006": ("BadSpeed", 2),
    "E-ENGINE-007": ("EngineFailed", 1),
    "E-ENGINE-008": ("AnotherProcess", 2),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
