"""Errors of training. Codes and what commands exit with are part of the interface."""

from tests.errors.sections import faults

from privet.errors import _training_errors as section

KNOWN = {
    "E-TRAIN-001": ("BadTraining", 2),
    "E-TRAIN-002": ("UnsafeModel", 7),
    "E-TRAIN-003": ("BadModel", 2),
    "E-TRAIN-004": ("UnsafePipeline", 7),
}


def test_codes_keep_their_class_and_their_exit() -> None:
    assert faults(section, KNOWN) == []
