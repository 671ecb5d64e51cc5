"""Four made-up hospitals, a study of them, and their ledgers."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from privet.guarantee import Row, ZeroConcentratedDP
from privet.ledger import Ledger
from privet.protect.federate import Study
from privet.source import Table, open_table

QUESTION = "SELECT ward, COUNT(*) AS n, AVG(age) AS age FROM patients GROUP BY ward"


def study(question: str = QUESTION, rho: str = "2", **terms: object) -> Study:
    stated = {"sites": 4, "threshold": 3, "colluders": 1} | terms
    columns = {"age": (0, 100), "ward": ["heart", "lung", "skin"]}
    return Study("patients", question, ZeroConcentratedDP(rho), unit=Row(), columns=columns, **stated)


def frames(rows: int = 300, sites: int = 4) -> list[pa.Table]:
    draw = np.random.default_rng(3)
    return [
        pa.table({"ward": draw.choice(["heart", "lung"], rows), "age": draw.uniform(20, 90, rows)})
        for _ in range(sites)
    ]


def tables(sites: int = 4) -> list[Table]:
    return [open_table(frame, unit=Row(), version=f"site {n}") for n, frame in enumerate(frames(sites=sites))]


def ledgers(folder: Path, count: int = 5, limit: int = 10) -> list[Ledger]:
    return [Ledger(folder / f"{n}.ledger", limit=ZeroConcentratedDP(limit)) for n in range(count)]
