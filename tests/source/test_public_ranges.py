"""Bounds: public with a stated origin, or refused."""

from fractions import Fraction

import pyarrow as pa
import pytest

import privet as pv
from privet import errors
from privet.source import Origin
from privet.source._public_ranges import origin_of, origin_sentence


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


def test_a_range_is_written_without_rounding():
    narrow = pv.Bounds("0.123456789", Fraction(1, 3))
    assert narrow.exactly() == "[0.123456789, 1/3]"
    assert str(narrow) == "[0.123457, 0.333333]"


@pytest.mark.parametrize(
    ("origin", "words", "public"),
    [
        ("stated", "stated by the caller", True),
        ("schema", "given by the column's type", True),
        ("read off the data", "read off the data, not public", False),
        ("confirmed", "read off the data and made public by decision", True),
    ],
)
def test_origins_in_words(origin, words, public):
    assert origin_sentence(origin_of(origin), "") == words
    assert origin_sentence(origin_of(origin), "a form") == f"{words}: a form"
    assert pv.Bounds(0, 1, origin).is_public is public
    assert pv.Bounds(0, 1, origin, "a form").origin_sentence() == f"{words}: a form"


def test_another_origin_is_refused():
    with pytest.raises(errors.BadBounds):
        pv.Bounds(0, 1, "guessed")


def test_one_value_alone_has_a_range_of_one():
    alone = pv.open_table(pa.table({"x": [7, 7]}), unit=pv.Row())
    assert (pv.Bounds.read_off(alone, "x").lower, pv.Bounds.read_off(alone, "x").upper) == (7, 8)
