"""Query groups: their names, their sizes, and the entry that each cell counts in."""

import numpy as np
import pytest
from tests.protect.tabulate.spines import CELLS

from privet.errors import BadSpine
from privet.protect.tabulate._table_cells import TableCells


def test_groups_by_name():
    assert CELLS.group("total") == ()
    assert CELLS.group("detailed") == CELLS.group("age * sex") == CELLS.group(("age", "sex")) == (0, 1)
    assert CELLS.group("age") == (1,)
    assert [CELLS.name(group) for group in CELLS.groups] == ["total", "sex", "age", "detailed"]
    assert CELLS.into((1,)).tolist() == [0, 1, 2, 0, 1, 2]
    for wrong in ("height", "age * age", ""):
        with pytest.raises(BadSpine):
            CELLS.group(wrong)


WIDE = TableCells(("a", "b", "c"), ((0, 1), ("x", "y", "z"), (True, False)))


def test_sizes_are_products_of_the_kept_columns():
    assert (WIDE.shape, WIDE.size) == ((2, 3, 2), 12)
    assert [WIDE.group_size(group) for group in WIDE.groups] == [1, 2, 3, 2, 6, 4, 6, 12]
    assert len(WIDE.groups) == 2**3
    assert WIDE.groups[0] == ()
    assert WIDE.groups[-1] == WIDE.detailed == (0, 1, 2)


def test_each_cell_counts_in_the_entry_of_its_own_values():
    """Summing a table by `into` is summing the axes that the group leaves out."""
    table = np.arange(12) ** 2
    for group in WIDE.groups:
        away = tuple(axis for axis in range(3) if axis not in group)
        wanted = table.reshape(WIDE.shape).sum(axis=away).reshape(-1)
        found = np.bincount(WIDE.into(group), weights=table, minlength=WIDE.group_size(group))
        assert found.tolist() == wanted.tolist()


def test_names_and_groups_are_inverse():
    assert [WIDE.group(WIDE.name(group)) for group in WIDE.groups] == WIDE.groups
    assert WIDE.group("c * a") == WIDE.group(["c", "a"]) == (0, 2)
    for wrong in (None, 3, ("a", "d"), ("a", "a")):
        with pytest.raises(BadSpine):
            WIDE.group(wrong)
