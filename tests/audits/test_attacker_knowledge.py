"""People with several rows, by hand: who knows one row, who knows all, and what rows alone would say."""

import pyarrow as pa

from privet.audits._attacker_knowledge import several_rows
from privet.engine import frequency_table
from privet.source import open_table


def found(quasi=("town",), sensitive=("ill",), **columns):
    table = open_table(pa.table(columns)).relation
    return several_rows(frequency_table(table, list(columns)), quasi, sensitive)


def test_figures_by_hand() -> None:
    """Ann is in a and b, Bo in a, Cy in b twice. By one row: a holds Ann and Bo, b Ann and Cy. By all: each alone."""
    told = found(
        who=["Ann", "Ann", "Bo", "Cy", "Cy"], town=["a", "b", "a", "b", "b"], ill=["x", "x", "x", "y", "y"]
    )
    assert told is not None
    assert (told.row_k, told.units) == (2, 3)
    one, every = told.attackers
    assert (one.knows, one.k, one.alone) == ("any one row", 2, 0)
    assert (every.knows, every.k, every.alone) == ("all rows", 1, 3)
    assert one.diversity["ill"].distinct_l == 1, "whoever is known to be in a has x"
    assert every.diversity["ill"].certain_people == 3


def test_rows_hide_each_other_and_people_do_not() -> None:
    told = found(who=[1, 1, 1, 1, 2], town=["a", "a", "a", "a", "b"], ill=["x"] * 5)
    assert told is not None
    assert told.to_json()["row_k"] == 1
    assert [one["k"] for one in told.to_json()["attackers"]] == [1, 1]


def test_nobody_with_several_rows_is_nothing_to_say() -> None:
    assert found(who=[1, 2, 3], town=["a", "a", "b"], ill=["x"] * 3) is None
    assert found((), who=[1, 1], town=["a", "b"], ill=["x"] * 2) is None


def test_rows_of_nobody_are_left_out() -> None:
    assert found(who=[1, 2, None, None], town=["a", "a", "b", "b"], ill=["x"] * 4) is None
    told = found(who=[1, 1, 2, None], town=["a", "a", "a", "b"], ill=["x"] * 4)
    assert told is not None
    assert (told.units, told.row_k) == (2, 3)
