"""Relations and kinds of columns: what a table holds, asked without reading it."""

import pickle

import ibis
import ibis.expr.datatypes as dt
import pyarrow as pa
import pytest

from privet.engine._relation import ENGINES, ColumnKind, Relation, kind_of, kinds_in
from privet.errors import AnotherProcess


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        (dt.boolean, ColumnKind.BOOLEAN),
        (dt.int8, ColumnKind.INTEGER),
        (dt.uint64, ColumnKind.INTEGER),
        (dt.float32, ColumnKind.REAL),
        (dt.Decimal(10, 2), ColumnKind.REAL),
        (dt.string, ColumnKind.TEXT),
        (dt.uuid, ColumnKind.TEXT),
        (dt.date, ColumnKind.DATE),
        (dt.Timestamp(timezone="UTC"), ColumnKind.TIMESTAMP),
        (dt.time, ColumnKind.OTHER),
        (dt.Array(dt.int8), ColumnKind.OTHER),
        (dt.binary, ColumnKind.OTHER),
    ],
)
def test_kinds_of_types(dtype, kind):
    assert kind_of(dtype) is kind


def test_numbers_are_whole_or_real():
    assert [kind for kind in ColumnKind if kind.is_number] == [ColumnKind.INTEGER, ColumnKind.REAL]


def test_columns_in_order():
    rows = pa.table({"b": [1], "a": ["x"], "c": [[1]]})
    kinds = {"b": ColumnKind.INTEGER, "a": ColumnKind.TEXT, "c": ColumnKind.OTHER}
    assert list(kinds_in(rows).items()) == list(kinds.items())
    relation = Relation(ibis.memtable(rows), "duckdb")
    assert list(relation.columns.items()) == list(kinds.items())


def test_another_table_keeps_what_is_known_of_the_source():
    first = Relation(ibis.memtable(pa.table({"a": [1]})), "duckdb", unread=True, remarks=("read as text",))
    second = first.with_table(first.table.select("a"))
    assert (second.engine, second.unread, second.remarks) == ("duckdb", True, ("read as text",))
    assert second.elsewhere is None
    assert second.files == ()


def test_a_relation_stays_in_its_process():
    with pytest.raises(AnotherProcess):
        pickle.dumps(Relation(ibis.memtable(pa.table({"a": [1]})), "duckdb"))
    assert ENGINES == ("duckdb", "pyspark", "postgres")
