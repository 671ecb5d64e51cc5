"""Shadow twins: copies are caught, independent tables are not, and people with several rows are one person."""

import numpy as np
import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

import privet as pv
from privet.attacks._attack_registry import Case
from privet.attacks.tables._shadow_twins import membership_shadow_twins
from privet.errors import BadAttack, NoPower

SURE = 1 - 1e-6  # of intervals: false alarms in at most one case in a million
MEMBERS, CONTROL = world(200, 1), world(200, 2)


def copying(rows, seed):
    """Hands out two rows of three as they are."""
    return rows.take(np.random.default_rng(seed).permutation(len(rows))[: len(rows) * 2 // 3])


def fresh(rows, seed):
    """Never looks at what it is given."""
    return world(len(rows), 1000 + seed % 1000)


def attacked(published, recipe, **more):
    settings = {"recipe": recipe, "shadows": 8, **more.pop("settings", {})}
    case = {"members": MEMBERS, "control": CONTROL, "promise": pv.PureDP(1), "confidence": SURE, **more}
    return membership_shadow_twins(published, Case(settings=settings, **case))


def test_a_synthesizer_that_copies_is_caught() -> None:
    found = attacked(copying(MEMBERS, 5), copying, promise=pv.PureDP("0.1"))
    assert found.verdict.value == "contradicts the promise"
    assert found.success.low > found.bound == pytest.approx(np.exp(0.1) / (1 + np.exp(0.1)))
    assert found.baseline == pytest.approx(0.5)
    assert found.control is not None
    assert found.control.low < 0.5 < found.control.high
    assert found.cost.models == found.details["shadows"] == 8


def test_one_that_never_looks_is_not_accused_of_anything() -> None:
    found = attacked(fresh(MEMBERS, 5), fresh, promise=pv.PureDP("0.001"))
    assert found.success.low < 0.5 < found.success.high
    assert found.verdict.value != "contradicts the promise"


def test_a_count_that_is_one_too_many_is_enough() -> None:
    """Exact counts of two columns, no row copied: the person is in a cell of its own."""

    def counted(rows, _seed):
        return pa.table({name: rows[name].to_pylist()[::-1] for name in ("kind 3", "amount [1]")})

    found = attacked(counted(MEMBERS, 0), counted)
    assert found.success.low > 0.6


def test_people_with_several_rows_are_in_or_out_as_a_whole() -> None:
    sides = [
        pa.concat_tables([rows, world(200, seed)]).append_column("person", pa.array([*range(200)] * 2))
        for rows, seed in ((MEMBERS, 3), (CONTROL, 4))
    ]
    seen = []

    def watched(rows, seed):
        people, times = np.unique(rows["person"].to_numpy(), return_counts=True)
        seen.append((len(people), set(times.tolist())))
        return copying(rows.drop(["person"]), seed)

    published = copying(sides[0].drop(["person"]), 7)
    found = attacked(
        published, watched, members=sides[0], control=sides[1], settings={"unit": "person", "shadows": 4}
    )
    # Numbers that both sides use are two people: up to four rows of a number, never an odd count.
    assert all(times <= {2, 4} for _, times in seen)
    assert found.cost.records == 400
    assert found.success.low > 0.6
    opened = pv.open_table(sides[0], unit=pv.Person("person", max_rows=2))
    seen.clear()
    attacked(published, watched, members=opened, control=sides[1], settings={"shadows": 2})
    assert all(times <= {2, 4} for _, times in seen)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(BadAttack, match="not known how this table was made"):
        attacked(MEMBERS, "mst")
    with pytest.raises(BadAttack, match="complementary pairs"):
        attacked(MEMBERS, copying, settings={"shadows": 3})
    with pytest.raises(NoPower, match="fewer than 20"):
        attacked(MEMBERS, copying, members=MEMBERS.slice(0, 5))
    with pytest.raises(BadAttack, match="different kinds"):
        attacked(
            MEMBERS,
            copying,
            control=pa.table({name: ["x"] * 30 for name in MEMBERS.column_names}),
        )
    with pytest.raises(BadAttack, match="shares no column"):
        attacked(pa.table({"other": [1]}), copying)
    with pytest.raises(BadAttack, match="a shadow twin has no column"):
        attacked(MEMBERS, lambda rows, _: rows.select(["kind 0"]))
    with pytest.raises(BadAttack, match="no column 'nobody'"):
        attacked(MEMBERS, copying, settings={"unit": "nobody"})
