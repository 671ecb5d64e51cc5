"""Twins of patients and their stays: one promise for a person's rows in both, keys that join, and what cannot be."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

import privet as pv

WARDS = ["Eye clinic", "Geriatrics", "Maternity", "Surgery"]
draws = np.random.default_rng(11)  # noqa: TID251  made-up people: nobody in them exists
many = 5_000
age = draws.integers(0, 100, many)
female = draws.random(many) < 0.5
patients = pa.table({"patient_id": np.arange(many), "age": age, "sex": np.where(female, "f", "m")})

owner = np.repeat(np.arange(many), np.minimum(draws.poisson(np.where(age > 65, 2.0, 0.7)), 12))
ward = draws.choice([0, 3], len(owner))
ward = np.where((age[owner] > 70) & (draws.random(len(owner)) < 0.6), 1, ward)
fertile = female[owner] & (age[owner] > 18) & (age[owner] < 45)
ward = np.where(fertile & (draws.random(len(owner)) < 0.4), 2, ward)
stays = pa.table(
    {
        "stay_id": [f"stay {at}" for at in range(len(owner))],
        "patient_id": owner,
        "ward": [WARDS[at] for at in ward],
        "days": draws.poisson(np.array([1, 11, 4, 5])[ward]),
    }
)

with TemporaryDirectory() as room:
    ledger = pv.Ledger(Path(room) / "patients.ledger", limit=pv.ApproxDP(3, 1e-6))
    persons = pv.open_table(
        patients,
        unit=pv.Person("patient_id", max_rows=1),
        bounds={"age": (0, 99)},
        keys={"sex": ["f", "m"]},
        name="patients",
    )
    theirs = pv.open_table(
        stays,
        unit=pv.Person("patient_id", max_rows=4),
        roles={"stay_id": "direct"},
        bounds={"days": (0, 30)},
        keys={"ward": WARDS},
        name="stays",
    )
    twins = pv.synthesize(
        persons,
        pv.ApproxDP(2, 1e-6),
        children={"stays": theirs},
        rows=5_000,
        ledger=ledger,
        why="twins for the training course",
        bins={"age": 20},
        zeros=["sex == m and stays.ward == Maternity"],
    )
    print(twins)
    twins.save(Path(room) / "twins")

    people = {row["patient_id"]: row for row in twins["patients"].to_arrow().to_pylist()}
    rows = twins["stays"].to_arrow().to_pylist()
    assert all(row["patient_id"] in people for row in rows)
    assert not any(people[row["patient_id"]]["sex"] == "m" and row["ward"] == "Maternity" for row in rows)
    old = [row["ward"] == "Geriatrics" for row in rows if (people[row["patient_id"]]["age"] or 0) >= 75]
    young = [row["ward"] == "Geriatrics" for row in rows if (people[row["patient_id"]]["age"] or 99) < 60]
    print(
        f"\nin geriatrics: {np.mean(old):.0%} of the stays of the old, {np.mean(young):.0%} of those of others"
    )
    print(f"spent in all: epsilon {ledger.balance().spent['epsilon']}")
    ledger.close()
