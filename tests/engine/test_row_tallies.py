"""Tallies of rows: each row once in each, one person within the stated sensitivity, nothing that fails in sight."""

import numpy as np
import pyarrow as pa
import pytest
from tests.engine.test_coded_marginals import COLUMNS, KIND, PEOPLE

from privet.engine import _row_tallies as tallies
from privet.engine import row_tallies
from privet.engine._open_relation import open_frame
from privet.guarantee import Change, Person, Row


def tallied(rows, unit):
    def rule(codes):
        odd = codes.sum(axis=1) % 2
        return np.stack([odd, codes[:, 1], np.full(len(codes), 99)], axis=1)

    return row_tallies(open_frame(pa.Table.from_pylist(rows, KIND)), COLUMNS, unit, rule, [2, 5, 3])


def test_each_row_counts_once_in_each_tally() -> None:
    found = tallied(PEOPLE, Row())
    assert [int(found._counts[at,].sum()) for at in range(3)] == [len(PEOPLE)] * 3
    assert found._counts[2,].tolist() == [0, 0, len(PEOPLE)]  # what lies outside is drawn in


@pytest.mark.parametrize("change", list(Change))
def test_one_person_moves_no_tally_further_than_stated(change) -> None:
    unit = Person("person", max_rows=2, change=change)
    whole = tallied(PEOPLE, unit)
    for gone in (1, 2, 3):
        less = tallied([row for row in PEOPLE if row["person"] != gone], unit)
        for at in range(3):
            moved = np.abs(whole._counts[at,] - less._counts[at,])
            assert moved.max() <= whole.moved((at,)).largest
            assert moved.sum() <= whole.moved((at,)).total


def test_what_fails_is_the_tally_of_no_rows(monkeypatch) -> None:
    def broken(*_):
        raise ValueError("a value of the table")

    monkeypatch.setattr(tallies, "coded_rows", broken)
    found = tallied(PEOPLE, Row())
    assert found.failure is not None
    assert not found._counts[0,].any()
