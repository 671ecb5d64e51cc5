"""Bounds and keys: public with a stated origin, or refused."""

import datetime
from fractions import Fraction

import pyarrow as pa
import pytest

import privet as pv
from privet import errors
from privet.engine._relation import ColumnKind
from privet.source import Origin
from privet.source._key_sets import crossed


@pytest.fixture
def table():
    return pv.open_table(
        pa.table(
            {
                "patient_id": [1, 2, 3],
                "ward": ["B", None, "A"],
                "days": [3, None, 51],
                "cost": [1.5, float("nan"), float("inf")],
                "empty": pa.nulls(3, pa.float64()),
            }
        ),
        unit=pv.Person("patient_id", max_rows=2),
    )


def test_bounds_are_exact():
    assert pv.Bounds(0.1, "0.3").lower == Fraction(1, 10)
    assert pv.Bounds(0, 60) == pv.Bounds("0", 60.0)
    assert str(pv.Bounds(0, 60)) == "[0, 60]"


@pytest.mark.parametrize(
    "pair", [(1, 1), (2, 1), (0, float("inf")), (float("nan"), 1), ("a", 1), (None, 1), (True, 2)]
)
def test_impossible_bounds_are_refused(pair):
    with pytest.raises(errors.BadBounds):
        pv.Bounds(*pair)


@pytest.mark.parametrize("given", [5, (1,), (1, 2, 3), "0:60", None])
def test_bounds_are_a_pair(given):
    with pytest.raises(errors.BadBounds):
        pv.Bounds.of(given)


def test_bounds_read_off_the_data_are_marked(table):
    found = pv.Bounds.read_off(table, "days")
    assert (found.lower, found.upper, found.origin) == (3, 51, Origin.DATA)
    assert not found.is_public
    single = pv.Bounds.read_off(table, "cost")  # NaN and infinity are not bounds
    assert (single.lower, single.upper) == (Fraction(3, 2), Fraction(5, 2))
    for column in ("ward", "empty", "nowhere"):
        with pytest.raises(errors.BadInput):
            pv.Bounds.read_off(table, column)


def test_bounds_read_off_the_data_need_a_person_to_confirm_them(table):
    found = pv.Bounds.read_off(table, "days")
    with pytest.raises(errors.NotPublic, match=r"bounds of 'days' were read off the data") as caught:
        table.agg(x=pv.mean("days", bounds=found))
    assert ".confirmed(" in caught.value.hint
    assert "51" not in str(caught.value)
    confirmed = found.confirmed("published in the yearly report")
    assert confirmed.origin is Origin.CONFIRMED
    assert "yearly report" in confirmed.origin_sentence()
    assert table.agg(x=pv.mean("days", bounds=confirmed)).describe()
    for silent in ("", "  ", None):
        with pytest.raises(errors.NotPublic):
            found.confirmed(silent)
    assert pv.Bounds(0, 1).confirmed("why not").origin is Origin.STATED


def test_keys_read_off_the_data_need_a_person_to_confirm_them(table):
    found = pv.KeySet.read_off(table, "ward")
    assert found.values == (("A",), ("B",), (None,))
    selection = table.group_by("ward", keys={"ward": found})
    with pytest.raises(errors.NotPublic, match="keys of 'ward'"):
        selection.agg(n=pv.count())
    again = table.group_by("ward", keys={"ward": found.confirmed("wards are listed on the door")})
    assert again.agg(n=pv.count()).public_keys().num_rows == 3


def test_a_marked_fact_in_the_table_is_refused_only_where_it_is_used(table):
    marked = pv.open_table(
        pa.table({"ward": ["A"], "days": [1]}),
        bounds={"days": pv.Bounds.read_off(table, "days")},
        keys={"ward": pv.KeySet.read_off(table, "ward")},
        unit=pv.Row(),
    )
    assert marked.agg(n=pv.count()).public_keys() is None
    with pytest.raises(errors.NotPublic):
        marked.agg(x=pv.sum("days"))
    with pytest.raises(errors.NotPublic):
        marked.group_by("ward").agg(n=pv.count())


@pytest.mark.parametrize(
    "values",
    [
        [],
        ["A", "A"],
        [1, 1.0],
        "ABC",
        {"A": 1},
        7,
        [("A", 1), ("B",)],
        [object()],
        [float("nan")],
        [()],
        [b"x"],
    ],
)
def test_useless_key_sets_are_refused(values):
    with pytest.raises(errors.BadKeySet):
        pv.KeySet(values)


def test_keys_are_read_in_the_columns_kind():
    def one(value, kind):
        return pv.KeySet([value]).fitted([kind]).values[0][0]

    assert one("2021", ColumnKind.INTEGER) == 2021
    assert one(2021.0, ColumnKind.INTEGER) == 2021
    assert one("2.5", ColumnKind.REAL) == pytest.approx(2.5)
    assert one("2021-02-03", ColumnKind.DATE) == datetime.date(2021, 2, 3)
    assert one("True", ColumnKind.BOOLEAN) is True
    assert one(None, ColumnKind.TEXT) is None
    for value, kind in [
        ("x", ColumnKind.INTEGER),
        (2.5, ColumnKind.INTEGER),
        (True, ColumnKind.INTEGER),
        (3, ColumnKind.TEXT),
        ("yes", ColumnKind.BOOLEAN),
        ("2021-13-01", ColumnKind.DATE),
        (datetime.datetime(2021, 1, 1), ColumnKind.DATE),  # noqa: DTZ001
        ("x", ColumnKind.OTHER),
    ]:
        with pytest.raises(errors.BadKeySet):
            one(value, kind)


def test_keys_that_become_equal_in_the_columns_kind_are_refused():
    with pytest.raises(errors.BadKeySet, match="twice"):
        pv.KeySet(["1", "01"]).fitted([ColumnKind.INTEGER])


def test_a_public_file_lists_keys(tmp_path):
    (tmp_path / "wards.csv").write_text("ward,beds\nSurgery,3\nICU,4\nSurgery,3\n")
    keys = pv.KeySet.from_file(tmp_path / "wards.csv", "ward")
    assert keys.values == (("Surgery",), ("ICU",))
    assert keys.origin_sentence() == "stated by the caller: listed in wards.csv"
    assert pv.KeySet.from_file(tmp_path / "wards.csv").width == 2


def test_columns_are_crossed_in_their_own_order():
    sets = {("sex",): pv.KeySet(["F", "M"]), ("ward", "year"): pv.KeySet([("A", 1), ("B", 2)])}
    assert crossed(["year", "sex", "ward"], sets) == [
        (1, "F", "A"),
        (1, "M", "A"),
        (2, "F", "B"),
        (2, "M", "B"),
    ]
    assert crossed(["ward", "sex"], sets) is None
    many = pv.KeySet(range(3_000))
    with pytest.raises(errors.BadKeySet, match="combinations"):
        crossed(["a", "b"], {("a",): many, ("b",): many})


def test_a_digest_tells_key_sets_apart():
    digests = {
        pv.KeySet(values).digest() for values in (["A", "B"], ["B", "A"], ["A"], ["1"], [1], [None], ["None"])
    }
    assert len(digests) == 7
