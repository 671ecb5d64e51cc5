"""The text of a question is no way around the noise: no constant in it fails, or changes the answer's shape, by data."""

import pyarrow as pa
import pytest

import privet as pv

# Each would raise, or change type, in some database for some value of the column.
TEXTS = [
    "SELECT COUNT(*) AS n FROM t WHERE 1 / (days - 3) > 0",
    "SELECT COUNT(*) AS n FROM t WHERE CAST(ward AS INTEGER) = 7",
    "SELECT COUNT(*) AS n FROM t WHERE CAST(ward AS DATE) = DATE '2026-01-01'",
    "SELECT COUNT(*) AS n FROM t WHERE whole * 9223372036854775807 > 1",
    "SELECT COUNT(*) AS n FROM t WHERE whole % (whole - 3) = 1",
    "SELECT SUM(CLAMP(days * 1e300, 0, 1)) AS n FROM t",
    "SELECT SUM(CASE WHEN ward = '7' THEN 1 ELSE 0 END) AS n FROM t",
    "SELECT COUNT(*) AS n FROM (SELECT id, MAX(1 / (days - 3)) AS m FROM t GROUP BY id) WHERE m > 0",
    "SELECT ward = '7' AS seven, COUNT(*) AS n FROM t GROUP BY seven",
    "SELECT COUNT(*) AS n FROM t WHERE SUBSTRING(ward, 1, 1) = '7' HAVING COUNT(*) / (COUNT(*) - 3) > -9",
]
ROWS = {
    "absent": [(1, "a", 1.0, 1), (2, "b", 2.0, 2)],
    "present": [(1, "a", 1.0, 1), (2, "7", 3.0, 3)],
    "odd": [(1, "2026-02-30", float("nan"), 2**63 - 1), (2, "99999999999999999999", float("inf"), -(2**63))],
}


def _shape(rows, text, folder):
    table = pv.open_table(
        pa.table(
            {
                "id": [row[0] for row in rows],
                "ward": [row[1] for row in rows],
                "days": [row[2] for row in rows],
                "whole": pa.array([row[3] for row in rows], pa.int64()),
            }
        ),
        unit=pv.Person("id", max_rows=1),
        name="t",
        version="1",
    )
    with pv.Ledger(folder, limit=pv.PureDP(10)) as ledger:
        answer = pv.release(text, pv.PureDP(1), table=table, ledger=ledger, why="test")
    return (
        list(answer.keys.items()),
        [(one.name, one.meaning, len(one.values)) for one in answer.answers],
        answer.provenance.stages,
        answer.notes,
    )


@pytest.mark.parametrize("text", TEXTS)
def test_every_question_is_answered_alike_whatever_the_rows_hold(text, tmp_path):
    shapes = [_shape(rows, text, tmp_path / f"{name}.ledger") for name, rows in ROWS.items()]
    if "HAVING" not in text:
        assert shapes[0] == shapes[1] == shapes[2]
    else:
        assert shapes[0][2:] == shapes[1][2:] == shapes[2][2:]
