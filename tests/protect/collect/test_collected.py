"""Reports added up: parts give the same as the whole, and what did not fit is counted."""

import numpy as np
import pytest
from tests.protect.collect.specifications import ALL, collection, values_for

from privet.protect.collect import _collected
from privet.protect.collect._collected import SparseCells, collected


@pytest.mark.parametrize("kind", ALL)
def test_parts_add_up_to_the_whole(kind: str, monkeypatch) -> None:
    made = collection(kind)
    table = made.randomize(values_for(kind, 200))
    whole = collected(table, made)
    monkeypatch.setattr(_collected, "ROWS", 33)
    parts = collected(table, made)
    assert whole.reports == parts.reports == 200
    assert {name: int(many) for name, many in whole.counts.items()} == parts.counts
    for name, cells in whole.cells.items():
        if isinstance(cells, SparseCells):
            assert cells.places.tolist() == parts.cells[name].places.tolist()
            assert cells.counts.tolist() == parts.cells[name].counts.tolist()
        else:
            assert cells.tolist() == parts.cells[name].tolist()


def test_sparse_cells_are_what_dense_ones_are() -> None:
    places = np.array([5, 3, 5, 90, 3, 5])
    cells = SparseCells.of(places) + SparseCells.of(np.array([3, 7]), np.array([10, 20]))
    dense = np.zeros(100, int)
    np.add.at(dense, [5, 3, 5, 90, 3, 5], 1)
    np.add.at(dense, [3, 7], [10, 20])
    assert cells.dense(0, 100).tolist() == dense.tolist()
    assert cells.dense(5, 3).tolist() == dense[5:8].tolist()


def test_nothing_is_nothing() -> None:
    made = collection("grr")
    found = collected(made.randomize(["v1"]).slice(0, 0), made)
    assert (found.reports, found.left_out) == (0, 0)
