"""Rows find their codes again, also where the codes of a row do not fit one word."""

import numpy as np
import pyarrow as pa
import pytest

from privet.engine._coded_rows import Finder, coded_batches
from privet.engine._frequency_table import frequency_table
from privet.engine._open_relation import open_frame
from privet.errors import SourceChanged


def table(rows: int = 500) -> pa.Table:
    draw = np.random.default_rng(3)
    return pa.table(
        {
            "id": pa.array(range(rows)),
            "town": pa.array([None if n == 0 else f"t{n}" for n in draw.integers(0, 9, rows)]),
            "age": pa.array(draw.integers(18, 90, rows)),
            "born": pa.array(draw.integers(0, 1000, rows).astype("int32")).cast(pa.date32()),
        }
    )


def test_each_row_meets_its_own_combination() -> None:
    source = table()
    relation = open_frame(source)
    counted = frequency_table(relation, ["town", "age", "born"])
    finder, seen = Finder(counted), 0
    totals = np.zeros(len(counted), np.int64)
    for batch, codes in coded_batches(relation, counted, ["id", "town"]):
        places = finder.places(codes)
        np.testing.assert_array_equal(counted.codes[places], codes)
        np.add.at(totals, places, 1)
        for row in range(0, batch.num_rows, 37):
            label = counted.labels[0][int(codes[row, 0])].as_py()
            assert label == batch["town"][row].as_py()
        assert batch.schema.names == ["id", "town"]
        seen += batch.num_rows
    assert seen == source.num_rows
    np.testing.assert_array_equal(totals, counted.counts)


def test_codes_that_need_several_words() -> None:
    draw = np.random.default_rng(5)
    columns = {f"c{at}": pa.array(draw.integers(0, 2**40, 400)) for at in range(9)}
    relation = open_frame(pa.table(columns))
    counted = frequency_table(relation, list(columns))
    finder = Finder(counted)
    for _, codes in coded_batches(relation, counted, []):
        np.testing.assert_array_equal(counted.codes[finder.places(codes)], codes)
    with pytest.raises(SourceChanged):
        finder.places(np.array([[0, 1, 2, 3, 4, 5, 6, 7, 8]], np.int32))


def test_a_value_that_was_not_counted_is_refused() -> None:
    counted = frequency_table(open_frame(table(50)), ["age"])
    other = open_frame(pa.table({"age": pa.array([1, 2, 3])}))
    with pytest.raises(SourceChanged, match="'age'"):
        list(coded_batches(other, counted, []))
