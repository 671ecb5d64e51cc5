"""Cells told one level finer, by enumeration."""

import pyarrow as pa
import pytest
from tests.attacks.tables.classes import TREE

from privet.attacks._attack_registry import Case
from privet.attacks.tables._downcoding import Finer, _k, downcoding, parts_of
from privet.errors import BadAttack, NoPower
from privet.guarantee import AlphaK, KAnonymity, LDiversity


def test_two_rows_of_a_minimal_cell_are_told_apart() -> None:
    """k = 2 and two rows under a cell of two halves: had they been in one half, it would have been published."""
    original = pa.table({"age": ["21", "31"]})
    published = pa.table({"age": ["*", "*"]})
    settings = {"quasi": ["age"], "hierarchies": {"age": TREE}, "k": 2}
    found = downcoding(published, Case(members=original, settings=settings))
    assert [found.success.value, found.details["certain"]] == pytest.approx([1, 1])
    assert found.baseline == pytest.approx(
        1.0
    )  # one each is the likeliest split anyway; certainty is what is gained
    four = Case(members=pa.table({"age": ["21", "22", "31", "21"]}), settings=settings)
    wide = downcoding(pa.table({"age": ["*"] * 4}), four)
    assert wide.details["certain"] == 0
    assert wide.success.value == pytest.approx(0.5)  # three and one, or one and three
    assert wide.baseline == 0  # two and two is likeliest before, and would have been published


def test_a_whole_table_judged_at_once_says_less() -> None:
    original = pa.table({"sex": ["f"] * 4 + ["m"] * 4 + ["x"] * 4, "age": ["21", "22", "31", "21"] * 3})
    published = original.set_column(1, "age", pa.array(["*"] * 12))
    settings = {"quasi": ["sex", "age"], "hierarchies": {"age": TREE}, "k": 2}
    local = downcoding(published, Case(members=original, settings=settings))
    together = downcoding(published, Case(members=original, settings={**settings, "recoding": "global"}))
    assert together.success.value < local.success.value


def test_parts_of_a_cell_are_those_one_level_down() -> None:
    assert parts_of(TREE, "*") == {"young": ["21", "22"], "old": ["31", "32"]}
    assert parts_of(TREE, "young") == {"21": ["21"], "22": ["22"]}
    assert parts_of(TREE, "21") == {}
    assert parts_of(TREE, "unheard of") == parts_of(TREE, None) == {}
    assert parts_of([("1", "a", "*"), ("2", "a", "*")], "*") == {}, "one part is no split"


def test_the_belief_after_knowing_that_no_finer_cell_would_do() -> None:
    """Two rows in two halves: one each with chance 1/2; both in one half would have been published."""
    cell = Finer({(2, 0): 0.25, (1, 1): 0.5, (0, 2): 0.25}, frozenset({(2, 0), (0, 2)}), (1, 1))
    assert cell.chance_allowed == pytest.approx(0.5)
    assert cell.posterior(1.0) == {(1, 1): pytest.approx(1)}
    assert cell.posterior(0.0) == pytest.approx(cell.weights), "something elsewhere stood against it anyway"
    assert cell.posterior(0.5)[1, 1] == pytest.approx(0.5 / 0.75)


def test_k_is_as_stated_or_the_largest_that_is_promised() -> None:
    assert _k(KAnonymity(3) & AlphaK("ill", 0.5, 7), Case()) == 7
    assert _k(KAnonymity(3), Case(settings={"k": 2})) == 2
    with pytest.raises(BadAttack, match="what k is"):
        _k(LDiversity("ill", 2), Case())


def test_tables_without_a_cell_to_take_apart_are_refused() -> None:
    rows = pa.table({"age": ["21", "22"]})
    settings = {"quasi": ["age"], "hierarchies": {"age": TREE}, "k": 1}
    with pytest.raises(NoPower, match="no cell"):
        downcoding(rows, Case(members=rows, settings=settings))
