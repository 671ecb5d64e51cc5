"""Rows as codes: bins by public bounds, listed values, and one level for everything else."""

import datetime
import math

import numpy as np
import pyarrow as pa
import pytest

from privet.artifact._feature_encoding import (
    CategoryColumn,
    Features,
    NumberColumn,
    as_arrow,
    as_text,
    days_since,
    numbers_in,
)
from privet.errors import BadModel, UnknownRecord


def chunked(values, kind=None):
    return pa.chunked_array([pa.array(values, kind)])


# --- numbers ---


def test_bins_are_equal_and_values_outside_count_as_the_nearest_end():
    column = NumberColumn("age", 0, 100, bins=4)
    codes = column.codes(chunked([-5.0, 0.0, 24.9, 25.0, 99.9, 100.0, 1e9, None, math.nan]))
    assert codes.tolist() == [0, 0, 0, 1, 3, 3, 3, 4, 4]
    assert column.levels == 5
    assert column.edges().tolist() == pytest.approx([0, 25, 50, 75, 100])
    assert column.words() == ["0 to 25", "25 to 50", "50 to 75", "75 to 100", "missing"]


def test_bins_of_logarithms_take_a_hundredth_of_the_range_for_one():
    column = NumberColumn("income", 0, 100, bins=2, scale="log")
    # log(1 + x) = log(101) / 2 at x = sqrt(101) - 1 = 9.05
    assert column.edges().tolist() == pytest.approx([0, math.sqrt(101) - 1, 100])
    assert column.codes(chunked([9.0, 9.1])).tolist() == [0, 1]
    assert column.place(np.array([0.0, 100.0])).tolist() == pytest.approx([0, 1])
    shifted = NumberColumn("income", 50, 250, bins=2, scale="log")
    assert shifted.edges().tolist() == pytest.approx([50, 50 + 2 * (math.sqrt(101) - 1), 250])


def test_every_edge_begins_its_own_bin():
    for scale in ("linear", "log"):
        column = NumberColumn("x", -3, 5, bins=7, scale=scale)
        middles = (column.edges()[1:] + column.edges()[:-1]) / 2
        assert column.codes(chunked(middles.tolist())).tolist() == list(range(7))


def test_dates_are_days():
    column = NumberColumn(
        "born", days_since(datetime.date(1970, 1, 1)), days_since(datetime.date(1970, 1, 11)), 2, dates=True
    )
    codes = column.codes(chunked([datetime.date(1970, 1, 2), datetime.date(1970, 1, 6), None]))
    assert codes.tolist() == [0, 1, 2]
    assert column.words() == ["1970-01-01 to 1970-01-06", "1970-01-06 to 1970-01-11", "missing"]
    assert days_since(datetime.date(1969, 12, 31)) == pytest.approx(-1)
    moments = numbers_in(
        "born", chunked([datetime.datetime(1970, 1, 2, 12, tzinfo=datetime.UTC)]), dates=True
    )
    assert moments.tolist() == pytest.approx([1.5])
    assert numbers_in("born", chunked(["1970-01-03"]), dates=True).tolist() == pytest.approx([2.0])


def test_texts_that_are_no_numbers_are_missing_only_where_that_is_asked_for():
    column = chunked(["3", " 4.5 ", "many", None])
    found = numbers_in("n", column, dates=False, lenient=True)
    assert found[:2].tolist() == pytest.approx([3, 4.5])
    assert np.isnan(found[2:]).all()
    days = numbers_in("n", chunked(["1970-01-02T10:00", "never"]), dates=True, lenient=True)
    assert days[0] == pytest.approx(1.0)
    assert np.isnan(days[1])
    with pytest.raises(BadModel, match="'n' does not hold numbers"):
        numbers_in("n", column, dates=False)
    with pytest.raises(BadModel, match="dates"):
        numbers_in("n", chunked([[1]]), dates=True, lenient=True)


# --- categories ---


def test_listed_values_have_their_place_and_all_others_the_last():
    column = CategoryColumn("ward", ("ICU", "1", "true"))
    assert column.codes(chunked(["ICU", "1", "icu", None, "true"])).tolist() == [0, 1, 3, 3, 2]
    assert column.codes(chunked([1, 2])).tolist() == [1, 3]
    assert column.codes(chunked([1.0, 1.5, math.nan])).tolist() == [1, 3, 3]
    assert column.codes(chunked(["ICU"]).dictionary_encode()).tolist() == [0]
    assert column.levels == 4
    assert column.words() == ["ICU", "1", "true", "other or missing"]


@pytest.mark.parametrize("listed", [("no", "yes"), ("N", "Y"), ("0", "1"), ("False", "True"), ("f", "t")])
def test_truth_values_are_yes_and_no_where_these_are_listed(listed):
    column = CategoryColumn("smokes", listed)
    assert column.codes(chunked([False, True, None])).tolist() == [0, 1, 2]


def test_truth_values_are_others_where_nothing_like_them_is_listed():
    assert CategoryColumn("smokes", ("often",)).codes(chunked([True, False])).tolist() == [1, 1]
    assert CategoryColumn("smokes", ("yes",)).codes(chunked([True, False])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        (math.nan, None),
        (True, "true"),
        (np.bool_(False), "false"),
        (1.0, "1"),
        (1.5, "1.5"),
        (1, "1"),
        ("x", "x"),
    ],
)
def test_one_spelling_whatever_the_type(value, text):
    assert as_text(value) == text


# --- rows ---


FEATURES = Features((NumberColumn("age", 0, 100, 4), CategoryColumn("ward", ("ICU", "ER"))))


def test_a_row_of_codes_for_each_row():
    codes = FEATURES.encode({"ward": ["ER", "?"], "age": [10, 99], "other": [1, 2]})
    assert codes.tolist() == [[0, 1], [3, 2]]
    assert FEATURES.names == ("age", "ward")
    assert FEATURES.offsets.tolist() == [0, 5]
    assert FEATURES.levels == 8


def test_columns_that_are_lacking_or_doubled_are_named():
    with pytest.raises(BadModel, match="lacks 1 column that"):
        FEATURES.encode({"age": [1]})
    with pytest.raises(BadModel, match=r"lacks 2 columns .* age, ward"):
        FEATURES.encode({"other": [1]})
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array(["ICU"])], ["age", "age", "ward"])
    with pytest.raises(BadModel, match="several columns called age"):
        FEATURES.encode(twice)


def test_a_record_gives_the_columns_back():
    assert Features.from_json(FEATURES.to_json()) == FEATURES


@pytest.mark.parametrize(
    "record",
    [{"kind": "text", "name": "a"}, {"name": "a"}, {"kind": "number", "name": "a"}, {"kind": "category", "name": "a"},
     {"kind": "category", "name": "a", "values": [], "more": 1}, {"kind": "number", "name": "a", "lower": 0, "upper": 1, "by": 2}],
)  # fmt: skip
def test_what_is_not_known_is_refused(record):
    with pytest.raises(UnknownRecord):
        Features.from_json([record])


def test_what_is_a_table():
    table = pa.table({"a": [1]})
    assert as_arrow(table) is table
    assert as_arrow(table.to_batches()[0]).equals(table)
    assert as_arrow({"a": [1]}).equals(table)
    assert as_arrow(table.to_pandas()).column("a").to_pylist() == [1]
    for wrong in (3, [1], {"a": [1, "x"]}):
        with pytest.raises(BadModel):
            as_arrow(wrong)
