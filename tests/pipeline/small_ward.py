"""A small ward of made-up people with one to three rows each, for tests of trade-offs."""

from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

import privet as pv
from privet.pipeline._sweep_settings import Sweep
from privet.source._table import Table

ROLES = {
    "person": "direct",
    "age": "quasi",
    "area": "quasi",
    "dose": "insensitive",
    "illness": "sensitive",
    "back": "sensitive",
}


def rows(people: int = 300, seed: int = 1) -> pa.Table:
    """Older people come back more often; the dose says nothing."""
    draw = np.random.default_rng(seed)
    person = np.repeat(np.arange(people), draw.integers(1, 4, people))
    age = draw.integers(18, 90, people)[person]
    return pa.table(
        {
            "person": [f"p{number}" for number in person],
            "age": age,
            "area": np.array(["A", "B", "C"])[draw.integers(0, 3, people)[person]],
            "dose": draw.integers(0, 8, len(person)),
            "illness": np.array(["flu", "burn", "fall", "gout"])[draw.integers(0, 4, len(person))],
            "back": draw.random(len(person)) < (age - 18) / 72,
        }
    )


def ward(people: int = 300, seed: int = 1, **more: Any) -> Table:
    """The ward as an opened table."""
    settings: dict[str, Any] = {"unit": pv.Person("person", max_rows=3), "roles": ROLES, **more}
    return pv.open_table(rows(people, seed), **settings)


LITTLE = Sweep(k=(2, 5), k_all=(5,), epsilon=(Decimal(1), Decimal(4), Decimal(11)), repeats=2)
