"""Ask private questions: explain, release, SQL, save. What docs/guide/private-queries.md walks through."""

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
    ledger = pv.Ledger(Path(folder) / "patients.ledger", limit=pv.ApproxDP(3, 1e-6))

    question = patients.group_by("ward").agg(n=pv.count(), days=pv.mean("days"))
    print(pv.explain(question, pv.ApproxDP(1, 1e-7), ledger=ledger))

    answer = pv.release(question, pv.ApproxDP(1, 1e-7), ledger=ledger, why="weekly bed plan")
    print(answer)

    known = patients.group_by("ward", keys={"ward": ["Surgery", "Oncology"]}).agg(who=pv.persons())
    print(pv.release(known, pv.PureDP("0.5"), ledger=ledger, why="two wards"))

    women = (
        "SELECT COUNT(*) AS n, AVG(days) AS days FROM patients WHERE sex = 'F' AND admitted >= '2024-01-01'"
    )
    print(pv.release(women, pv.PureDP("0.5"), table=patients, ledger=ledger, why="recent stays"))

    answer.save(Path(folder) / "beds.parquet")
    print(ledger.balance())
    ledger.close()
