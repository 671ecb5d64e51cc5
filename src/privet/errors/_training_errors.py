"""Errors of training under differential privacy."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure, PolicyViolation

__all__ = [
    "BadModel",
    "BadTraining",
    "ProcessLost",
    "UnsafeModel",
    "UnsafePipeline",
]


class BadTraining(BadInput):
    """The training request is malformed: a target, a schema, a promise or a setting."""

    code = "E-TRAIN-001"


class UnsafeModel(PolicyViolation):
    """The model mixes examples, or hides gradients from the clipping; its guarantee would be false."""

    code = "E-TRAIN-002"


class BadModel(BadInput):
    """A saved model, or a table given to it, does not fit."""

    code = "E-TRAIN-003"


class UnsafePipeline(PolicyViolation):
    """Something between a raw record and its loss lets records meet: it mixes, remembers, or reads all of them."""

    code = "E-TRAIN-004"


class ProcessLost(Failure):
    """Another process of a training run is gone or silent."""

    code = "E-TRAIN-005"
