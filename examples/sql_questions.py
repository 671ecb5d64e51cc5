"""SQL over private tables: joins, sub-queries of persons, time windows, computed columns, and refusals.

Run it anywhere: it generates patients and their visits, keeps its ledger in a temporary folder, and removes both.
"""

from __future__ import annotations

import datetime
import tempfile
from pathlib import Path

import pyarrow as pa

import privet as pv
from privet.examples import hospital

QUESTIONS = {
    "by month, newest first": """
        SELECT DATE_TRUNC('month', admitted) AS month, COUNT(*) AS stays
        FROM stays GROUP BY month ORDER BY month DESC LIMIT 3
    """,
    "costs per day, from noisy sums": """
        SELECT ward, SUM(cost) / SUM(days) AS per_day, 100.0 * COUNT(*) FILTER (WHERE days > 7) / COUNT(*) AS long_share
        FROM stays GROUP BY ward HAVING COUNT(*) > 50 ORDER BY per_day DESC
    """,
    "with a public list of wards": """
        SELECT w.site, COUNT(DISTINCT s.patient_id) AS patients
        FROM stays s JOIN wards w ON s.ward = w.ward GROUP BY w.site
    """,
    "two private tables, person by person": """
        SELECT p.sex, COUNT(*) AS stays FROM people p JOIN stays s USING (patient_id) GROUP BY p.sex
    """,
    "one row for each person first": """
        SELECT CASE WHEN stays > 1 THEN 'several stays' ELSE 'one stay' END AS kind, COUNT(*) AS patients
        FROM (SELECT patient_id, COUNT(*) AS stays FROM stays GROUP BY patient_id) GROUP BY kind
    """,
    "each ward and the whole house": "SELECT ward, COUNT(*) AS n FROM stays GROUP BY ROLLUP (ward)",
}
REFUSED = "SELECT ward, MAX(cost) FROM stays GROUP BY ward"


def tables() -> dict[str, pv.Table | pv.PublicTable]:
    """Two private tables of the same persons, and a public one."""
    rows = hospital(patients=1500, seed=7)
    wards = sorted({ward for ward in rows["ward"].to_pylist() if ward is not None})
    people = rows.select(["patient_id", "sex"]).group_by(["patient_id"]).aggregate([("sex", "min")])
    return {
        "stays": pv.open_table(
            rows,
            unit=pv.Person("patient_id", max_rows=6, max_groups=2),
            bounds={
                "days": (0, 60),
                "cost": (0, 50_000),
                "admitted": (datetime.date(2025, 1, 1), datetime.date(2025, 12, 31)),
            },
            keys={"ward": wards},
            name="stays",
            version="1",
        ),
        "people": pv.open_table(
            people.rename_columns(["patient_id", "sex"]),
            unit=pv.Person("patient_id", max_rows=1),
            keys={"sex": ["F", "M"]},
            name="people",
            version="1",
        ),
        "wards": pv.open_public(
            pa.table({"ward": wards, "site": ["north" if at % 2 else "south" for at in range(len(wards))]}),
            name="wards",
        ),
    }


def main() -> None:
    """Ask every question once, and show one refusal."""
    known = tables()
    with (
        tempfile.TemporaryDirectory() as folder,
        pv.Ledger(Path(folder) / "stays.ledger", limit=pv.PureDP(20)) as ledger,
    ):
        for title, sql in QUESTIONS.items():
            print(f"\n{title}")
            print(pv.release(sql, pv.PureDP(2), tables=known, ledger=ledger, why="example"))
        try:
            pv.release(REFUSED, pv.PureDP(2), tables=known, ledger=ledger, why="example")
        except pv.errors.BadQuestion as refusal:
            print(f"\n{refusal}")


if __name__ == "__main__":
    main()
