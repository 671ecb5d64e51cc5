"""Copies and near copies: caught, and not more than that."""

import numpy as np
import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

from privet.attacks._attack_registry import Case
from privet.attacks.tables._closest_records import distance_to_closest, exact_match
from privet.errors import NoPower

FAST = {"guesses": 400, "repeats": 3}


@pytest.fixture(scope="module")
def tables() -> tuple[pa.Table, pa.Table]:
    return world(1200, 1), world(1200, 2)


def test_closest_rows_tell_a_copy_from_fresh_rows(tables) -> None:
    members, control = tables
    case = Case(members=members, control=control, settings=FAST)
    copied, fresh = distance_to_closest(members, case), distance_to_closest(world(1200, 3), case)
    assert copied.success.low > 0.95
    assert fresh.success.low < 0.5 < fresh.success.high
    assert any("no evidence of privacy" in note for note in copied.notes)


def people(number: int, seed: int) -> pa.Table:
    draw = np.random.default_rng(seed)
    return pa.table(
        {
            "age": draw.integers(18, 90, number),
            "zip": draw.integers(0, 200, number),
            "ill": draw.choice(["no", "yes"], number),
        }
    )


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


def test_pandas_and_paths_are_tables_too(tables, tmp_path) -> None:
    import pyarrow.parquet as pq

    members, control = tables
    pq.write_table(members, tmp_path / "synthetic.parquet")
    found = exact_match(
        str(tmp_path / "synthetic.parquet"), Case(members=members.to_pandas(), control=control)
    )
    assert found.success.value == pytest.approx(1.0)


def test_distances_by_hand() -> None:
    """Published 0, 10 and 5; a member at 1, control at 10: one nearer to the member, one to control, one to the member."""
    published, members, control = (
        pa.table({"a": list(map(float, values))}) for values in ([0, 10, 4], [1], [10])
    )
    found = distance_to_closest(published, Case(members=members, control=control, settings={"repeats": 1}))
    assert found.success.value == pytest.approx(2 / 3)
    assert found.details["median_to_members"] == pytest.approx(0.3)
    assert found.details["copies"] == 0


def test_rows_as_near_to_both_count_half() -> None:
    published, members, control = (
        pa.table({"a": list(map(float, values))}) for values in ([5, 5], [0], [10])
    )
    found = distance_to_closest(published, Case(members=members, control=control, settings={"repeats": 1}))
    assert found.success.value == pytest.approx(0.5)


def test_unique_originals_are_counted_apart() -> None:
    """Of three originals one is published; of the two that are like nobody else, none."""
    members = pa.table({"a": ["x", "x", "y", "z"]})
    published = pa.table({"a": ["x", "w"]})
    control = pa.table({"a": ["v", "u", "t", "s"]})
    found = exact_match(published, Case(members=members, control=control, settings={"repeats": 1}))
    assert found.success.value == pytest.approx(0.5)
    assert found.control.value == pytest.approx(0)
    assert found.details["of_unique_originals"] == pytest.approx(0)
