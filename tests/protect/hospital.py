"""A small table of stays with everything awkward in it."""

from __future__ import annotations

import pyarrow as pa

import privet as pv


def stays() -> pa.Table:
    """Persons 0 to 199; wards A (everybody), B (half), C (ten persons), D (one person); a few missing days."""
    rows = []
    for person in range(200):
        wards = (
            ["A", "A"]
            + (["B"] if person % 2 else [])
            + (["C"] if person < 10 else [])
            + (["D"] if person == 7 else [])
        )
        rows += [(person, ward, float(person % 7) if person % 50 else None) for ward in wards]
    return pa.table(
        {
            "id": [row[0] for row in rows],
            "ward": [row[1] for row in rows],
            "days": pa.array([row[2] for row in rows], pa.float64()),
            "cost": [100.0 + row[0] for row in rows],
        }
    )


def open_stays(table: pa.Table | None = None, *, keys: bool = True, unit: object | None = None) -> pv.Table:
    return pv.open_table(
        stays() if table is None else table,
        unit=unit or pv.Person("id", max_rows=8, max_groups=4),
        bounds={"days": (0, 10), "cost": (0, 400)},
        keys={"ward": ["A", "B", "C", "Z"]} if keys else None,
        name="stays",
    )
