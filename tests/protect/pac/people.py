"""Made-up people for tests of PAC releases, and ledgers that have an account of nats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

import privet as pv


def people(
    persons: int = 200, rows_each: int = 1, *, seed: int = 3, unit: Any = None, **more: Any
) -> pv.Table:
    """A table of persons with an age, a cost, whether they are ill and a ward."""
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(persons), rows_each)
    rows = pa.table(
        {
            "who": [f"p{one}" for one in who],
            "age": draw.integers(0, 100, len(who)),
            "cost": draw.gamma(2, 500, len(who)),
            "ill": draw.random(len(who)) < 0.3,
            "ward": draw.choice(["a", "b", "c"], len(who)),
        }
    )
    settings: dict[str, Any] = {"version": "1", "bounds": {"age": (0, 100), "cost": (0, 5_000)}} | more
    return pv.open_table(rows, unit=unit or pv.Person("who", max_rows=rows_each), **settings)


def book(nats: Any = 10) -> pv.Ledger:
    """A ledger in memory whose account of nats holds so many."""
    ledger = pv.Ledger.in_memory(limit=pv.ApproxDP(1, 1e-7))
    ledger.open_budget(pv.PacPrivacy(nats))
    return ledger


def means(rows: Any) -> Any:
    """A function of the rows."""
    return rows.mean(axis=0)
