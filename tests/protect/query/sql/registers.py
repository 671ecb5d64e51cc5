"""Patients, their visits and a public list of wards: small tables whose every number is known."""

from __future__ import annotations

import datetime

import pyarrow as pa

import privet as pv
from privet.source import open_public


def patients() -> pa.Table:
    """Persons 0 to 99, women and men in turn, aged 20 to 79."""
    return pa.table(
        {
            "id": list(range(100)),
            "sex": ["F", "M"] * 50,
            "age": [float(20 + person % 60) for person in range(100)],
        }
    )


def visits() -> pa.Table:
    """300 visits of persons 0 to 89; wards A, B, C in turn; January to April; costs 0 to 9."""
    return pa.table(
        {
            "id": [at % 90 for at in range(300)],
            "ward": ["ABC"[at % 3] for at in range(300)],
            "day": [datetime.date(2026, 1 + at % 4, 3) for at in range(300)],
            "cost": [float(at % 10) for at in range(300)],
            "nights": [at % 5 for at in range(300)],
        }
    )


def registers(engine=None) -> dict[str, object]:
    """The tables by name; on an engine, or in memory (where tests give each DuckDB table a connection of its own)."""
    loaded = engine is not None and engine.name != "duckdb"
    put = (lambda table: engine.load(table).table) if loaded else (lambda table: table)
    return {
        "patients": pv.open_table(
            put(patients()),
            unit=pv.Person("id", max_rows=1),
            bounds={"age": (0, 100)},
            keys={"sex": ["F", "M"]},
            name="patients",
            version="1",
        ),
        "visits": pv.open_table(
            put(visits()),
            unit=pv.Person("id", max_rows=4),
            bounds={"cost": (0, 10), "nights": (0, 7), "day": ("2026-01-01", "2026-04-30")},
            keys={"ward": ["A", "B", "C"]},
            name="visits",
            version="1",
        ),
        "wards": open_public(pa.table({"ward": ["A", "B"], "site": ["north", "south"]}), name="wards"),
    }
