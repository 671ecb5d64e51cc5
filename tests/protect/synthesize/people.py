"""A small table for these tests: a ward, an age that depends on it, days, a truth value, gaps."""

import datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import privet as pv

WARDS = ["icu", "eye", "surgery"]
FIRST, LAST = datetime.date(2026, 1, 1), datetime.date(2026, 12, 31)


def rows(many=2000, seed=0):
    """Rows of which every second has the person of the one before."""
    draws = np.random.default_rng(seed)
    ward = draws.choice(3, many, p=[0.2, 0.3, 0.5])
    age = np.clip(draws.normal(30 + 25 * ward, 8, many), 0, 99).astype(int)
    days = [FIRST + datetime.timedelta(days=int(day)) for day in draws.integers(0, 365, many)]
    weight = np.round(draws.normal(70, 12, many), 1)
    return pa.table(
        {
            "person": np.arange(many) // 2,
            "name": [f"N{at}" for at in range(many)],
            "ward": [WARDS[at] for at in ward],
            "age": age,
            "seen": pa.array(days),
            "weight": pa.array([None if at % 10 == 0 else float(one) for at, one in enumerate(weight)]),
            "back": (age > 60) ^ (draws.random(many) < 0.05),
            "note": ["some words"] * many,
        }
    )


def table(many=2000, unit=None, seed=0, place=None, **stated):
    """The table with everything public stated, in memory or in a file."""
    said = {
        "roles": {"name": "direct", "note": "free text"},
        "bounds": {"age": (0, 99), "seen": (FIRST, LAST), "weight": (0, 200)},
        "keys": {"ward": WARDS},
        **stated,
    }
    if place is not None and not place.exists():
        pq.write_table(rows(many, seed), place)
    return pv.open_table(place or rows(many, seed), unit=unit or pv.Person("person", max_rows=2), **said)
