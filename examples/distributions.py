"""How values spread: quantiles, histograms, cross tables, common and distinct values. See docs/guide/distributions.md."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet.examples import hospital, write

WARDS = ["Surgery", "Oncology", "Cardiology"]

with TemporaryDirectory() as folder:
    write(Path(folder) / "patients.parquet", hospital(patients=5_000, seed=7))
    patients = pv.open_table(
        Path(folder) / "patients.parquet",
        unit=pv.Person("patient_id", max_rows=6, max_groups=2),
        bounds={"days": (0, 60)},
        keys={"ward": WARDS, "sex": ["F", "M"]},
    )
    ledger = pv.Ledger(Path(folder) / "patients.ledger", limit=pv.ApproxDP(10, 1e-6))

    typical = patients.group_by("ward").agg(n=pv.count(), typical=pv.median("days"))
    print(pv.explain(typical, pv.PureDP(1), ledger=ledger))
    print(pv.release(typical, pv.PureDP(1), ledger=ledger, why="typical stays"))

    tenths = patients.agg(days=pv.quantiles("days", [n / 10 for n in range(1, 10)]))
    print(pv.release(tenths, pv.PureDP(1), ledger=ledger, why="spread of stays"))

    stays = patients.agg(n=pv.histogram("days", [0, 1, 3, 7, 14, 60], nonnegative=True))
    print(pv.release(stays, pv.PureDP(1), ledger=ledger, why="lengths of stays"))

    crossed = patients.agg(n=pv.contingency("ward", "sex", other=True, margins=True))
    print(pv.release(crossed, pv.PureDP(1), ledger=ledger, why="wards by sex"))

    common = patients.agg(who=pv.most_common("diagnosis", 5))
    print(pv.release(common, pv.ApproxDP(1, 1e-7), ledger=ledger, why="common diagnoses"))

    kinds = patients.group_by("ward").agg(kinds=pv.distinct("diagnosis"))
    print(pv.release(kinds, pv.PureDP(1), ledger=ledger, why="breadth of wards"))
    ledger.close()
