"""Every person counts once, however many rows there are."""

import numpy as np
import pyarrow as pa
import pytest

from privet.audits._person_records import people
from privet.source import open_table


def opened(**columns):
    return open_table(pa.table(columns)).relation


def test_rows_of_one_person_are_one_record() -> None:
    found = people(opened(who=[1, 1, 1, 2, 3, 3], town=["a", "a", "a", "b", "b", "b"]), ["town"], ("who",))
    assert len(found) == 3
    assert found.rows == 6
    assert sorted(found.codes[:, 0].tolist()) == [0, 1, 1]
    assert found.rows_of_owner.tolist() == [3, 1, 2]
    assert found.varying == ()


def test_a_column_that_varies_is_named_and_one_row_speaks() -> None:
    found = people(
        opened(who=[1, 1, 2], ward=["a", "b", "a"], sex=["F", "F", "M"]), ["ward", "sex"], ("who",)
    )
    assert len(found) == 2
    assert found.varying == ("ward",)
    assert found.groups_of_owner["ward"].tolist() == [2, 1]


def test_the_choice_among_a_person_s_rows_favours_no_value() -> None:
    size = 2000
    found = people(
        opened(who=np.repeat(np.arange(size), 2), place=np.tile([0, 1], size)), ["place"], ("who",)
    )
    assert 0.4 < found.codes[:, 0].mean() < 0.6


def test_rows_without_a_person_stand_for_themselves() -> None:
    found = people(opened(who=[1, None, None, 1], town=["a", "b", "b", "a"]), ["town"], ("who",))
    assert len(found) == 3
    assert found.rows_of_owner.tolist() == [2]


def test_without_a_unit_each_row_is_a_person() -> None:
    found = people(opened(town=["a", "a", None]), ["town"], ())
    assert len(found) == 3
    assert found.counts.tolist() == [2, 1]
    assert found.missing_code("town") == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    draw = np.random.default_rng(seed)
    who, town = draw.integers(0, 20, 100), draw.integers(0, 5, 100)
    order = draw.permutation(100)
    first = people(opened(who=who, town=town), ["town"], ("who",))
    second = people(opened(who=who[order], town=town[order]), ["town"], ("who",))
    assert first.codes.tolist() == second.codes.tolist()


def test_groups_of_each_person_are_as_counted_by_hand() -> None:
    draw = np.random.default_rng(5)
    who = [None if one == 40 else one for one in (draw.geometric(0.05, 3_000) - 1).clip(max=60).tolist()]
    ward = draw.integers(0, 7, 3_000).tolist()
    found = people(opened(who=pa.array(who, pa.int64()), ward=ward), ["ward"], ("who",))
    wards = {one: {w for o, w in zip(who, ward, strict=True) if o == one} for one in who if one is not None}
    assert found.groups_of_owner["ward"].tolist() == [len(wards[one]) for one in sorted(wards)]
