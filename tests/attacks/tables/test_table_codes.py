"""Several tables in the same codes: order is kept, gaps are none, and text is written as the anonymizer does."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

from privet.attacks.tables._table_codes import MISSING, as_numbers, as_text, coded


def test_codes_keep_the_order_of_numbers_over_all_tables():
    one, two = coded([pa.table({"a": pa.array([30, None, 10])}), pa.table({"a": [20]})], ["a"])
    assert one.codes[:, 0].tolist() == [2, MISSING, 0]
    assert two.codes[:, 0].tolist() == [1]
    assert one.numbers[[0, 2], 0] == pytest.approx([1, 0])
    assert np.isnan(one.numbers[1, 0])
    assert (one.sizes, one.spans, one.is_number.tolist()) == ((3,), pytest.approx((20,)), [True])


def test_one_table_of_text_makes_the_column_text_everywhere():
    one, two = coded([pa.table({"a": [1, 2]}), pa.table({"a": ["2", "x"]})], ["a"])
    assert not one.is_number[0]
    assert one.codes[1, 0] == two.codes[0, 0]
    assert one.codes[0, 0] != two.codes[1, 0]


def test_a_column_that_never_varies_has_no_span():
    (table,) = coded([pa.table({"a": [7, 7]})], ["a"])
    assert table.numbers[:, 0] == pytest.approx([0, 0])
    assert table.spans == pytest.approx((0,))


def test_columns_without_any_value_are_gaps():
    (table,) = coded([pa.table({"a": pa.nulls(2, pa.int64()), "b": pa.nulls(2, pa.string())})], ["a", "b"])
    assert (table.codes == MISSING).all()
    assert table.sizes == (0, 0)


def test_dates_are_days_and_truth_values_are_no_numbers():
    days = pa.array([datetime.date(1970, 1, 3), None])
    assert as_numbers(days)[0] == pytest.approx(2)
    noon = pa.array([datetime.datetime(1970, 1, 2, 12, tzinfo=datetime.UTC)], pa.timestamp("ms", "UTC"))
    assert as_numbers(noon)[0] == pytest.approx(1.5)
    assert as_numbers(pa.array([True])) is None
    assert np.isnan(as_numbers(pa.array([float("inf")]))[0])


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (pa.array([1.0, 2.5, None, float("nan")]), ["1", "2.5", None, None]),
        (pa.array([datetime.datetime(2020, 1, 2), None], pa.timestamp("us")), ["2020-01-02", None]),  # noqa: DTZ001
        (pa.array(["a", None]).dictionary_encode(), ["a", None]),
        (pa.array([7, None]), ["7", None]),
    ],
)
def test_texts(values, texts):
    assert as_text(values).to_pylist() == texts


def test_a_time_of_day_anywhere_keeps_all_of_them():
    stamps = pa.array([datetime.datetime(2020, 1, 2), datetime.datetime(2020, 1, 2, 5)], pa.timestamp("s"))  # noqa: DTZ001
    assert as_text(stamps).to_pylist() == ["2020-01-02 00:00:00", "2020-01-02 05:00:00"]


def test_some_rows_and_some_columns():
    (table,) = coded([pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"]})], ["a", "b"])
    assert table.take(np.array([2, 0])).codes[:, 0].tolist() == [2, 0]
    only = table.only([1])
    assert (only.columns, only.codes[:, 0].tolist(), only.sizes) == (("b",), [0, 1, 0], (2,))
    assert table.at("b") == 1
