"""Spread, correlation and a regression, released privately. What docs/guide/spread-and-dependence.md walks through."""

from pathlib import Path
from tempfile import TemporaryDirectory

import privet as pv
from privet import examples

with TemporaryDirectory() as folder:
    patients = pv.open_table(
        examples.hospital(patients=20_000, seed=7),
        unit=pv.Person("patient_id", max_groups=1, max_rows=2),
        bounds={"days": (0, 30), "cost": (0, 30_000)},
        name="stays",
    )
    spread = patients.agg(
        mean=pv.mean("days"), deviation=pv.deviation("days"), together=pv.correlation("days", "cost")
    )
    line = patients.derive(year=pv.col("born").part("year")).agg(
        dollars=pv.regression("cost", on=["days", "year"], bounds={"year": (1920, 2022)})
    )
    print(pv.explain(line, pv.ApproxDP(1, 1e-7)))
    with pv.Ledger(Path(folder) / "stays.ledger", limit=pv.ApproxDP(2, 2e-7)) as ledger:
        print(pv.release(spread, pv.ApproxDP(1, 1e-7), ledger=ledger, why="bed plan"))
        print(pv.release(line, pv.ApproxDP(1, 1e-7), ledger=ledger, why="cost model"))
