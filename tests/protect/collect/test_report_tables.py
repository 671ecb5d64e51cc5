"""Reports as tables and lines: the format that other clients share, held by test vectors."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.collect.specifications import ALL, collection, values_for

import privet as pv
from privet.errors import ForeignReports
from privet.mechanism import WordStream
from privet.protect.collect._batch_intake import intake
from privet.protect.collect._report_tables import arrow_type, has_columns
from privet.protect.collect._report_validation import read_reports

VECTORS = json.loads((Path(__file__).parent / "report_vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: vector["title"])
def test_the_same_bytes_make_the_same_report_everywhere(vector) -> None:
    """A specification, random bytes and a value make one report; clients in other languages read the same file."""
    made = pv.Collection.from_json(vector["specification"])
    assert made.fingerprint == vector["fingerprint"]
    for case in vector["cases"]:
        stream = WordStream.of_bytes(bytes.fromhex(case["random"]), private=True)
        value = case["value"]
        values = {name: [one] for name, one in value.items()} if isinstance(value, dict) else [value]
        (line,) = made.lines(made.reports_from(values, stream))
        assert json.loads(line) == case["report"]


def test_the_vectors_cover_every_protocol() -> None:
    assert {vector["title"].split()[0] for vector in VECTORS["vectors"]} == set(ALL)


@pytest.mark.parametrize("kind", ALL)
def test_lines_say_what_tables_say(kind: str) -> None:
    made = collection(kind)
    table = made.randomize(values_for(kind, 30))
    empty = dict.fromkeys(table.column_names)
    lines = [{**empty, **json.loads(line)} for line in made.lines(table)]
    read = read_reports(pa.Table.from_pylist(lines), made)
    assert read.left_out == 0
    assert read.table == read_reports(table, made).table


def test_bits_stand_lowest_first_and_the_last_byte_is_filled_with_zeros() -> None:
    made = collection("sue", 32)
    (line,) = made.lines(made.reports_from(["v9"], WordStream.of_bytes(bytes([200] * 12), private=True)))
    assert json.loads(line)["bits"] == "AAI="  # bytes 0x00 and 0x02: bit 9


def test_columns_are_of_few_types() -> None:
    assert arrow_type("uint64") == pa.uint64()
    assert arrow_type("bits") == pa.binary()
    assert arrow_type("list") == pa.list_(pa.uint32())


def test_what_lacks_a_column_is_no_report() -> None:
    with pytest.raises(ForeignReports, match="'value'"):
        has_columns(["collection", "seed"], collection("olh").protocol.columns())


def test_columns_of_some_rows_are_empty_in_the_others() -> None:
    table = collection("sampled").randomize(values_for("sampled", 200))
    filled = np.array([[value is not None for value in column.to_pylist()] for column in table.columns[1:]])
    assert (filled.sum(axis=0) == 1).all()


@pytest.mark.parametrize("kind", ALL)
def test_a_batch_is_what_a_collector_takes(kind: str) -> None:
    made = collection(kind)
    table = made.randomize(values_for(kind, 30))
    found = intake(made.batch(table), made)
    assert (len(found.reports), sum(found.refused.values())) == (30, 0)
    assert len({name for name, _ in found.reports}) == 30
    assert sorted(report for _, report in found.reports) == sorted(made.lines(table))


def test_devices_make_a_batch_alone_or_together(tmp_path: Path) -> None:
    made = pv.Collection("emoji", pv.OneOf(["a", "b", "c"]), pv.LocalDP(2), "grr")
    phones = [made.device(tmp_path / f"{at}.json").report("a") for at in range(3)]
    assert len(intake(made.batch(phones), made).reports) == 3
    assert len(intake(made.batch(phones[0]), made).reports) == 1
    for wrong in ([1], [b"{}\n{}"]):
        with pytest.raises(ForeignReports):
            made.batch(wrong)
