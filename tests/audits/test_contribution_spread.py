"""What people contribute, against counting by hand."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.audits._contribution_spread import contributions, spread
from privet.audits._person_records import people
from privet.source import open_table


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=60))
def test_a_suggested_cap_is_the_smallest_that_keeps_enough(numbers: list[int]) -> None:
    found = spread(np.array(numbers))
    total = sum(numbers)
    kept = {cap: sum(min(one, cap) for one in numbers) / total for cap in range(1, max(numbers) + 1)}
    enough = [cap for cap, share in kept.items() if share >= 0.95 and cap in numbers]
    assert found.suggested == min(enough)
    assert abs(found.kept - kept[found.suggested]) < 1e-12


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=40))
def test_quantiles_cover_their_share_of_people(numbers: list[int]) -> None:
    found = spread(np.array(numbers))
    for share, number in found.quantiles:
        assert sum(one <= number for one in numbers) >= share * len(numbers) - 1e-9
    assert found.highest == max(numbers)


def test_rows_groups_and_heavy_people() -> None:
    table = open_table(pa.table({"who": [1] * 8 + [2, 3], "ward": list("abcdaaaaab"), "x": [0] * 10}))
    found = contributions(people(table.relation, ["ward", "x"], ("who",)), "who", ["ward"])
    assert found is not None
    assert found.rows.highest == 8
    assert found.groups["ward"].highest == 4
    assert found.heavy_share == pytest.approx(0.8)
    assert found.to_json()["origin"].startswith("read off the data")


def test_without_persons_there_is_nothing_to_say() -> None:
    table = open_table(pa.table({"x": [1, 2]}))
    assert contributions(people(table.relation, ["x"], ()), "who", []) is None
