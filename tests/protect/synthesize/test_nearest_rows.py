"""The nearest synthetic row, against distances written out."""

import numpy as np

from privet.engine import ColumnKind
from privet.protect.synthesize import _nearest_rows as nearest
from privet.protect.synthesize._column_domain import ColumnDomain, number_domain
from privet.protect.synthesize._nearest_rows import NearestRows

COLUMNS = [
    number_domain("x", ColumnKind.REAL, 0, 1, bins=8, origin="stated"),
    ColumnDomain("ward", "category", ColumnKind.TEXT, values=("a", "b", "c")),
    ColumnDomain("y", "category", ColumnKind.INTEGER, values=(0, 1)),
]


def far(one, other):
    """Squared: numbers by their place, a missing one in the middle with a mark; categories by a third, twice."""

    def place(code):
        return (0.5, 1 / 3) if code == 8 else ((code + 0.5) / 8, 0.0)

    (x, mark), (z, other_mark) = place(one[0]), place(other[0])
    return (x - z) ** 2 + (mark - other_mark) ** 2 + (2 / 9 if one[1] != other[1] else 0)


def test_the_nearest_of_the_same_label_is_found(monkeypatch) -> None:
    monkeypatch.setattr(nearest, "_PIECE", 7)
    draws = np.random.default_rng(0)
    rows = np.stack([draws.integers(0, 9, 50), draws.integers(0, 4, 50), draws.integers(0, 2, 50)], axis=1)
    candidates = np.stack(
        [draws.integers(0, 9, 20), draws.integers(0, 4, 20), draws.integers(0, 2, 20)], axis=1
    )
    found = NearestRows(COLUMNS, candidates, label=2)(rows.astype(np.int32))[:, 0]
    for row, at in zip(rows, found, strict=True):
        assert candidates[at, 2] == row[2]
        least = min(far(row, other) for other in candidates if other[2] == row[2])
        assert abs(far(row, candidates[at]) - least) < 1e-6


def test_each_row_is_treated_by_itself() -> None:
    draws = np.random.default_rng(1)
    rows = np.stack([draws.integers(0, 9, 30), draws.integers(0, 4, 30), draws.integers(0, 3, 30)], axis=1)
    finder = NearestRows(COLUMNS, rows[:9].astype(np.int64), label=None)
    together = finder(rows.astype(np.int32))[:, 0]
    assert [int(finder(rows[at : at + 1].astype(np.int32))[0, 0]) for at in range(30)] == together.tolist()


def test_equal_and_nearly_equal_candidates_are_told_apart_the_same_beside_any_rows() -> None:
    """Bins that floats do not hold, and every candidate many times over: the first of the nearest, always."""
    columns = [number_domain(f"x{at}", ColumnKind.REAL, 0, 1, bins=7, origin="stated") for at in range(9)]
    columns += [ColumnDomain(f"w{at}", "category", ColumnKind.TEXT, values=tuple("abcde")) for at in range(9)]
    draws = np.random.default_rng(3)
    candidates = np.tile(draws.integers(0, 6, (50, 18)), (4, 1))
    rows = draws.integers(0, 6, (2_100, 18)).astype(np.int32)
    finder = NearestRows(columns, candidates, label=None)
    together = finder(rows)[:, 0]
    assert together.max() < 50
    for many in (1, 2, 3, 10, 60, 500, 2_049):
        assert (finder(rows[:many])[:, 0] == together[:many]).all()
    points, away = finder._embedded(candidates), finder._embedded(rows)
    whole = ((away[:, None].astype(np.int64) - points[None].astype(np.int64)) ** 2).sum(axis=2)
    assert (whole.argmin(axis=1) == together).all()
