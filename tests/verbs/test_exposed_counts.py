"""Released counts as attackers hold them: conditions that say whom, and those that are the secret."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.engine import expressions as tree
from privet.errors import BadAttack
from privet.protect.query.sql import Catalog, read_sql
from privet.verbs import _exposed_counts as exposed

ROWS = pa.table(
    {
        "id": [1, 2, 3, 4],
        "ward": ["A", "A", "B", None],
        "ill": ["flu", "gout", "flu", "flu"],
        "age": [10, 20, 30, 40],
    }
)


TABLE = pv.open_table(
    ROWS,
    unit=pv.Person("id", max_rows=1),
    roles={"ill": "sensitive", "ward": "quasi"},
    keys={"ward": ["A", "B"]},
    name="t",
    version="1",
)


class Shown:
    """An answer of these columns."""

    def __init__(self, **columns):
        self.columns = columns

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name):
        return self.columns[name]


def cells(sql, **columns):
    return list(
        exposed.cells(read_sql(sql, Catalog.of(TABLE, None)), Shown(**columns), TABLE, frozenset({"ill"}))
    )


def test_sensitive_conditions_are_the_secret_and_the_others_say_who_was_asked():
    found = cells(
        "SELECT ward, COUNT(*) AS n FROM t WHERE ill = 'flu' AND age > 15 GROUP BY ward",
        ward=("A", "B"),
        n=(0, 1),
    )
    assert len(found) == 2
    flu = tree.Compare("=", tree.Column("ill"), tree.Literal("flu"))
    assert {cell.secret for cell in found} == {flu}
    assert [cell.value for cell in found] == [0, 1]
    assert found[0].asked != found[1].asked


def test_without_a_sensitive_condition_belonging_is_the_secret():
    (found,) = cells("SELECT COUNT(*) AS n FROM t WHERE age > 15", n=(3,))
    assert found.asked is None
    assert found.secret == tree.Compare(">", tree.Column("age"), tree.Literal(15))
    assert cells("SELECT COUNT(*) AS n FROM t", n=(4,)) == [], "everybody is no secret"


def test_what_cannot_be_told_row_by_row_is_left_out():
    assert cells("SELECT ward, COUNT(*) AS n FROM t GROUP BY ROLLUP (ward)", ward=("A", None), n=(2, 4)) == []
    assert cells("SELECT COUNT(DISTINCT id) AS n FROM t WHERE age > 15", n=(3,)) == []
    assert cells("SELECT COUNT(*) AS n FROM t WHERE ward = 'A' GROUP BY age", n=(1,)) == [], (
        "whose group it is, is not shown"
    )


def test_truth_is_read_for_every_row_and_a_missing_value_meets_nothing():
    wanted = [tree.Compare("=", tree.Column("ward"), tree.Literal("A")), tree.IsMissing(tree.Column("ward"))]
    found = exposed._evaluated(TABLE, wanted)
    assert found[wanted[0]].tolist() == [True, True, False, False]
    assert found[wanted[1]].tolist() == [False, False, False, True]


def test_tables_too_large_to_solve_for_are_refused(monkeypatch):
    monkeypatch.setattr(exposed, "_MOST_ROWS", 3)
    with pytest.raises(BadAttack, match="more than 3 rows"):
        exposed._evaluated(TABLE, [tree.IsMissing(tree.Column("ward"))])


def test_answers_become_what_attacks_take():
    secret, asked = tree.IsMissing(tree.Column("ill")), tree.IsMissing(tree.Column("ward"))
    truth = {secret: np.array([True, False]), asked: np.array([False, True])}
    made = exposed._exposed(
        secret, [exposed.Cell(secret, None, 1.0), exposed.Cell(secret, asked, None)], truth, pv.PureDP(1)
    )
    assert made.members.tolist() == [True, False]
    assert made.promise == pv.PureDP(1)
