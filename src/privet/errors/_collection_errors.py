"""Errors of collections under local differential privacy."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput, Failure

__all__ = [
    "BadCollection",
    "DeviceProblem",
    "DeviceSpent",
    "ForeignReports",
    "OutsideQuestion",
    "StoreProblem",
]


class BadCollection(BadInput):
    """The specification of a collection is malformed: its question, its oracle, a setting, or its record."""

    code = "E-COLLECT-001"


class ForeignReports(BadInput):
    """Reports belong to another specification, or are no reports at all."""

    code = "E-COLLECT-002"


class OutsideQuestion(BadInput):
    """A value is none that the question has."""

    code = "E-COLLECT-003"


class DeviceSpent(BadInput):
    """A device has given all that its specification allows for now."""

    code = "E-COLLECT-004"


class DeviceProblem(BadInput):
    """The file of a device is not its own, of another specification, in use, or open to others."""

    code = "E-COLLECT-005"


class StoreProblem(Failure):
    """The store of a collector cannot be used, or holds the reports of another specification."""

    code = "E-COLLECT-006"
