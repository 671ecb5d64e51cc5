"""Public tables: their rows may be published, and serve as keys and bounds."""

import pyarrow as pa
import pytest

from privet.errors import BadDeclaration
from privet.source import open_public


@pytest.fixture
def wards():
    return open_public(
        pa.table(
            {
                "ward": ["B", "A", "B", None],
                "beds": [10, 20, None, 5],
                "share": [0.5, float("inf"), None, 0.1],
            }
        ),
        name="wards",
    )


def test_bounds_are_those_of_its_finite_numbers(wards):
    beds = wards.bounds_of("beds")
    assert (beds.lower, beds.upper) == (5, 20)
    assert beds.is_public
    assert "listed in the public table 'wards'" in beds.origin_sentence()
    share = wards.bounds_of("share")
    assert (float(share.lower), float(share.upper)) == pytest.approx((0.1, 0.5))
    assert wards.bounds_of("ward") is None


def test_one_number_alone_has_a_range_of_one_and_none_has_none():
    table = open_public(pa.table({"x": [7, 7], "y": pa.nulls(2, pa.float64())}))
    assert (table.bounds_of("x").lower, table.bounds_of("x").upper) == (7, 8)
    assert table.bounds_of("y") is None


def test_keys_are_its_values_in_their_order_each_once(wards):
    assert wards.keys_of("ward", with_missing=False).values == (("B",), ("A",), (None,))
    assert wards.keys_of("beds", with_missing=True).values == ((10,), (20,), (None,), (5,))
    assert wards.keys_of("share", with_missing=False) is None
    full = open_public(pa.table({"ward": ["A"]}))
    assert full.keys_of("ward", with_missing=True).values == (("A",), (None,))
    assert full.keys_of("ward", with_missing=False).values == (("A",),)


def test_a_reason_is_kept(tmp_path):
    (tmp_path / "wards.csv").write_text("ward\nA\n")
    table = open_public(tmp_path / "wards.csv", why="the hospital's web page")
    assert table.name == "wards"
    assert table.keys_of("ward", with_missing=False).origin_sentence().endswith("the hospital's web page")
    assert repr(table) == "PublicTable 'wards': ward (1 rows)"


def test_a_digest_tells_tables_apart():
    digests = {
        open_public(table).digest()
        for table in (
            pa.table({"a": [1, 2]}), pa.table({"a": [2, 1]}), pa.table({"b": [1, 2]}), pa.table({"a": ["1", "2"]}),
            pa.table({"a": [1.0, 2.0]}), pa.table({"a": [1]}),
        )
    }  # fmt: skip
    assert len(digests) == 6
    assert open_public(pa.table({"a": [1]})).digest() == open_public(pa.table({"a": [1]}), name="x").digest()


def test_an_empty_table_is_refused():
    with pytest.raises(BadDeclaration, match="no rows"):
        open_public(pa.table({"a": pa.array([], pa.int64())}))
