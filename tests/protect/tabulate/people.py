"""A made-up population on two levels."""

import numpy as np
import pyarrow as pa

import privet as pv

LEAVES = [("N", "Hill"), ("N", "Lake"), ("S", "Hill"), ("S", "Bay")]
KEYS = {"sex": ["f", "m"], "age": ["young", "middle", "old"]}


def people(persons=300, seed=4):
    """One row a person; some live in places, or have ages, that are not public."""
    dice = np.random.default_rng(seed)
    places = [*LEAVES, ("S", "Nowhere")]
    where = dice.choice(5, persons, p=[0.5, 0.2, 0.2, 0.07, 0.03])
    return pa.table(
        {
            "id": np.arange(persons),
            "state": [places[at][0] for at in where],
            "county": [places[at][1] for at in where],
            "sex": dice.choice(["f", "m"], persons),
            "age": dice.choice(["young", "middle", "old", "unknown"], persons, p=[0.3, 0.4, 0.28, 0.02]),
            "born": dice.integers(1930, 2020, persons),
        }
    )


def opened(table=None, unit=None, **options):
    unit = unit or pv.Person("id", max_rows=1)
    return pv.open_table(
        people() if table is None else table, unit=unit, name="people", version="1", **options
    )


def spine_of(table=None, **options):
    source = opened() if table is None else table
    return pv.spine(source, ["state", "county"], ["sex", "age"], leaves=LEAVES, keys=KEYS, **options)


def counted(table, *columns):
    """The true counts among public places and cells, by some columns."""
    frame = table.to_pandas()
    frame = frame[[pair in LEAVES for pair in zip(frame["state"], frame["county"], strict=True)]]
    frame = frame[frame["age"].isin(KEYS["age"])]
    return frame.groupby(list(columns)).size().to_dict() if columns else len(frame)
