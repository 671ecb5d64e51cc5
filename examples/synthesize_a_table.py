"""A synthetic twin of a hospital's stays: what is public, what it costs, what was measured, and rules that hold."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

import privet as pv

WARDS = ["ICU", "Surgery", "Eye clinic", "Geriatrics"]
draws = np.random.default_rng(7)  # noqa: TID251  made-up people: nobody in them exists
many = 4_000
ward = draws.choice(4, many, p=[0.1, 0.4, 0.2, 0.3])
age = np.clip(draws.normal(np.array([55, 50, 45, 80])[ward], 12), 0, 105).astype(int)
admitted = draws.integers(0, 300, many)
stays = pa.table(
    {
        "patient_id": np.arange(many) // 2,
        "ward": [WARDS[at] for at in ward],
        "age": age,
        "admitted": admitted,
        "discharged": admitted + draws.poisson(np.array([9, 4, 1, 7])[ward]),
        "readmitted": draws.random(many) < np.where(age > 70, 0.4, 0.1),
    }
)

with TemporaryDirectory() as room:
    ledger = pv.Ledger(Path(room) / "stays.ledger", limit=pv.ApproxDP(3, 1e-6))
    patients = pv.open_table(
        stays,
        unit=pv.Person("patient_id", max_rows=2),
        bounds={"age": (0, 105), "admitted": (0, 365), "discharged": (0, 365)},
        keys={"ward": WARDS},
    )
    twin = pv.synthesize(
        patients,
        pv.ApproxDP(2, 1e-6),
        rows=3_000,
        ledger=ledger,
        why="a twin for the training course",
        workload=[("ward", "age"), ("admitted", "discharged"), ("age", "readmitted")],
        rules=["discharged >= admitted"],
        bins={"age": 21, "admitted": 30, "discharged": 30},
    )
    print(twin)
    twin.save(Path(room) / "twin.parquet")

    rows = twin.to_arrow().to_pylist()
    print("\nfirst row:", {name: value for name, value in rows[0].items() if name != "patient_id"})
    assert all(row["discharged"] >= row["admitted"] for row in rows if None not in row.values())

    print("\nwhat was measured, and what it cost:")
    for one in twin.measured[:8]:
        noise = "" if one.sigma is None else f", noise {one.sigma:.1f}"
        print(f"  {one.what}: {' × '.join(one.columns)}{noise}, rho {one.rho:.5f}")

    more = pv.synthesize(
        patients,
        pv.ApproxDP(2, 1e-6),
        rows=10,
        ledger=ledger,
        why="a few rows more, from the same noisy counts",
        workload=[("ward", "age"), ("admitted", "discharged"), ("age", "readmitted")],
        bins={"age": 21, "admitted": 30, "discharged": 30},
    )
    print(
        f"\n{len(more)} rows more cost nothing: {ledger.balance().spent['epsilon']} of epsilon spent in all"
    )
    ledger.close()
