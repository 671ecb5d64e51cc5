"""Rows from what evolved: numbers fill the room between candidates; peaks, gaps, classes and what cannot be stay."""

import numpy as np
import pytest

from privet.engine import ColumnKind
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._evolved_rows import evolved_rows
from privet.protect.synthesize._graphical_model import NoisyMarginal
from privet.protect.synthesize._tabular_evolution import FEW, Population

NUMBER = ColumnDomain("x", "number", ColumnKind.REAL, edges=tuple(at / 32 for at in range(33)))
KIND = ColumnDomain("kind", "category", ColumnKind.TEXT, ("a", "b"))
DRAWS = np.random.default_rng(0)


def made(codes, columns, *, counts=None, zeros=None, votes=None):
    votes = np.ones(len(codes)) if votes is None else np.asarray(votes, float)
    noisy = [] if counts is None else [NoisyMarginal((0,), np.asarray(counts, float), 1.0)]
    return evolved_rows(Population(np.asarray(codes), votes), 4_000, columns, noisy, zeros or {}, DRAWS)


def test_numbers_fill_the_room_between_few_candidates() -> None:
    rows = made([[10, 0], [20, 1]], [NUMBER, KIND])
    assert len(rows) == 4_000
    assert np.unique(rows[rows[:, 1] == 0, 0]).tolist() == list(range(4, 17))
    assert np.unique(rows[rows[:, 1] == 1, 0]).tolist() == list(range(14, 27))


def test_among_many_candidates_they_hardly_move() -> None:
    rows = made([[at % 32, 0] for at in range(64)], [NUMBER, KIND])
    assert np.bincount(rows[:, 0], minlength=32).tolist() == pytest.approx([125] * 32, abs=3)


def test_peaks_gaps_and_missing_values_stay() -> None:
    counts = np.zeros(33)
    counts[10], counts[11] = 1_000, 10
    rows = made([[10, 0], [32, 0]], [NUMBER, KIND], counts=counts)
    assert set(rows[:, 0]) <= {10, 11, 32}
    assert (rows[:, 0] == 32).sum() == pytest.approx(2_000, abs=1)
    assert (rows[:, 0] == 10).mean() > 0.45


def test_a_cell_that_cannot_be_stays_empty() -> None:
    never = np.zeros((33, 3), bool)
    never[12:, 0] = True
    rows = made([[10, 0], [20, 1]], [NUMBER, KIND], zeros={(0, 1): never.ravel()})
    assert rows[rows[:, 1] == 0, 0].max() < 12
    assert rows[rows[:, 1] == 1, 0].max() > 20


def test_with_many_columns_rows_are_the_candidates() -> None:
    columns = [NUMBER] * (FEW + 1)
    rows = made([[10] * len(columns), [20] * len(columns)], columns, votes=[3, 1])
    assert np.unique(rows, axis=0).tolist() == [[10] * len(columns), [20] * len(columns)]
    assert (rows[:, 0] == 10).sum() == pytest.approx(3_000, abs=1)
