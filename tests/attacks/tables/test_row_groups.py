"""Rows that fall on one side together: a person's, equal ones, and none where rows were divided one by one."""

import numpy as np
import pyarrow as pa
import pytest

from privet.attacks._attack_registry import Case
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.tables._closest_records import distance_to_closest
from privet.attacks.tables._membership_density import density
from privet.attacks.tables._row_groups import first_rows, row_groups, some_rows


def test_a_persons_rows_belong_together_and_nameless_rows_are_alone() -> None:
    side = pa.table({"id": ["a", "b", "a", None, None], "x": [1, 1, 1, 1, 1]})
    mine, others = row_groups(side, side, "id")
    assert mine.tolist() == others.tolist()
    assert mine[0] == mine[2]
    assert len(set(mine.tolist())) == 4


def test_equal_rows_belong_together_unless_one_is_on_both_sides() -> None:
    members, control = pa.table({"x": [1, 1, None, None, 2]}), pa.table({"x": [3, 3]})
    mine, others = row_groups(members, control, None)
    assert mine[0] == mine[1]
    assert mine[2] == mine[3]
    assert len(set(mine.tolist())) == 3
    assert others.tolist() == [0, 0]
    alone, _ = row_groups(members, pa.table({"x": [2, 3]}), None)
    assert alone.tolist() == [0, 1, 2, 3, 4]
    alone, _ = row_groups(members, pa.table({"y": [2, 3]}), "id")
    assert alone.tolist() == [0, 1, 2, 3, 4]


def test_whole_groups_are_drawn_and_the_last_is_cut() -> None:
    groups = np.array([0, 1, 0, 2, 1, 0])
    for seed in range(8):
        rows = some_rows(groups, 4, repeatable_generator(seed))
        assert len(rows) == 4
        counts = np.bincount(groups[rows], minlength=3)
        assert sum(0 < found < all_ for found, all_ in zip(counts, [3, 2, 1], strict=True)) <= 1
    assert some_rows(groups, 9, repeatable_generator(1)).tolist() == list(range(6))
    assert first_rows(groups).tolist() == [0, 1, 3]


@pytest.mark.parametrize("attack", [density, distance_to_closest])
def test_rows_that_were_never_used_are_not_told_from_others_because_equal_ones_stay_together(attack) -> None:
    """One kind of row in five is kept apart with all its copies; what is published comes from neither side.

    With rows drawn one by one, membership looked like 0.88 and closeness like 0.68.
    """
    draws = np.random.default_rng(3)
    kinds = pa.table({"a": draws.random(1500), "b": draws.random(1500)})
    copies = np.repeat(np.arange(1500), draws.integers(1, 6, 1500))
    members, control = kinds.take(copies[copies >= 300]), kinds.take(copies[copies < 300])
    published = pa.table({"a": draws.random(2000), "b": draws.random(2000)})
    found = attack(published, Case(members=members, control=control, confidence=0.999999))
    assert found.success.low <= 0.5 <= found.success.high
    assert abs(found.success.value - 0.5) < 0.1
