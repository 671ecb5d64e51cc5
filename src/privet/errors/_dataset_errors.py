"""Refusals of the data set: whose rows they are, what their columns are, who may use them, and where that is booked."""

from __future__ import annotations

from privet.errors._error_kinds import BadInput

__all__ = [
    "Contradicted",
    "NoPurpose",
    "RolesNotStated",
    "SecondLedger",
    "UnitNotStated",
]


class SecondLedger(BadInput):
    """The data set has a ledger already; a second one would be a second budget. Nothing was booked."""

    code = "E-DATASET-001"


class UnitNotStated(BadInput):
    """Nobody has said whose presence is hidden, and it is not guessed. Nothing was read or spent."""

    code = "E-DATASET-002"


class RolesNotStated(BadInput):
    """Nobody has said what the columns are, so none of them may stand in rows that leave. Nothing was written."""

    code = "E-DATASET-003"


class NoPurpose(BadInput):
    """The data set has purposes, and rows are given out for one of them only. Nothing was read or spent."""

    code = "E-DATASET-004"


class Contradicted(BadInput):
    """What was asked says something else than the data set's declaration. Nothing was read or spent."""

    code = "E-DATASET-005"
