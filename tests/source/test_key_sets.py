"""Keys: public with a stated origin, in the columns' kinds, each once."""

import datetime

import pyarrow as pa
import pytest

import privet as pv
from privet import errors
from privet.engine._relation import ColumnKind
from privet.source._key_sets import as_arrow, crossed


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


def test_keys_read_off_the_data_need_a_person_to_confirm_them(table):
    found = pv.KeySet.read_off(table, "ward")
    assert found.values == (("A",), ("B",), (None,))
    selection = table.group_by("ward", keys={"ward": found})
    with pytest.raises(errors.NotPublic, match="keys of 'ward'"):
        selection.agg(n=pv.count())
    again = table.group_by("ward", keys={"ward": found.confirmed("wards are listed on the door")})
    assert again.agg(n=pv.count()).public_keys().num_rows == 3


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


def test_truth_is_no_number_and_order_is_kept():
    assert pv.KeySet([1, True, 0, False]).values == ((1,), (True,), (0,), (False,))
    assert len(pv.KeySet(["b", "a", None])) == 3
    assert pv.KeySet.of(["b", "a"]) == pv.KeySet(["b", "a"])
    keys = pv.KeySet([("a", 1)])
    assert pv.KeySet.of(keys) is keys
    assert keys.width == 2


def test_whole_numbers_are_of_64_bits_and_moments_are_moments():
    def one(value, kind):
        return pv.KeySet([value]).fitted([kind]).values[0][0]

    assert one(2**63 - 1, ColumnKind.INTEGER) == 2**63 - 1
    assert one(-(2**63), ColumnKind.INTEGER) == -(2**63)
    for value in (2**63, -(2**63) - 1):
        with pytest.raises(errors.BadKeySet):
            one(value, ColumnKind.INTEGER)
    at = datetime.datetime(2021, 1, 1, 12)  # noqa: DTZ001
    assert one("2021-01-01T12:00", ColumnKind.TIMESTAMP) == one(at, ColumnKind.TIMESTAMP) == at
    assert one(at.date(), ColumnKind.DATE) == at.date()
    for value, kind in [(at.date(), ColumnKind.TIMESTAMP), (True, ColumnKind.REAL), (3, ColumnKind.DATE)]:
        with pytest.raises(errors.BadKeySet):
            one(value, kind)


def test_keys_are_as_wide_as_their_columns():
    with pytest.raises(errors.BadKeySet, match="1 parts and the columns are 2"):
        pv.KeySet(["a"]).fitted([ColumnKind.TEXT, ColumnKind.TEXT])


def test_keys_as_a_table_have_the_types_of_their_kinds():
    kinds = [ColumnKind.INTEGER, ColumnKind.REAL, ColumnKind.TEXT, ColumnKind.BOOLEAN, ColumnKind.DATE]
    day = datetime.date(2021, 1, 1)
    table = as_arrow(list("abcde"), kinds, [(1, 1.5, "x", True, day), (None,) * 5])
    assert [str(kind) for kind in table.schema.types] == ["int64", "double", "string", "bool", "date32[day]"]
    assert table.to_pylist()[0] == {"a": 1, "b": 1.5, "c": "x", "d": True, "e": day}  # exact: values as given
