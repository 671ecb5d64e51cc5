"""Figures that chance must not make: rows of nobody, rows that fall on one side together, statements too wide to single out."""

import numpy as np
import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

import privet as pv
from privet.attacks._attack_registry import Case
from privet.attacks.tables._homogeneity import homogeneity
from privet.attacks.tables._linkage_attack import exact
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
