"""The rehearsal refuses what is beyond a limit, in every format, and leaves all else to the opening itself."""

import contextlib
import gzip
import json
import time
from pathlib import Path

import duckdb
import numpy as np
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


def repeated(value: object, times: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(times, np.int32)), pa.array([value]))


@pytest.mark.parametrize(
    "bomb",
    [
        lambda: repeated("x" * 1_000_000, 100_000),  # a dictionary of one long text: 100 GB
        lambda: pa.array(np.zeros(20_000_000, np.int64)),  # runs: 160 MB of some bytes
        lambda: pa.ListArray.from_arrays(
            pa.array([0, 20_000_000], pa.int32()), np.zeros(20_000_000, np.int8)
        ),
        lambda: pa.ListArray.from_arrays(
            pa.array([0, 20_000], pa.int32()), pa.array(["x" * 10_000]).take(np.zeros(20_000, np.int64))
        ),
        lambda: pa.nulls(40_000_000, pa.int64()),
    ],
    ids=["dictionary", "runs", "lists", "texts in lists", "nothing"],
)
def test_parquet_that_repeats_a_value_until_it_fills_the_memory(tmp_path, bomb):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"v": bomb()}), path, compression="zstd")
    assert path.stat().st_size < 300_000
    started = time.process_time()
    refused("ratio", "parquet", path)
    assert time.process_time() - started < 10


def test_parquet_of_few_words_in_many_rows_passes(tmp_path):
    path = tmp_path / "t.parquet"
    draw = np.random.default_rng(1)
    words = pa.array(["red", "green", "blue"]).dictionary_encode()
    codes = pa.array(draw.integers(0, 3, 2_000_000).astype(np.int32))
    pq.write_table(
        pa.table({"id": np.arange(2_000_000), "v": pa.DictionaryArray.from_arrays(codes, words.dictionary)}),
        path,
    )
    check("parquet", path, None, ReaderLimits(ratio_from=1_000_000))


@pytest.mark.parametrize("says", [2**31 - 1, 2**62])
def test_a_footer_that_says_more_than_there_is(tmp_path, says):
    """Lengths are claims: whatever a footer says, the file is refused or passes, and nothing of that size is made."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"v": [7] * 100}), path, compression="none", use_dictionary=False)
    whole = path.read_bytes()
    end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for place in range(end, len(whole) - 8):
        # One hundred as Thrift writes it (zigzag): wherever it stands, a huge number of the same length of file.
        if whole[place : place + 2] == b"\xc8\x01":
            huge = bytearray()
            rest = says * 2
            while rest > 127:
                huge.append(rest % 128 | 128)
                rest //= 128
            footer = whole[end:place] + bytes([*huge, rest]) + whole[place + 2 : -8]
            path.write_bytes(whole[:end] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
            started = time.process_time()
            with contextlib.suppress(errors.SourceTooLarge):
                check("parquet", path, None, DEFAULTS)
            assert time.process_time() - started < 10


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
