"""Rows as codes: those without a target fall away, each for itself, and a person counts with no more rows than the cap."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact import CategoryColumn, Features, ModelTarget, NumberColumn
from privet.errors import MalformedSource
from privet.protect.train.tabular import _coded_examples as coded_examples
from privet.protect.train.tabular._coded_examples import read_examples, require_readable
from privet.protect.train.tabular._hashed_order import in_order

FEATURES = Features((NumberColumn("x", 0, 4, 4), CategoryColumn("c", ("a", "b"))))


TARGET = ModelTarget("y", ("no", "yes"))


ROWS = pa.table(
    {
        "who": [1, 1, 1, 2, 3],
        "x": [0.5, None, 99.0, float("nan"), 2.5],
        "c": ["a", "b", "z", None, "b"],
        "y": ["no", "yes", "yes", "perhaps", None],
    }
)


def test_every_row_is_coded_by_itself():
    found = read_examples(pv.open_table(ROWS, unit=pv.Row()), FEATURES, TARGET, pv.Row())
    rows = sorted(zip(found.codes.tolist(), found.target.tolist(), strict=True))
    assert rows == [([0, 0], 0.0), ([3, 2], 1.0), ([4, 1], 1.0)], (  # exact: labels, nought or one
        "missing is the last level, and too much the last bin"
    )
    assert found.owner is None


def test_a_person_has_at_most_as_many_rows_as_may_count():
    unit = pv.Person("who", max_rows=2)
    found = read_examples(pv.open_table(ROWS, unit=unit), FEATURES, TARGET, unit)
    assert found.owner.tolist() == [0, 0]
    assert len(found) == 2
    empty = read_examples(pv.open_table(ROWS.slice(0, 0), unit=unit), FEATURES, TARGET, unit)
    assert (len(empty), empty.codes.shape, empty.units) == (0, (0, 2), 0)


def test_a_row_that_cannot_be_read_fails_beforehand(tmp_path):
    (tmp_path / "rows.csv").write_text("x,y\n" + "1,no\n" * 30_000 + '2,"no\n')
    table = pv.open_table(tmp_path / "rows.csv", unit=pv.Row())
    with pytest.raises(MalformedSource):
        require_readable(table, ["x", "y", "not there"], pv.Row())
    require_readable(pv.open_table(ROWS, unit=pv.Row()), ["x"], pv.Row())
    assert np.isnan(ROWS["x"][3].as_py())


@pytest.mark.parametrize("unit", [pv.Row(), pv.Person("who", max_rows=2)], ids=["row", "person"])
def test_codes_of_many_rows_are_set_aside_and_are_the_same(monkeypatch, unit):
    table = pv.open_table(pa.concat_tables([ROWS] * 3), unit=unit)
    held = read_examples(table, FEATURES, TARGET, unit).in_order()
    monkeypatch.setattr(coded_examples, "MANY", 1)
    aside = read_examples(table, FEATURES, TARGET, unit)
    assert isinstance(aside.codes, np.memmap)
    assert aside.codes.dtype == np.uint8
    again = in_order(aside)
    rows = [
        sorted(map(tuple, np.column_stack([one.codes, one.target]).tolist())) for one in (held, aside, again)
    ]
    assert rows[0] == rows[1] == rows[2]
    assert (aside.owner is None) == (held.owner is None)


def test_a_column_may_be_called_self():
    table = pv.open_table(ROWS.rename_columns(["who", "self", "c", "y"]), unit=pv.Row())
    features = Features((NumberColumn("self", 0, 4, 4),))
    for unit in (pv.Row(), pv.Person("who", max_rows=5)):
        assert len(read_examples(table, features, TARGET, unit)) == 3
