"""The rehearsal refuses what is beyond a limit, in every format, and leaves all else to the opening itself."""

import gzip
import json
import time
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet import errors
from privet.engine import _file_check as file_check
from privet.engine._file_check import _depth, check
from privet.engine._reader_limits import ReaderLimits

DEFAULTS = ReaderLimits()


def refused(limit: str, kind: str, path: Path, limits: ReaderLimits = DEFAULTS) -> None:
    with pytest.raises(errors.SourceTooLarge) as caught:
        check(kind, path, None, limits)
    assert caught.value.details["limit"] == limit


def nested(depth: int) -> pa.Table:
    kind: pa.DataType = pa.int64()
    value: object = 1
    for _ in range(depth):
        kind, value = pa.struct([("a", kind)]), {"a": value}
    return pa.table({"c": pa.array([value], kind)})


def test_a_file_that_is_too_large(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    check("csv", tmp_path / "t.csv", None, DEFAULTS)
    refused("file_bytes", "csv", tmp_path / "t.csv", ReaderLimits(file_bytes=3))


def test_a_gzipped_file_that_unpacks_to_too_much(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"1\n" * 2_000_000))
    check("csv", path, None, DEFAULTS)  # small in all
    refused("ratio", "csv", path, ReaderLimits(ratio_from=1_000_000))
    refused("unpacked_bytes", "csv", path, ReaderLimits(unpacked_bytes=1_000_000))


def test_a_bomb_behind_other_members_is_seen(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a\n1\n") * 3 + gzip.compress(b"1\n" * 3_000_000))
    refused("ratio", "csv", path, ReaderLimits(ratio_from=1_000_000))


def test_ordinary_gzipped_text_passes(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress("".join(f"{n},{n * n % 977}\n" for n in range(300_000)).encode()))
    check("csv", path, None, ReaderLimits(ratio_from=1_000_000))


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz"])
def test_json_that_is_too_deep(tmp_path, name):
    path = tmp_path / name
    pack = gzip.compress if name.endswith(".gz") else bytes
    for depth, line in ((30, {"a": "[" * 500}), (32, None), (33, None), (20_000, None)):
        text = json.dumps(line) if line else '{"a":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
        path.write_bytes(pack(b'{"a": 1}\n' + text.encode()))
        if depth <= 32:
            check("json", path, None, DEFAULTS)
        else:
            refused("depth", "json", path)


@pytest.mark.parametrize("end", [b"", b"\\", b"\n", b'"'])
def test_quotes_without_an_end_take_no_quadratic_time(end):
    started = time.process_time()
    assert _depth(b'{"a": "' + b'\\"[' * 300_000 + end) == 1
    assert time.process_time() - started < 5


def test_parquet_that_is_too_deep_or_wide_or_says_too_much(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(nested(10), path)
    check("parquet", path, None, DEFAULTS)
    pq.write_table(nested(40), path)
    refused("depth", "parquet", path)
    pq.write_table(pa.table({f"c{n}": [1] for n in range(30)}), path)
    refused("columns", "parquet", path, ReaderLimits(columns=29))
    refused("rows", "parquet", path, ReaderLimits(rows=0))


def test_parquet_pages_that_unpack_to_too_much(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["x" * 1000] * 20_000}), path, compression="zstd", use_dictionary=False)
    check("parquet", path, None, DEFAULTS)
    refused("ratio", "parquet", path, ReaderLimits(ratio_from=1_000_000))
    refused("unpacked_bytes", "parquet", path, ReaderLimits(unpacked_bytes=1_000_000))


def test_a_database_with_too_many_tables_or_too_deep_types(tmp_path):
    path = tmp_path / "t.duckdb"
    with duckdb.connect(path) as made:
        made.execute("CREATE TABLE a (x INTEGER[][][])")
        made.execute("CREATE SCHEMA s; CREATE TABLE s.b (y STRUCT(z STRUCT(w INTEGER)))")
    check("duckdb", path, "a", DEFAULTS)
    refused("tables", "duckdb", path, ReaderLimits(tables=1))
    for inner in ("a", "main.a", "s.b"):
        with pytest.raises(errors.SourceTooLarge):
            check("duckdb", path, inner, ReaderLimits(depth=1))


@pytest.mark.parametrize("kind", ["csv", "json", "parquet", "duckdb"])
def test_what_is_merely_malformed_passes(tmp_path, kind):
    path = tmp_path / "t"
    path.write_bytes(b"\x00\xff{}PAR1" * 50)
    check(kind, path, None, DEFAULTS)


def test_the_depth_of_a_type():
    assert file_check._levels("INTEGER") == 0
    assert file_check._levels("INTEGER[][]") == 2
    assert file_check._levels('STRUCT("a((((" STRUCT(b INTEGER))') == 2


def test_brackets_in_text_are_no_depth():
    assert file_check._depth(b'{"a": "[[[[[\\"[["}') == 1
    assert file_check._depth(b'{"a": [{"b": []}]}') == 4
    assert file_check._depth(b'"' + b"\\" * 100_000) == 0  # no backtracking
