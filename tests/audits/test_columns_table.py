"""Columns as a table: types that do not depend on what was found."""

import pyarrow as pa
import pytest
from tests.audits.small_tables import small

from privet.audits._columns_table import columns_table, published_columns_table


def test_one_row_for_each_column_with_its_part_in_the_exposure() -> None:
    table = columns_table(small(town=["a", "b", "c"], sex=["F", "F", "F"], secret=[1, 1, 2])).to_pydict()
    assert table["column"] == ["town", "sex", "secret"]
    assert table["distinct"] == [3, 1, 2]
    exposure = dict(zip(table["column"], table["exposure"], strict=True))
    assert exposure["town"] == pytest.approx(1), "alone by its town, and by nothing else"
    assert exposure["sex"] == pytest.approx(0)
    assert exposure["secret"] is None, "not among what is known"


def test_types_stay_where_nothing_is_there() -> None:
    """A column of nulls must not become one without a type: frames are joined by these."""
    table = columns_table(small(q=[1, 1], secret=[1, 1]))
    assert table.schema.field("hipaa").type == pa.string()
    assert published_columns_table({}).schema.types == [pa.string(), pa.string(), pa.string(), pa.bool_()]
