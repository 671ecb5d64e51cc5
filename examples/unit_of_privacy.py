"""The same question with two units: whose presence is hidden, and what it costs in accuracy."""

import tempfile
from pathlib import Path

import privet as pv
from privet import examples

PROMISE = pv.PureDP("0.5")
UNITS = (
    pv.Row(),
    pv.Person("patient_id", max_rows=6, max_groups=2),
    pv.Person("patient_id", max_rows=20, max_groups=5),
)

with tempfile.TemporaryDirectory() as folder:
    file = examples.write(Path(folder) / "patients.parquet", examples.hospital(2_000))
    for unit in UNITS:
        patients = pv.open_table(file, unit=unit, keys={"ward": ["Cardiology", "Surgery"]})
        question = patients.group_by("ward").agg(n=pv.count())
        (error,) = pv.explain(question, PROMISE).errors
        print(f"{unit.sentence()}\n  {error}")
