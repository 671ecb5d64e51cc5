"""Four hospitals answer one question together, and none of them shows a row or a count. What docs/guide/federate.md walks through."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

import privet as pv
from privet.errors import RoundFailed

draw = np.random.default_rng(1)  # noqa: TID251  made-up people: nobody in them exists


def hospital(patients: int, oldest: int) -> pa.Table:
    """Made-up patients of one hospital."""
    ages = draw.uniform(25, oldest, patients)
    disease = np.where(draw.random(patients) < ages / 120, "yes", "no")
    return pa.table({"age": ages, "disease": disease})


study = pv.Study(
    "patients",
    "SELECT disease, COUNT(*) AS n, AVG(age) AS age FROM patients GROUP BY disease",
    pv.ZeroConcentratedDP("0.05"),
    unit=pv.Row(),
    columns={"age": (0, 100), "disease": ["no", "yes"]},  # public: known without any hospital's data
    sites=4,
    threshold=3,
    colluders=1,
)
for exposure in study.exposures(delta="1e-6"):
    print(exposure)

tables = [
    pv.open_table(hospital(patients, oldest), unit=pv.Row(), version="2026-11")
    for patients, oldest in ((303, 77), (294, 66), (123, 74), (200, 79))
]
with TemporaryDirectory() as folder:
    own = [
        pv.Ledger(Path(folder) / f"hospital{n}.ledger", limit=pv.ZeroConcentratedDP("0.5")) for n in range(4)
    ]
    book = pv.Ledger(Path(folder) / "study.ledger", limit=pv.ZeroConcentratedDP("0.5"))

    answer = pv.federate(study, tables, ledgers=own, ledger=book, why="how old are patients")
    print(answer)

    # A hospital whose connection breaks after it shared its keys: the sum over the other three is exact all the same.
    again = pv.federate(study, tables, ledgers=own, ledger=book, why="again", number=2, lost={2: "mask"})
    print(f"sites in the sum: {again.survivors}; hospital 2 has booked nothing: {again.receipts[2] is None}")

    try:  # two of four are fewer than the threshold: nothing is opened
        pv.federate(
            study, tables, ledgers=own, ledger=book, why="too few", number=3, lost={1: "mask", 2: "mask"}
        )
    except RoundFailed as refusal:
        print(refusal)
