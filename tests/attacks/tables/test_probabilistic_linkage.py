"""Both tables in the same codes, and which columns can be weighed at all."""

import numpy as np
import pyarrow as pa
import pytest

from privet.attacks._attack_registry import Case
from privet.attacks.tables._probabilistic_linkage import _column, claimed
from privet.attacks.tables._released_rows import Released
from privet.attacks.tables._row_owners import owners_of
from privet.errors import BadAttack, NoPower


def column(published: list, known: list, hierarchy=None):
    return _column(pa.chunked_array([published]), pa.chunked_array([known]), hierarchy)


def test_plain_columns_meet_by_value_and_gaps_by_nothing():
    ours, theirs, labels = column(pa.array(["b", None, "a"]), pa.array(["a", "c", None]))
    names = labels.to_pylist()
    assert [names[code] if code >= 0 else None for code in ours] == ["b", None, "a"]
    assert [names[code] if code >= 0 else None for code in theirs] == ["a", "c", None]


def test_values_stand_for_the_cell_that_covers_them():
    ours, theirs, labels = column(pa.array(["[20, 30[", "[30, 40["]), pa.array([35, 21, 99]))
    assert labels.to_pylist() == ["[20, 30[", "[30, 40["]
    assert ours.tolist() == [0, 1]
    assert theirs.tolist() == [1, 0, -1]


def test_cells_that_overlap_cannot_be_weighed():
    assert column(pa.array(["[20, 30[", "*"]), pa.array([21, 35])) is None


def owners(published: pa.Table, known: pa.Table, quasi: list[str], **settings):
    case = Case(members=known, settings={"quasi": quasi, **settings})
    return owners_of(Released(published, "table"), case), case


def people(number: int = 60) -> pa.Table:
    draw = np.random.default_rng(1)
    return pa.table({name: draw.integers(0, 30, number) for name in ("a", "b", "c")})


def test_rows_are_claimed_each_once_and_rightly():
    rows = people()
    found = claimed(*owners(rows, rows, ["a", "b", "c"]))
    assert len(found.rows) == len(set(found.rows.tolist())) > 40
    assert (found.rows == found.people).mean() > 0.95
    assert (found.linker, found.notes) == ("own", ())


def test_columns_that_overlap_are_left_out_and_said():
    rows = people()
    wide = rows.set_column(0, "a", pa.array(["*"] * 30 + ["[0, 30["] * 30))
    assert "'a' overlap" in claimed(*owners(wide, rows, ["a", "b", "c"])).notes[0]
    with pytest.raises(NoPower, match="fewer than two columns"):
        claimed(*owners(wide, rows, ["a", "b"]))


def test_there_is_no_other_linker():
    rows = people()
    with pytest.raises(BadAttack, match="no such linker"):
        claimed(*owners(rows, rows, ["a", "b", "c"], linker="magic"))
