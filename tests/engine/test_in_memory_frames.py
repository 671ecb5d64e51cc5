"""Frames in memory: what the engine would stumble over is refused when a frame is opened, or missing from then on."""

import pyarrow as pa
import pytest

from privet.engine._in_memory_frames import arrow_of
from privet.errors import MalformedSource

SECONDS = 2**63 // 10**6
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]


def text(*values, kind=pa.string):
    """Text that was never looked at."""
    stored = pa.array(values, pa.binary() if kind is pa.string else pa.large_binary())
    return pa.Array.from_buffers(kind(), len(stored), stored.buffers())


@pytest.mark.parametrize("kind", [pa.string, pa.large_string])
@pytest.mark.parametrize("value", [b"\xff", b"ab\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80"])
def test_text_that_is_no_utf_8_is_refused_with_the_name_of_its_column_alone(kind, value):
    table = pa.table({"id": [1, 2], "ward": text(b"ICU", value, kind=kind)})
    for thing in (table, table.to_batches()[0], table.to_reader()):
        with pytest.raises(MalformedSource, match="'ward'") as refused:
            arrow_of(thing)
        assert "ICU" not in str(refused.value)


def test_so_is_text_in_a_dictionary():
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1]), text(b"ICU", b"\xff"))
    with pytest.raises(MalformedSource, match="'ward'"):
        arrow_of(pa.table({"ward": coded}))


@pytest.mark.parametrize("kind", TEXTS)
def test_text_of_every_kind_stays_as_it_is(kind):
    table = pa.table({"ward": pa.array(["ICU", "東京", "\U0010ffff", "", None], kind)})
    assert arrow_of(table).equals(table)


@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
@pytest.mark.parametrize(("unit", "most"), [("s", SECONDS), ("ms", 2**63 // 1000)])
def test_moments_out_of_reach_are_missing_and_the_last_in_reach_stay(unit, most, zone):
    kind = pa.timestamp(unit, zone)
    table = pa.table({"at": pa.array([0, most, -most, 2**63 - 1, -(2**63), None, most - 1, 1 - most], kind)})
    found = arrow_of(table)
    assert found["at"].cast(pa.int64()).to_pylist() == [0, None, None, None, None, None, most - 1, 1 - most]
    assert found.schema == table.schema


def test_moments_in_reach_are_not_copied():
    column = pa.chunked_array([pa.array([0, None], pa.timestamp("s"))])
    assert (
        arrow_of(pa.table({"at": column}))["at"].chunk(0).buffers()[1].address
        == column.chunk(0).buffers()[1].address
    )
