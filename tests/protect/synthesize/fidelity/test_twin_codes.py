"""Codes are read off the twin alone: what it does not have, and what is missing, have codes of their own."""

import datetime

import pyarrow as pa
import pytest

from privet.errors import BadSynthesis
from privet.protect.synthesize.fidelity._twin_codes import (
    ELSEWHERE,
    MISSING,
    TwinCodes,
    coded,
    shared_columns,
)


def column(values, kind=None):
    return pa.chunked_array([pa.array(values, kind)])


def test_categories_and_few_numbers_get_a_code_each() -> None:
    found = TwinCodes.of(column(["b", "a", None, "a"]), "x", 20)
    assert found.labels == ("a", "b", ELSEWHERE, MISSING)
    assert found.codes(column(["a", "z", None, "b"])).tolist() == [0, 2, 3, 1]
    few = TwinCodes.of(column([1, 2, 2]), "x", 20)
    assert few.codes(column([1.0, 2.0, 7.5, None])).tolist() == [0, 1, 2, 3], "1 is 1, however it is written"


def test_many_numbers_get_even_bins_between_the_twins_ends() -> None:
    found = TwinCodes.of(column(list(range(101))), "x", 4)
    assert found.edges is not None
    assert found.edges == pytest.approx([0, 25, 50, 75, 100])
    assert found.codes(column([0, 24.9, 25, 100, 101, -1, None])).tolist() == [0, 0, 1, 3, 4, 4, 5]


def test_days_are_binned_and_named_as_days() -> None:
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=at) for at in range(40)]
    found = TwinCodes.of(column(days), "x", 4)
    assert found.labels[0] == "2026-01-01 to 2026-01-10"
    assert found.codes(column([datetime.datetime(2026, 1, 2, 12, tzinfo=datetime.UTC)])).tolist() == [0]


def test_other_kinds_and_absent_columns_are_refused() -> None:
    with pytest.raises(BadSynthesis, match="something else"):
        TwinCodes.of(column(list(range(50))), "x", 4).codes(column(["a"]))
    with pytest.raises(BadSynthesis, match="no column 'b'"):
        shared_columns(pa.table({"a": [1], "b": [1]}), pa.table({"a": [1]}), ["a", "b"])


def test_tables_are_coded_alike() -> None:
    twin, real = pa.table({"a": ["x", "y"], "b": [1, 2]}), pa.table({"b": [2], "a": ["y"]})
    found, (fake, true) = coded(twin, [real], ["a", "b"], 20)
    assert [one.name for one in found] == ["a", "b"]
    assert fake[1].tolist() == true[0].tolist()
