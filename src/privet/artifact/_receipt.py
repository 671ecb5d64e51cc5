"""The receipt of one booked release: what was promised and spent, and where in the chain it stands.

A receipt travels with the release it paid for. It anchors the ledger's head at that moment, so that a ledger
that was later cut back or rewritten no longer matches the receipts in circulation.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from privet.artifact._field_types import fitting
from privet.errors import BadAmount, UnknownRecord
from privet.guarantee import exact

SCHEMA = 1
# How the public identity of a ledger begins that keeps nothing.
IN_MEMORY = "in-memory:"
FORGETS = (
    "Booked in a ledger in memory, which forgets everything when its process ends: no budget holds beyond that, so this "
    "is for trying out and not for giving away."
)


@dataclass(frozen=True, slots=True)
class Receipt:
    """One ledger entry, as the outside sees it. Holds no data and no subject identifiers."""

    ledger: str  # the ledger's public identity
    entry: int  # position in the chain, from 1
    head: str  # the entry's hash: the anchor
    at: str  # UTC, ISO 8601
    event: dict[str, Any] | None  # what was booked; None for a promise recorded without a budget
    promise: dict[str, Any] | None  # the promise of the release, where it has one of its own
    unit: dict[str, Any]  # whose presence is hidden, and the neighbouring relation
    accounting: str  # "pure", "basic" or "zcdp": the filter that admitted it
    composition: str  # "adaptive filter" or "sealed plan": which theorem covers it
    cost: dict[str, str]  # exact decimals: epsilon, delta or rho
    remaining: dict[str, str]  # of the data set's budget after this entry, exact decimals
    why: str
    purpose: str | None = None
    analyst: str | None = None
    data: str | None = None  # fingerprint of the data set, if the caller gave one
    grid: str | None = None  # discretization of the privacy-loss distribution, for sealed plans

    @property
    def note(self) -> str:
        """What whoever relies on this receipt must know of its ledger; empty where it is kept."""
        return FORGETS if self.ledger.startswith(IN_MEMORY) else ""

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version."""
        return {"schema": SCHEMA, **asdict(self)}

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Receipt:
        """The receipt a record describes; refuses versions and fields it does not know."""
        values = dict(record)
        if values.pop("schema", None) != SCHEMA or set(values) - {field.name for field in fields(cls)}:
            raise UnknownRecord(
                "this is not a receipt of a known version.", "Was it written by a newer version?"
            )
        try:
            found = fitting(cls(**values))
            for amount in (*found.cost.values(), *found.remaining.values()):
                exact(amount, "an amount")
        except (TypeError, BadAmount):
            raise UnknownRecord(
                "this receipt lacks a field, or one holds something else than belongs there."
            ) from None
        return found


def with_note(notes: tuple[str, ...], receipt: object) -> tuple[str, ...]:
    """The notes of a release, with that of the ledger it was booked in."""
    note = receipt.note if isinstance(receipt, Receipt) else ""
    return notes if not note or note in notes else (*notes, note)
