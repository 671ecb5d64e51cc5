"""Workloads: all pairs, a target, or sets with weights; and what could be measured for them."""

import pytest

from privet.errors import BadSynthesis
from privet.protect.synthesize._workload import candidates, workload_of

NAMES = ["age", "ward", "back"]


def test_workloads_as_people_write_them() -> None:
    assert workload_of(None, NAMES) == {(0, 1): 1, (0, 2): 1, (1, 2): 1}
    assert workload_of("back", NAMES) == {(0, 1): 1, (0, 2): 4, (1, 2): 4}
    assert workload_of([("back", "age")], NAMES) == {(0, 2): 100}
    assert workload_of({("age",): 1.0, ("age", "ward", "back"): 2.0}, NAMES) == {(0,): 50, (0, 1, 2): 100}
    assert workload_of(None, ["age"]) == {(0,): 1}


def test_what_is_no_workload_is_refused() -> None:
    for wrong in (
        "aged",
        [("age", "wards")],
        [()],
        [("age", "age")],
        [],
        {("age",): 0.0},
        {("age",): float("inf")},
    ):
        with pytest.raises(BadSynthesis):
            workload_of(wrong, NAMES)


def test_candidates_are_the_subsets_with_what_they_serve() -> None:
    found = candidates({(0, 1): 1, (1, 2): 2}, (3, 3, 50), most=100)
    # (1, 2) has 150 cells and cannot be measured; its parts can.
    assert found == {(0,): 1, (0, 1): 4, (1,): 3, (2,): 2}
