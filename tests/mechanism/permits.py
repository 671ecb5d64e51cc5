"""Real permits for tests: every one is booked in a real ledger, which admits nearly anything."""

import tempfile
from pathlib import Path

from privet.guarantee._events import DiscreteGaussian, Event
from privet.guarantee._privacy_units import Change, Row
from privet.guarantee._promise_registry import ApproxDP, ZeroConcentratedDP
from privet.ledger import Ledger, Permit


def permit_for(event: Event) -> Permit:
    limit = ZeroConcentratedDP(10**9) if _concentrated(event) else ApproxDP(10**9, "0.999")
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "test.ledger", limit=limit) as ledger:
        return ledger.charge(event, why="a test", unit=Row(Change.REPLACE))


def _concentrated(event: Event) -> bool:
    return isinstance(event, DiscreteGaussian)
