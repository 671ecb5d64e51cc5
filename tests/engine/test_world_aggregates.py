"""All worlds in one pass: what comes out is what each half gives by itself, to the last step."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.engine import Contribution, WorldStatistic, members, prepare_worlds, words_for, world_rows
from privet.engine import _world_aggregates as passing
from privet.engine._open_relation import open_frame
from privet.errors import BadAggregate
from privet.guarantee import Person, Row
from privet.sealed import FixedPoint, OutputGrid

WORLDS = 34
FIXED = FixedPoint(0, 64, 1)
STATISTICS = {
    "n": WorldStatistic("rows"),
    "who": WorldStatistic("persons"),
    "there": WorldStatistic("valid", "x"),
    "total": WorldStatistic("sum", "x", FIXED),
    "mean": WorldStatistic("mean", "x", FIXED),
}
KEYS = pa.table({"ward": ["a", "b", "nobody"]})


def rows(persons: int = 300, each: int = 3) -> pa.Table:
    draw = np.random.default_rng(5)
    size = persons * each
    values = [None if draw.random() < 0.1 else int(one) for one in draw.integers(0, 65, size)]
    return pa.table(
        {"who": np.repeat(np.arange(persons), each), "x": values, "ward": draw.choice(["a", "b", "c"], size)}
    )


def outputs(relation, unit, *, grouped=False, least=1, worlds=WORLDS):
    groups = KEYS.num_rows if grouped else 1
    grid = OutputGrid.alike(-(2.0**40), 2.0**40, groups * len(STATISTICS))
    sealed, failure = prepare_worlds(
        relation,
        keys=("ward",) if grouped else (),
        public_keys=KEYS if grouped else None,
        statistics=STATISTICS,
        contribution=Contribution.for_unit(unit, grouped=grouped),
        seed="seed",
        worlds=worlds,
        least_people=least,
        grid=grid,
    )()
    assert failure is None
    return grid.decode(sealed._exact).reshape(worlds, groups, len(STATISTICS))


def halves(relation, unit, worlds=WORLDS):
    """The rows of each world, by the other way that there is."""
    batches = world_rows(relation, ["x", "ward"], unit, seed="seed", worlds=worlds)
    found = pa.Table.from_batches(list(batches))
    words = [found[name].to_numpy() for name in words_for(worlds)]
    for world in range(worlds):
        inside = members(words, world // 2) ^ bool(world % 2)
        yield found.filter(pa.array(inside))


def expected(half: pa.Table, unit) -> list[float]:
    values = [one for one in half["x"].to_pylist() if one is not None]
    persons = len(set(half["privet_owner"].to_pylist())) if isinstance(unit, Person) else half.num_rows
    return [
        2 * half.num_rows,
        2 * persons,
        2 * len(values),
        2 * sum(values),
        sum(values) / max(len(values), 1),
    ]


@pytest.mark.parametrize("unit", [Person("who", max_rows=3), Row()])
def test_every_world_is_its_half(unit) -> None:
    relation = open_frame(rows())
    found = outputs(relation, unit)[:, 0]
    for world, half in enumerate(halves(relation, unit)):
        assert found[world] == pytest.approx(expected(half, unit), abs=0.01)


@pytest.mark.parametrize("unit", [Person("who", max_rows=3), Row()])
def test_groups_are_those_stated_and_in_their_order(unit) -> None:
    relation = open_frame(rows())
    found = outputs(relation, unit, grouped=True)
    for world, half in enumerate(halves(relation, unit)):
        for at, ward in enumerate(("a", "b")):
            chosen = half.filter(pa.array([one == ward for one in half["ward"].to_pylist()]))
            assert found[world, at] == pytest.approx(expected(chosen, unit), abs=0.01)
        assert found[world, 2] == pytest.approx([0] * 5)


def test_pairs_of_worlds_are_everybody() -> None:
    found = outputs(open_frame(rows()), Person("who", max_rows=3))[:, 0]
    both = (found[0::2] + found[1::2]) / 2
    assert both[:, 0] == pytest.approx(np.full(WORLDS // 2, 900))
    assert both[:, 1] == pytest.approx(np.full(WORLDS // 2, 300))


def test_worlds_of_too_few_people_have_zeros() -> None:
    relation = open_frame(rows(40, 1))
    whole, bare = outputs(relation, Row()), outputs(relation, Row(), least=20)
    few = whole[:, 0, 1] < 40  # doubled
    assert 0 < few.sum() < WORLDS
    assert (bare[few] == 0).all()
    assert bare[~few] == pytest.approx(whole[~few])


@pytest.mark.parametrize("size", [16, 17, 256, 257])
def test_narrow_digits_give_the_same_worlds(monkeypatch, size) -> None:
    relation = open_frame(rows(120, 1))
    wide = outputs(relation, Row(), worlds=128)
    monkeypatch.setattr(
        passing, "_WIDTHS", tuple((most, width) for most, width in passing._WIDTHS if most >= size)
    )
    assert outputs(relation, Row(), worlds=128) == pytest.approx(wide)


def test_an_engine_that_fails_gives_the_worlds_of_no_rows(monkeypatch) -> None:
    def failing(*_, **__):
        raise RuntimeError("a row")

    prepared = prepare_worlds(
        open_frame(rows()),
        keys=(),
        public_keys=None,
        statistics=STATISTICS,
        contribution=Contribution.for_unit(Row(), grouped=False),
        seed="seed",
        worlds=8,
        least_people=1,
        grid=OutputGrid.alike(-1, 1, 5),
    )
    monkeypatch.setattr(passing, "fetch", failing)
    sealed, failure = prepared()
    assert failure is not None
    assert "a row" not in failure.said
    assert not sealed._exact.any()


def test_what_cannot_be_added_up_is_refused() -> None:
    for wrong in (("median", "x", None), ("rows", "x", None), ("sum", "x", None), ("mean", None, FIXED)):
        with pytest.raises(BadAggregate):
            WorldStatistic(*wrong)
    with pytest.raises(BadAggregate, match="public"):
        prepare_worlds(
            open_frame(rows()),
            keys=("ward",),
            public_keys=None,
            statistics=STATISTICS,
            contribution=Contribution.for_unit(Row(), grouped=True),
            seed="seed",
            worlds=8,
            least_people=1,
            grid=OutputGrid.alike(-1, 1, 5),
        )
