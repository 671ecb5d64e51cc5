"""Reports that came back: what fits is counted, what does not is left out, and nobody is told which."""

import base64
import json
import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.collect.specifications import ALL, collection, values_for

import privet as pv
from privet.errors import ForeignReports
from privet.protect.collect._report_validation import numpy_columns, read_reports


def reports(kind: str, many: int = 6) -> list[dict]:
    made = collection(kind)
    lines = [json.loads(line) for line in made.lines(made.randomize(values_for(kind, many)))]
    empty = dict.fromkeys(("collection", *made.protocol.columns()))
    return [{**empty, **line} for line in lines]


def left_out(kind: str, lines: list[dict]) -> int:
    return read_reports(pa.Table.from_pylist(lines), collection(kind)).left_out


WRONG = {
    "uint8": (2, -1, 1.5, math.nan, None),
    "uint32": (2**31, -1, 1.5, math.nan, None),
    "uint64": ("18446744073709551616", "-1", "1.0", "abc", "", "1" * 400, " 1", "01", None),
    "bits": ("", "AA", "A" * 4000, "====", "////////", None),
    "list": ([1, 1], [2, 1], [99], [-1], [None], [0.5], list(range(40)), None),
}


@pytest.mark.parametrize("kind", ALL)
def test_each_column_is_checked_in_each_row(kind: str) -> None:
    """Each wrong value in place of a right one, in one report of six."""
    for column, (sort, _) in collection(kind).protocol.columns().items():
        for wrong in WRONG[sort]:
            lines = reports(kind)
            at = next((place for place, line in enumerate(lines) if line[column] is not None), None)
            if at is None:
                continue
            lines[at][column] = wrong
            assert left_out(kind, lines) == 1, (column, wrong)


@pytest.mark.parametrize("kind", ALL)
def test_reports_of_another_specification_are_left_out(kind: str) -> None:
    lines = reports(kind)
    for stamp in ("", "0" * 32, None, collection(kind, 1).fingerprint, lines[0]["collection"] + "x"):
        changed = [dict(line) for line in lines]
        changed[2]["collection"] = stamp
        assert left_out(kind, changed) == 1


def test_stamps_that_are_numbered_are_compared_like_written_ones() -> None:
    """Dictionaries with more stamps than their numbers' type has beyond them, with empty places, in chunks and cut."""
    made = collection("flh")
    good, seeded = made.fingerprint, made.fingerprint + "-not-private"
    others = [f"{place:032x}" for place in range(125)]
    codes = pa.array([125, 126, None, 3, 127], pa.int8())
    part = pa.DictionaryArray.from_arrays(codes, pa.array([*others, good, seeded, None]))
    numbers = {name: np.zeros(9, np.uint32) for name in made.protocol.columns()}
    table = pa.table({"collection": pa.chunked_array([part, part.slice(1)]), **numbers})
    read = read_reports(table, made)
    assert (read.left_out, read.seeded) == (6, 2)
    assert read.fits.tolist() == [True, True, False, False, False, True, False, False, False]


def test_a_billion_bits_are_left_out() -> None:
    made = collection("sue")
    table = made.randomize(values_for("sue", 3))
    huge = pa.array(
        [table["bits"][0].as_py(), bytes(125_000_000), table["bits"][2].as_py()], pa.large_binary()
    )
    read = read_reports(table.set_column(1, "bits", huge), made)
    assert (read.left_out, len(read.table)) == (1, 2)


def test_a_set_of_another_size_is_left_out() -> None:
    lines = reports("subset")
    lines[1]["values"] = [0, 1, 2, 3, 4]
    lines[2]["values"] = []
    assert left_out("subset", lines) == 2


