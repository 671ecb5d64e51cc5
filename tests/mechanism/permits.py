"""Real permits for tests: every one is booked in a real ledger, which admits nearly anything."""

import tempfile
from pathlib import Path

from privet.guarantee._events import DiscreteGaussian, DistributedGaussian, Event, NormedGaussian, PacRelease
from privet.guarantee._privacy_units import Change, Row
from privet.guarantee._promise_registry import ApproxDP, PacPrivacy, Promise, ZeroConcentratedDP
from privet.ledger import Ledger, Permit


def permit_for(event: Event) -> Permit:
    limit: Promise = ZeroConcentratedDP(10**9) if _concentrated(event) else ApproxDP(10**9, "0.999")
    if isinstance(event, PacRelease):
        limit = PacPrivacy(10**9)
    with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "test.ledger", limit=limit) as ledger:
        return ledger.charge(event, why="a test", unit=Row(Change.REPLACE))


def _concentrated(event: Event) -> bool:
    return isinstance(event, DiscreteGaussian | NormedGaussian | DistributedGaussian)
