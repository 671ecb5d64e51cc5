"""Reports of anybody's client as numbers: numbers, texts, bits, sets and mappings of these."""

import pyarrow as pa
import pytest

from privet.attacks.local._plain_reports import MOST_COLUMNS, numbers_of
from privet.errors import BadAttack


def test_numbers_and_gaps() -> None:
    one, two = numbers_of([1, None, 3], [2.5])
    assert one[[0, 2], 0].tolist() == [1, 3]
    assert str(one[1, 0]) == "nan"
    assert two.tolist() == [[2.5]]  # exact: halves


def test_texts_have_one_code_on_both_sides() -> None:
    one, two = numbers_of(["yes", "no"], ["yes"])
    assert one[0, 0] == two[0, 0] != one[1, 0]


def test_bits_and_sets_are_columns() -> None:
    one, two = numbers_of([b"\x01"], [b"\x80"])
    assert one[0].tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    assert two[0, 7] == 1
    one, two = numbers_of([[1, 5], []], [[5]])
    assert one.tolist() == [[1, 1], [0, 0]]
    assert two.tolist() == [[0, 1]]
    assert numbers_of([[2.5, 1.0]], [[0.5, 3.0]])[0].tolist() == [[2.5, 1.0]]  # exact: halves


def test_tables_and_mappings_lose_their_stamp() -> None:
    table = pa.table({"collection": ["f"], "value": [3]})
    one, two = numbers_of(table, [{"value": 4, "collection": "f"}])
    assert (one.tolist(), two.tolist()) == ([[3]], [[4]])


def test_reports_without_end_are_refused() -> None:
    with pytest.raises(BadAttack, match="more than"):
        numbers_of([bytes(MOST_COLUMNS)], [bytes(MOST_COLUMNS)])
