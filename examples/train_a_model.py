"""Train a model of a table: schema, promise, receipt, shapes, predictions. What docs/guide/train.md walks through."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet.examples import hospital

WARDS = [
    "Cardiology", "Intensive care", "Internal medicine", "Maternity", "Neurology", "Oncology", "Orthopaedics",
    "Paediatrics", "Psychiatry", "Surgery",
]  # fmt: skip

with TemporaryDirectory() as folder:
    patients = pv.open_table(
        hospital(patients=4_000, seed=7),
        unit=pv.Person("patient_id", max_rows=10),
        bounds={"born": ("1920-01-01", "2025-12-31"), "days": (0, 60), "cost": (0, 100_000)},
        keys={"sex": ["F", "M", "X"], "ward": WARDS},
    )
    ledger = pv.Ledger(Path(folder) / "patients.ledger", limit=pv.ApproxDP(3, 1e-6))

    log = pv.TrainingLog()  # for the owner alone
    model = pv.train(
        patients,
        pv.ApproxDP(2, 1e-7),
        target="readmitted",
        columns=["born", "sex", "ward", "days", "cost"],
        records=4_000,
        ledger=ledger,
        why="who comes back within thirty days",
        log=log,
    )
    print(model)
    print(ledger.balance())

    page = pv.save_training_page(log, Path(folder) / "training.html")
    print(page.name, log)

    for shape in model.shapes():
        if shape.column == "days":
            print([round(worth, 2) for worth in shape.worth])

    model.save(Path(folder) / "readmission")
    again = pv.ReleasedModel.load(Path(folder) / "readmission")
    newcomers = hospital(patients=5, seed=8)
    print(again.predictions(newcomers).slice(0, 3).to_pylist())
    print(again.card())
