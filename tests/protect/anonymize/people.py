"""A made-up table of people with its roles and hierarchies."""

import numpy as np
import pyarrow as pa

import privet as pv
from privet.protect.anonymize.hierarchies import Hierarchy


def people(rows: int = 600, seed: int = 11) -> pa.Table:
    draw = np.random.default_rng(seed)
    towns = draw.integers(0, 9, rows)
    return pa.table(
        {
            "name": [f"person {at}" for at in range(rows)],
            "age": pa.array(draw.integers(20, 60, rows)),
            "town": [None if town == 8 else f"t{town}" for town in towns],
            "sex": draw.choice(["F", "M"], rows).tolist(),
            "diagnosis": draw.choice(
                ["flu", "gout", "cold", "burn"], rows, p=[0.5, 0.3, 0.15, 0.05]
            ).tolist(),
            "visits": pa.array(draw.integers(1, 9, rows)),
            "secret": [f"s{at}" for at in range(rows)],
        }
    )


ROLES = {
    "name": "direct",
    "age": "quasi",
    "town": "quasi",
    "sex": "quasi",
    "diagnosis": "sensitive",
    "visits": "insensitive",
}


def hierarchies() -> dict[str, Hierarchy]:
    ages = [(str(age), f"{age // 10 * 10}s", "young" if age < 40 else "old", "*") for age in range(20, 60)]
    towns = [(f"t{at}", "north" if at < 4 else "south", "*") for at in range(8)]
    return {
        "age": Hierarchy.from_paths("age", ages),
        "town": Hierarchy.from_paths("town", towns),
        "sex": Hierarchy.from_paths("sex", [("F", "*"), ("M", "*")]),
    }


def opened(table: pa.Table | None = None, **more: object) -> pv.Table:
    return pv.open_table(people() if table is None else table, roles=ROLES, **more)
