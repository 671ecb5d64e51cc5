"""Neighbours on the command line: a view that fails on one person's row, and constants that an engine could not take."""

from __future__ import annotations

import duckdb
import pytest
from tests.app.doors import inside

UNIT = ["--unit", "patient_id", "--max-rows", "1", "--budget", "3"]
OVERSIZED = (
    "SELECT COUNT(*) AS n FROM t WHERE CASE WHEN patient_id = 'p1234' "
    "THEN SUBSTRING(ward, 1, 9999999999) = 'x' ELSE FALSE END"
)


def privet(folder, *arguments):
    return inside(*arguments, cwd=folder, env={"NO_COLOR": "1"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two neighbouring files of each kind: with and without p1234."""
    place = tmp_path_factory.mktemp("neighbours")
    for name, people in {
        "with": range(1200, 1300),
        "without": [*range(1200, 1234), *range(1235, 1300)],
    }.items():
        rows = [(f"p{person}", "ICU" if person % 2 else "Surgery") for person in people]
        lines = ["patient_id,ward", *(",".join(row) for row in rows)]
        (place / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        with duckdb.connect(place / f"{name}.duckdb") as database:
            database.execute("CREATE TABLE base (patient_id TEXT, ward TEXT)")
            database.executemany("INSERT INTO base VALUES (?, ?)", rows)
            database.execute(
                "CREATE VIEW stays AS SELECT patient_id, "
                "CASE WHEN patient_id = 'p1234' THEN error('p1234 is here') ELSE ward END AS ward FROM base"
            )
    return place


def test_a_view_in_a_file_is_refused_whoever_is_there(folder):
    """What its SQL does is nobody's to foresee; that a failing relation shows nothing is tested on every engine."""
    sql = "SELECT COUNT(*) AS n FROM t WHERE ward = 'ICU'"
    asked = ["--epsilon", "0.01", *UNIT]
    seen = [
        privet(folder, "query", f"{name}.duckdb#stays", sql, *asked, "--ledger", f"{name}.view")
        for name in ("with", "without")
    ]
    assert seen[0].code == seen[1].code != 0
    assert seen[0].out == seen[1].out
    assert seen[0].err == seen[1].err
    assert not list(folder.glob("*.view"))


def test_an_oversized_constant_is_refused_whoever_is_there(folder):
    seen = [
        privet(
            folder, "query", f"{name}.csv", OVERSIZED, "--epsilon", "0.001", *UNIT, "--ledger", f"{name}.big"
        )
        for name in ("with", "without")
    ]
    assert [done.code for done in seen] == [2, 2]
    assert seen[0].err == seen[1].err
    assert "no text is longer" in seen[0].err
    assert [(folder / f"{name}.big").exists() for name in ("with", "without")] == [False, False]
