"""Operations that engines spell differently: what they mean on the embedded one, and that nothing raises."""

import datetime
import hashlib
import math

import ibis
import pyarrow as pa
import pytest

from privet.engine import _dialects as portable
from privet.engine._engine_results import fetch
from privet.engine._relation import ColumnKind
from privet.errors import BadExpression

BACKEND = ibis.duckdb.connect()


def computed(values, make, kind=None):
    table = BACKEND.create_table("values_", pa.table({"a": pa.array(values, kind)}), overwrite=True)
    return fetch(table.select(out=make(table.a)), "duckdb")["out"].to_pylist()


def test_what_is_neither_missing_nor_no_number_is_there():
    assert computed([1.0, math.nan, None, math.inf], portable.is_there) == [True, False, False, True]
    assert computed([1, None], portable.is_there, pa.int64()) == [True, False]
    assert computed(["", None], portable.is_there) == [True, False]
    assert computed([1.0, 2.0], lambda value: portable.is_there(value, value.nullif(1.0))) == [False, True]


def test_whole_numbers_are_rounded_down_and_missing_where_a_cast_could_fail():
    values = [2.5, -2.5, 2.0**62, 2.0**62 * 1.01, -(2.0**63), math.inf, None]
    assert computed(values, portable.floor_to_whole) == [2, -3, 2**62, None, None, None, None]


def test_constants_are_the_same_doubles():
    assert computed([1], lambda _: portable.real(0.1)) == [0.1]  # exact: the same double is the point
    assert computed([1], lambda _: portable.real(1e-300)) == [1e-300]  # exact: the same double is the point
    assert computed([1], lambda _: portable.whole(2**62)) == [2**62]
    assert computed([1], lambda _: portable.missing(ColumnKind.DATE)) == [None]


def test_only_four_characters_are_white_space():
    assert computed(["\t vf x \n\r", "\u00a0x"], lambda a: portable.trim(a, "duckdb")) == ["vf x", "\u00a0x"]


def test_days_as_text():
    assert computed([datetime.date(2026, 1, 31)], lambda a: portable.day_text(a, "duckdb")) == ["2026-01-31"]


@pytest.mark.parametrize("text", ["", "a", "ä", "x" * 1000])
def test_a_digest_is_the_first_four_bytes_lowest_first(text):
    wanted = int.from_bytes(hashlib.md5(text.encode(), usedforsecurity=False).digest()[:4], "little")
    assert computed([text], lambda a: portable.digest_word(a, "duckdb")) == [wanted]


def test_canonical_numbers():
    canonical = lambda a: portable.canonical(a, "duckdb")  # noqa: E731
    assert [str(value) for value in computed([-0.0, math.nan, 2.5, None], canonical)] == [
        "0.0",
        "None",
        "2.5",
        "None",
    ]
    assert computed([2**64 - 1, 4], canonical, pa.uint64()) == [None, 4]
    assert computed([7], canonical, pa.int8()) == [7]
    assert computed(["x"], canonical) == ["x"]


def test_keys_keep_small_whole_numbers():
    table = BACKEND.create_table(
        "values_", pa.table({"a": pa.array([1], pa.int8()), "b": pa.array([1], pa.uint64())}), overwrite=True
    )
    assert portable.canonical_key(table.a, "duckdb").type().is_int8()
    assert portable.canonical_key(table.b, "duckdb").type().is_int64()


def test_days_outside_the_years_1_to_9999_are_missing():
    table = BACKEND.sql(
        "SELECT unnest(['0001-01-01'::DATE, '9999-12-31'::DATE, '10000-01-01'::DATE, '0001-01-01 (BC)'::DATE]) AS a"
    )
    found = table.select(out=portable.canonical(table.a, "duckdb").cast("string"))
    assert fetch(found, "duckdb")["out"].to_pylist() == ["0001-01-01", "9999-12-31", None, None]


def test_text_is_compared_byte_by_byte():
    BACKEND.raw_sql("CREATE OR REPLACE TABLE loose (a VARCHAR COLLATE NOCASE)")
    BACKEND.raw_sql("INSERT INTO loose VALUES ('x'), ('X')")
    table = BACKEND.table("loose")
    strict = portable.without_collations(table, "duckdb")
    assert fetch(strict.filter(strict.a == "x"), "duckdb")["a"].to_pylist() == ["x"]
    numbers = BACKEND.create_table("values_", pa.table({"a": [1]}), overwrite=True)
    assert portable.without_collations(numbers, "duckdb") is numbers


def test_operations_are_counted_as_often_as_they_are_written():
    table = ibis.table({"a": "int64"}, name="t")
    one = table.a + 1
    assert portable.operations_in(table.a) == 1
    assert portable.operations_in(one) == 3
    assert portable.operations_in(one * one) == 7
    shared = one
    for _ in range(13):
        shared = shared * shared
    with pytest.raises(BadExpression, match="too long"):
        portable.require_short(shared)
    portable.require_short(one)


def test_values_are_kept_where_a_condition_holds():
    assert computed([1, -1, None], lambda a: portable.keep_if(a > 0, a)) == [1, None, None]
