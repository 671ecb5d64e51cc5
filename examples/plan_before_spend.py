"""Plan before you spend: batches, weights, wanted errors, unknown keys. What docs/guide/plan-before-spend.md walks through."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet.examples import hospital, write

with TemporaryDirectory() as folder:
    write(Path(folder) / "patients.parquet", hospital(patients=5_000, seed=7))
    patients = pv.open_table(
        Path(folder) / "patients.parquet",
        unit=pv.Person("patient_id", max_rows=6, max_groups=2),
        bounds={"days": (0, 60)},
    )
    ledger = pv.Ledger(Path(folder) / "patients.ledger", limit=pv.ApproxDP(5, 1e-6))

    # Three questions, one promise, one entry in the ledger.
    questions = [
        patients.group_by("ward").agg(n=pv.count(), days=pv.mean("days")),
        patients.agg(who=pv.persons()),
        "SELECT COUNT(*) AS women FROM patients WHERE sex = 'F'",
    ]
    print(pv.explain(questions, pv.ApproxDP(1, 1e-7), table=patients, ledger=ledger))
    beds, persons, women = pv.release(
        questions, pv.ApproxDP(1, 1e-7), table=patients, ledger=ledger, why="weekly bed plan"
    )
    print(beds, persons, women, sep="\n\n")

    # The first question matters most: its errors count four times as much.
    weighted = pv.explain(questions, pv.ApproxDP(1, 1e-7), table=patients, weights=[4, 1, 1])
    print(weighted.errors)

    # From the error that is wanted to the epsilon that it takes.
    wards = patients.group_by("ward", keys={"ward": ["Surgery", "Oncology"]}).agg(n=pv.count())
    epsilon = pv.epsilon_for(wards, {"n": 50})
    print(f"± 50 patients take epsilon {epsilon}")
    print(pv.release(wards, pv.PureDP(epsilon), ledger=ledger, why="two wards"))
    ledger.close()