def test_a_place_whose_bit_is_both_is_left_out() -> None:
    """No device says so, and a forger would move nothing and two values at once."""
    made = collection("dbitflip")
    assert made.protocol.stated()["chosen"] == 3
    told = pa.array([[0, 2, 4], [0, 1, 4], [1, 4, 5], [1, 3, 23]], pa.list_(pa.int64()))
    read = read_reports(pa.table({"collection": [made.fingerprint] * 4, "values": told}), made)
    assert read.left_out == 2
    assert read.table["values"].to_pylist() == [[0, 2, 4], [1, 3, 23]]


def test_padding_bits_are_zero_and_base64_is_written_in_one_way() -> None:
    made = collection("sue")  # 12 bits: four bits of the second byte are not used
    for text, fits in (("//8=", False), ("/w8=", True), ("/w9=", False), ("/w8A", False)):
        table = pa.Table.from_pylist([{"collection": made.fingerprint, "bits": text}])
        assert len(read_reports(table, made).table) == fits, text
    assert base64.b64decode("/w8=") == b"\xff\x0f"


def test_a_column_of_another_kind_leaves_all_rows_out() -> None:
    made = collection("sue")
    for column in ([True, False], [[1], [2]], [1.0, 2.0]):
        table = pa.table({"collection": [made.fingerprint] * 2, "bits": column})
        assert read_reports(table, made).left_out == 2
    numbers = collection("grr")
    for column in ([True, False], [[1], [2]], [b"1", b"2"]):
        table = pa.table({"collection": [numbers.fingerprint] * 2, "value": column})
        assert read_reports(table, numbers).left_out == 2
    assert read_reports(pa.table({"collection": [1, 2], "value": [1, 2]}), numbers).left_out == 2


def test_questions_are_answered_whole_and_as_many_as_the_specification_says() -> None:
    lines = reports("sampled", 40)
    one, two = (next(line for line in lines if line[name] is not None) for name in ("0_value", "2_value"))
    assert left_out("sampled", [{**one, "2_value": two["2_value"]}, *lines]) == 1
    assert left_out("sampled", [{**one, "0_value": None}, *lines]) == 1
    assert left_out("sampled", lines) == 0


def test_decimals_are_numbers_as_spark_and_postgresql_hand_them_over() -> None:
    made = collection("olh")
    table = made.randomize(values_for("olh", 5))
    seeds = [Decimal(seed) for seed in table["seed"].to_pylist()]
    wide = pa.array([*seeds[:4], None], pa.decimal128(20, 0))
    read = read_reports(table.set_column(1, "seed", wide), made)
    assert (len(read.table), read.left_out) == (4, 1)
    assert read.table["seed"].to_pylist() == table["seed"].to_pylist()[:4]
    for wrong in (Decimal(2**64), Decimal(-1)):
        odd = pa.array([*seeds[:4], wrong], pa.decimal128(21, 0))
        assert read_reports(table.set_column(1, "seed", odd), made).left_out == 1


def test_seeded_reports_are_known() -> None:
    made = collection("grr")
    table = pa.concat_tables(
        [made.randomize(["v1"] * 4, seed=1), made.randomize(["v1"] * 3)], promote_options="permissive"
    )
    assert read_reports(table, made).seeded == 4


def test_a_table_without_the_columns_is_refused() -> None:
    with pytest.raises(ForeignReports):
        read_reports(pa.table({"collection": ["x"]}), collection("grr"))


@pytest.mark.parametrize("kind", ALL)
def test_slices_are_read_as_what_they_are(kind: str) -> None:
    made = collection(kind)
    table = made.randomize(values_for(kind, 60))
    shape = made.protocol.columns()
    read = read_reports(table.slice(20, 10), made).table
    if kind == "sampled":
        assert len(read) == 10
        return
    whole, part = numpy_columns(read_reports(table, made).table, shape), numpy_columns(read, shape)
    for name, (sort, _) in shape.items():
        if sort == "list":
            offsets, values = whole[name]
            assert np.array_equal(part[name][1], values[offsets[20] : offsets[30]])
        else:
            assert np.array_equal(part[name], whole[name][20:30])
    assert isinstance(made, pv.Collection)
