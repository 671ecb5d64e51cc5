"""Three columns of numbers, one of them a line of the others."""

import numpy as np
import pyarrow as pa

import privet as pv

BOUNDS = {"x": (0, 10), "y": (-20, 20), "z": (0, 1)}


def rows_of_numbers(seed=3, count=900):
    draw = np.random.default_rng(seed)
    x = draw.uniform(0, 10, count)
    z = draw.uniform(0, 1, count)
    y = 2 * x - 8 * z - 6 + draw.normal(0, 1, count)
    return {"id": np.arange(count), "g": np.where(np.arange(count) % 3, "a", "b"), "x": x, "y": y, "z": z}


def open_numbers(columns=None, **how):
    how = {"unit": pv.Person("id", max_rows=1, max_groups=1), "keys": {"g": ["a", "b"]}} | how
    return pv.open_table(pa.table(columns or rows_of_numbers()), bounds=BOUNDS, name="t", **how)


def asked_of(query, ledger, promise=None):
    return pv.release(query, promise or pv.PureDP(500), ledger=ledger, why="test")
