"""Statements about rows: counted by hand, and made so that they hold of their own row."""

import numpy as np
import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.tables import _predicates as predicates
from privet.attacks.tables._predicates import (
    Predicates,
    about_rows,
    columns_for,
    counts,
    expected,
    near_rows,
    telling_columns,
    true_of,
)
from privet.attacks.tables._table_codes import coded

AGES = pa.table({"age": pa.array([10, 20, 20, 30, None]), "sex": ["f", "f", "m", "m", "m"]})


@pytest.fixture(scope="module")
def table():
    return coded([AGES], ["age", "sex"])[0]


def made(*parts):
    """Statements as (column, low, high) for each of their parts."""
    columns, lows, highs = (np.array([[part[at] for part in one] for one in parts]) for at in range(3))
    return Predicates(columns.astype(np.int64), lows.astype(np.int32), highs.astype(np.int32))


def test_counts_by_hand(table):
    """At most 20; from 20 on and m; the gap alone; nobody."""
    said = made(
        [(0, 0, 1), (1, 0, 1)], [(0, 1, 3), (1, 1, 1)], [(0, -1, -1), (1, 0, 1)], [(0, 2, 2), (1, 0, 0)]
    )
    assert counts(table, said).tolist() == [3, 2, 1, 0]


def test_the_same_in_small_parts(table, monkeypatch):
    said = made([(0, 0, 1)], [(0, 1, 3)], [(0, -1, -1)])
    whole = counts(table, said).tolist()
    monkeypatch.setattr(predicates, "_BYTES", 1)
    assert counts(table, said).tolist() == whole == [3, 3, 1]


def test_rows_that_statements_are_true_of(table):
    said = made([(0, 0, 1)], [(0, 2, 2)], [(0, 0, 9)])
    statements, rows = true_of(table, said, most=3)
    assert sorted(zip(statements.tolist(), rows.tolist(), strict=True)) == [(0, 0), (0, 1), (0, 2), (1, 3)]


def test_numbers_are_bounded_away_from_the_middle_and_words_are_themselves(table):
    found = about_rows(table, np.array([0, 3, 4, 1]), np.array([[0], [0], [0], [1]]))
    assert list(zip(found.low[:, 0].tolist(), found.high[:, 0].tolist(), strict=True)) == [
        (0, 0),
        (2, 3),
        (-1, -1),
        (0, 0),
    ]


def test_what_is_expected_of_unrelated_columns(table):
    """Three of five are at most 20, two of five are f: 5 · 3/5 · 2/5."""
    assert expected(table, made([(0, 0, 1), (1, 0, 0)])) == pytest.approx([1.2])
    assert expected(table, made([(0, 1, 3), (1, 0, 1)])) == pytest.approx([3])


def test_columns_that_say_nothing_or_everything_are_left_out():
    columns = {"same": ["x"] * 6, "name": list("abcdef"), "sex": list("ffmmmm"), "age": [1, 2, 3, 4, 5, 6]}
    (table,) = coded([pa.table(columns)], list(columns))
    assert telling_columns(table) == [2, 3]
    assert telling_columns(table.only([0, 1])) == [1], "a name is better than nothing"


def test_columns_of_a_statement_differ():
    found = columns_for(repeatable_generator(1), 200, [2, 5, 7, 8], 3)
    assert all(len(set(row)) == 3 for row in found.tolist())
    assert set(found.ravel().tolist()) == {2, 5, 7, 8}


def test_narrow_spans_hold_their_row_and_few_others() -> None:
    (table,) = coded([world(2_000, 4)], world(1, 4).column_names)
    rows, column = np.arange(50), np.tile([0, 1, 4], (50, 1))
    for made in (near_rows(table, rows, column), about_rows(table, rows, column)):
        codes = table.codes[rows[:, None], column]
        assert ((made.low <= codes) & (codes <= made.high)).all()
    near = near_rows(table, rows, column[:, :1])
    assert np.median(counts(table, near)) <= 0.03 * len(table)
    # Columns of this world are nearly independent: what is expected is what is counted.
    wide = about_rows(table, rows, column)
    assert np.corrcoef(expected(table, wide), counts(table, wide))[0, 1] > 0.9
