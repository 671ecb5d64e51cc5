"""Patients and their stays for tests of linked tables: one patient has many stays, some have none, some stays are nobody's."""

import numpy as np
import pyarrow as pa

import privet as pv

WARDS = ["geriatrics", "icu", "eye"]
PROMISE = pv.ApproxDP(6, 1e-6)
MANY = 17  # whose stays are many, and all alike


def patients(many=600, seed=0):
    draws = np.random.default_rng(seed)
    age = draws.integers(0, 100, many)
    return pa.table(
        {"pid": np.arange(many), "name": [f"N{at}" for at in range(many)], "age": age, "old": age > 60}
    )


def stays(many=600, seed=0):
    draws = np.random.default_rng(seed)
    age = draws.integers(0, 100, many)
    counts = np.minimum(draws.poisson(np.where(age > 60, 3.0, 0.6)), 9)
    counts[MANY] = 30
    owner = np.concatenate([np.repeat(np.arange(many), counts), [many + 5] * 4])
    old = np.append(age > 60, False)[np.minimum(owner, many)]
    ward = np.where(old, 0, 1 + draws.integers(0, 2, len(owner)))
    ward[owner == MANY] = 1
    days = np.where(ward == 0, 20, 3) + draws.integers(0, 5, len(owner))
    days[owner == MANY] = 4
    return pa.table(
        {
            "stay": [f"S{at}" for at in range(len(owner))],
            "pid": owner,
            "ward": [WARDS[at] for at in ward],
            "days": days,
        }
    )


def opened(first=None, second=None, cap=4, change=None, **stated):
    """Both tables with everything public stated."""
    unit = {} if change is None else {"change": change}
    persons = pv.open_table(
        patients() if first is None else first,
        unit=pv.Person("pid", max_rows=1, **unit),
        roles={"name": "direct"},
        bounds={"age": (0, 99)},
        name="patients",
        **stated,
    )
    others = pv.open_table(
        stays() if second is None else second,
        unit=pv.Person("pid", max_rows=cap, **unit),
        roles={"stay": "direct"},
        bounds={"days": (0, 30)},
        keys={"ward": WARDS},
        name="stays",
        **stated,
    )
    return persons, others
