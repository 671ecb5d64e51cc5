"""Values that do not fit the type of their column: no question, whatever it is, can fail on such a row once it is booked.

Sources that look at what is put into them do not have such values. For the others one row is spoiled, and questions are
worded to reach that row and no other. Each is answered, or refused with nothing spent; whichever it is does not depend
on the rows that it speaks of.
"""

from __future__ import annotations

import sqlite3

import pyarrow as pa
import pytest
from pyarrow import parquet

import privet as pv
from privet.errors import PrivetError

ROWS, SPOILED = 60, 41
DOORS = ["arrow", "batches", "parquet", "csv", "json", "sqlite"]
# What stands in the spoiled row: the type of the column, its value there, and its value in all other rows.
VALUES = {
    "no UTF-8": (pa.string(), b"\xff\xfeward", b"ward"),
    "half a letter": (pa.string(), b"ward\xc3", b"ward"),
    "a surrogate": (pa.string(), b"\xed\xa0\x80", b"ward"),
    "too many seconds": (pa.timestamp("s"), 2**62, 7),
    "too many milliseconds": (pa.timestamp("ms"), -(2**62), 7),
    "too many milliseconds in a zone": (pa.timestamp("ms", "Asia/Tokyo"), 2**62, 7),
    "the last nanosecond": (pa.timestamp("ns"), 2**63 - 1, 7),
    "the last microsecond": (pa.timestamp("us"), 2**63 - 1, 7),
    "the first day": (pa.date32(), -(2**31), 7),
}
SELECTED = ["id = {at}", "id <> {at}", "CASE WHEN id = {at} THEN {about} ELSE FALSE END"]


def column(kind, spoiled, other):
    values = [spoiled if at == SPOILED else other for at in range(ROWS)]
    if not pa.types.is_string(kind):
        return pa.array(values, pa.int32() if pa.types.is_date(kind) else pa.int64()).view(kind)
    stored = pa.array(values, pa.binary())
    return pa.Array.from_buffers(kind, len(stored), stored.buffers())


def put(door, kind, spoiled, other, folder):
    """A source with one spoiled row; None where it cannot have one, or not be written without our looking at it."""
    table = pa.table({"id": list(range(ROWS)), "c": column(kind, spoiled, other)})
    if door in ("arrow", "batches"):
        return table if door == "arrow" else table.to_reader()
    if door == "parquet":
        if kind == pa.timestamp("s"):  # Parquet has none
            return None
        parquet.write_table(table, folder / "t.parquet", row_group_size=20)
        return folder / "t.parquet"
    if not pa.types.is_string(kind):
        return None
    cells = [spoiled if at == SPOILED else other for at in range(ROWS)]
    if door == "sqlite":
        with sqlite3.connect(folder / "t.sqlite") as database:
            database.execute("CREATE TABLE t (id INTEGER, c TEXT)")
            database.executemany("INSERT INTO t VALUES (?, CAST(? AS TEXT))", enumerate(cells))
        database.close()
        return folder / "t.sqlite"
    lines = {
        "csv": [b"id,c\n", *(b"%d,%s\n" % row for row in enumerate(cells))],
        "json": [b'{"id": %d, "c": "%s"}\n' % row for row in enumerate(cells)],
    }
    path = folder / {"csv": "t.csv", "json": "t.jsonl"}[door]
    path.write_bytes(b"".join(lines[door]))
    return path


def questions(kind):
    """Worded so that the spoiled row is reached, or is not."""
    if pa.types.is_string(kind):
        about = [
            "UPPER(c) = 'WARD'",
            "LENGTH(c) > 2",
            "SUBSTRING(TRIM(c), 2, 3) = 'ard'",
            "CAST(c AS BIGINT) > 1",
        ]
    else:
        about = ["EXTRACT(year FROM c) > 1", "DATE_TRUNC('month', c) > DATE '2020-01-01'", "c IS NULL"]
    for one in about:
        for selected in SELECTED:
            condition = selected.format(at=SPOILED, about=one)
            yield f"SELECT COUNT(*) AS n FROM t WHERE {condition}" + (
                "" if "CASE" in selected else f" AND {one}"
            )
    yield "SELECT COUNT(c) AS n, COUNT(DISTINCT c) AS m FROM t"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("what", VALUES)
def test_no_question_fails_on_one_row_after_it_was_booked(door, what, tmp_path):
    kind, *values = VALUES[what]
    source = put(door, kind, *values, tmp_path)
    if source is None:
        return
    try:
        table = pv.open_table(source, unit=pv.Person("id", max_rows=1), name="t", version="1")
    except PrivetError:
        return  # nobody can ask anything
    outcomes, asked = [], 0
    with pv.Ledger(tmp_path / "book.ledger", limit=pv.PureDP(1000)) as ledger:
        for asked, question in enumerate(questions(kind), 1):  # noqa: B007  counted below
            try:
                pv.release(question, pv.PureDP(1), table=table, ledger=ledger, why="test")
                outcomes.append("answered")
            except PrivetError as refusal:
                outcomes.append(refusal.code)
        assert [incident.doing for incident in ledger.incidents()] == []
        assert ledger.balance().spends == outcomes.count("answered")
    assert len(set(outcomes)) == 1
    assert asked == len(outcomes)
