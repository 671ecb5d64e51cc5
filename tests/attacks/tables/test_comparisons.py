"""Figures that chance must not make: rows of nobody, rows that fall on one side together, statements too wide to single out."""

import numpy as np
import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

import privet as pv
from privet.attacks._attack_registry import Case
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.tables._closest_records import distance_to_closest, exact_match
from privet.attacks.tables._homogeneity import homogeneity
from privet.attacks.tables._linkage_attack import exact
from privet.attacks.tables._predicates import about_rows, counts, expected, near_rows
from privet.attacks.tables._singling_out import several_columns
from privet.attacks.tables._table_codes import coded
from privet.errors import NoPower


def people(number: int, seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "age": draw.integers(18, 90, number),
            "zip": draw.integers(0, 200, number),
            "ill": draw.choice(["no", "yes"], number),
        }
    )


@pytest.mark.parametrize("attack", [exact, homogeneity])
def test_rows_of_nobody_are_not_linked(attack) -> None:
    """An unrelated table fits people by chance; calling that a find would be a false alarm."""
    settings = {"quasi": ["age", "zip"], "sensitive": ["ill"]}
    members = people(400, 1)
    with pytest.raises(NoPower, match="fit nobody in the original"):
        attack(people(400, 2), Case(members=members, settings=settings))
    assert attack(members, Case(members=members, settings=settings)).success.value > 0.9


def test_generalized_rows_are_no_copies() -> None:
    """Everybody's age lies in a published span: that is what generalizing is, and no copy."""
    members, control = people(200, 1), people(200, 2)
    spans = pa.array([f"[{10 * (age // 10)}, {10 * (age // 10) + 10})" for age in members["age"].to_pylist()])
    published = members.set_column(0, "age", spans)
    with pytest.raises(NoPower, match="'age' are generalized"):
        exact_match(published, Case(members=members, control=control))
    assert exact_match(members, Case(members=members, control=control)).success.value == pytest.approx(1)


def test_rows_that_are_all_alike_are_one_trial() -> None:
    """A table of one row a thousand times lies nearer to somebody: that is one coin, not a thousand."""
    members, control = world(300, 1), world(300, 2)
    same = world(1, 3).take([0] * 300)
    found = distance_to_closest(same, Case(members=members, control=control))
    assert found.details["rows_independent"] == 1
    assert not found.beats_baseline
    assert distance_to_closest(members, Case(members=members, control=control)).beats_baseline


def test_narrow_spans_hold_their_row_and_few_others() -> None:
    (table,) = coded([world(2_000, 4)], world(1, 4).column_names)
    rows, column = np.arange(50), np.tile([0, 1, 4], (50, 1))
    for made in (near_rows(table, rows, column), about_rows(table, rows, column)):
        codes = table.codes[rows[:, None], column]
        assert ((made.low <= codes) & (codes <= made.high)).all()
    near = near_rows(table, rows, column[:, :1])
    assert np.median(counts(table, near)) <= 0.03 * len(table)
    # Columns of this world are nearly independent: what is expected is what is counted.
    wide = about_rows(table, rows, column)
    assert np.corrcoef(expected(table, wide), counts(table, wide))[0, 1] > 0.9


def test_chosen_statements_are_true_of_one_row_and_unlikely_elsewhere() -> None:
    here, there = coded([world(1_500, 5), world(1_500, 6)], world(1, 5).column_names)
    made = several_columns(here, list(range(8)), 3, 200, repeatable_generator(1, "test"))
    assert len(made) == 200
    assert (counts(here, made) == 1).all()
    assert np.median(expected(here, made)) < 0.5
    assert counts(there, made).mean() < 1


def test_independent_tables_seldom_find_anything() -> None:
    """Three reports on unrelated rows at a shared confidence of 0.999: nothing is found in any."""
    for seed in range(3):
        found = pv.attack(
            world(300, 10 + seed),
            members=world(300, 20 + seed),
            control=world(300, 30 + seed),
            confidence=0.999,
            repeats=1,
            seed=seed,
        )
        assert not any(one.found_something for one in found), str(found)
        assert not any(one.unfair for one in found)
