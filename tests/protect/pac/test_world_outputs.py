"""A function on every world: each person in half of them, failures that tell nothing, processes that change nothing."""

from __future__ import annotations

import math
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.pac.people import book, means, people

import privet as pv
from privet import BlackBox
from privet.engine import world_rows
from privet.protect.pac import WorldRows, outputs_of
from privet.protect.pac import _world_outputs as outputs_module

WORLDS = 32


class Stop(BaseException):
    """Not an Exception: what handles those does not see it."""


def rows_of(table, columns=("age", "cost"), given_as="numpy", bounds=None) -> WorldRows:
    batches = world_rows(table.relation, columns, table.unit, seed="seed", worlds=WORLDS)
    return WorldRows.of(batches, tuple(columns), table.bounds if bounds is None else bounds, given_as, WORLDS)


def box(function=means, **more) -> BlackBox:
    return BlackBox(function, "f", **more)


def test_a_pair_of_worlds_is_everybody_once() -> None:
    rows = rows_of(people(100, 3))
    for pair in range(WORLDS // 2):
        first, second = rows.half(2 * pair), rows.half(2 * pair + 1)
        assert len(first) + len(second) == 300
        assert np.concatenate([first, second]).sum(axis=0) == pytest.approx(rows.rows.sum(axis=0))
        assert rows.number_of_people(2 * pair) + rows.number_of_people(2 * pair + 1) == 100
        assert len(first) == 3 * rows.number_of_people(2 * pair)


def test_outputs_are_those_of_the_halves() -> None:
    rows = rows_of(people())
    found, failed = outputs_of(rows, box(), (2,), WORLDS)
    assert failed == 0
    assert found == pytest.approx(np.array([rows.half(world).mean(axis=0) for world in range(WORLDS)]))


def test_numbers_are_put_inside_their_bounds() -> None:
    table = people(bounds={"age": (20, 30), "cost": (0, 100)})
    found = rows_of(table).rows
    assert (found.min(axis=0) >= [20, 0]).all()
    assert (found.max(axis=0) <= [30, 100]).all()


@pytest.mark.parametrize("given_as", ["pandas", "arrow"])
def test_frames_and_arrow_are_halves_too(given_as) -> None:
    rows = rows_of(people(), given_as=given_as)
    function = (lambda half: half["cost"].mean()) if given_as == "pandas" else (lambda half: half.num_rows)
    found, failed = outputs_of(rows, box(function, rows=given_as), (), WORLDS)
    assert failed == 0
    assert len(set(found[:, 0].tolist())) > 5


@pytest.mark.parametrize(
    "broken",
    [
        lambda rows: 1 / 0,
        lambda rows: [1.0, float("nan")],
        lambda rows: [1.0, float("inf")],
        lambda rows: [1.0, 2.0, 3.0],
        lambda rows: "seven",
        lambda rows: sys.exit(3),
        lambda rows: (_ for _ in ()).throw(GeneratorExit),
        lambda rows: (_ for _ in ()).throw(Stop("a row")),
    ],
)
def test_a_world_that_fails_has_the_public_output(broken) -> None:
    """One world in two fails, by a rule about its rows: the others are as they were, and nothing is raised."""
    rows = rows_of(people())

    def function(half):
        return broken(half) if len(half) % 2 else means(half)

    found, failed = outputs_of(rows, box(function), (2,), WORLDS)
    odd = [len(rows.half(world)) % 2 == 1 for world in range(WORLDS)]
    assert 0 < sum(odd) == failed < WORLDS
    assert (found[odd] == 0).all()
    assert found[~np.array(odd)] == pytest.approx(
        np.array([rows.half(world).mean(axis=0) for world in range(WORLDS) if not odd[world]])
    )
    reference = np.array([5.0, 6.0])
    instead, _ = outputs_of(rows, box(function, reference=reference), (2,), WORLDS)
    assert (instead[odd] == reference).all()


def test_worlds_of_too_few_people_have_it_too_and_that_is_no_failure() -> None:
    rows = rows_of(people(40))
    sizes = np.array([rows.number_of_people(world) for world in range(WORLDS)])
    found, failed = outputs_of(rows, box(least_people=20), (2,), WORLDS)
    assert failed == 0
    assert 0 < (sizes < 20).sum() < WORLDS
    assert ((found == 0).all(axis=1) == (sizes < 20)).all()


def test_outputs_are_brought_into_their_form() -> None:
    rows = rows_of(people())

    def shuffled(half):
        made = np.stack([half.mean(axis=0), half.mean(axis=0) + 1_000])
        return made[::-1] if len(half) % 2 else made

    found, _ = outputs_of(rows, box(shuffled, form="sorted"), (2, 2), WORLDS)
    assert (found[:, 2] > found[:, 0]).all()


def test_in_processes_the_outputs_are_the_same_and_progress_is_told(monkeypatch) -> None:
    from privet.protect.pac import _world_outputs as running

    monkeypatch.setattr(running, "_WORTH_PROCESSES", 0.0)
    rows, said = rows_of(people()), []
    there, _ = outputs_of(
        rows, box(lambda half: half.mean(axis=0)), (2,), WORLDS, processes=2, progress=said.append
    )
    here, _ = outputs_of(rows, box(), (2,), WORLDS, processes=1)
    assert there.tolist() == here.tolist()
    assert said[-1].startswith(f"world {WORLDS} of {WORLDS}, about 0 s")


@pytest.mark.parametrize("held", [threading.Lock(), (one for one in "a")])
def test_a_function_that_cannot_be_sent_runs_here(held, monkeypatch) -> None:
    """One that holds a lock or a generator works as any other; only not in parallel."""
    from privet.protect.pac import _world_outputs as running

    monkeypatch.setattr(running, "_WORTH_PROCESSES", 0.0)
    rows = rows_of(people(60))
    found, failed = outputs_of(
        rows, box(lambda half: half.mean(axis=0) * (held is not None)), (2,), WORLDS, processes=2
    )
    assert failed == 0
    assert found == pytest.approx(np.array([rows.half(world).mean(axis=0) for world in range(WORLDS)]))


ODD = {
    "beyond doubles": pa.array([2**53 + 1, *range(199)]),
    "the largest": pa.array([2**63 - 1, *range(199)]),
    "the least": pa.array([-(2**63), *range(199)]),
    "unsigned": pa.array([2**64 - 1, *range(199)], pa.uint64()),
    "not a number": pa.array([math.nan, *map(float, range(199))]),
    "infinite": pa.array([math.inf, *map(float, range(199))]),
    "infinite below": pa.array([-math.inf, *map(float, range(199))]),
    "huge": pa.array([1e308, *map(float, range(199))]),
    "next to nothing": pa.array([5e-324, *map(float, range(199))]),
    "missing": pa.array([None, *map(float, range(199))]),
    "of many digits": pa.array([Decimal(10) ** 37, *range(199)], pa.decimal128(38, 0)),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("given_as", ["numpy", "pandas", "arrow"])
def test_one_odd_value_is_put_inside_the_bounds_or_missing_and_no_world_fails(odd, given_as) -> None:
    """A cast that refused would have every world give zeros, without noise: one row would be heard by everybody."""
    table = pv.open_table(
        pa.table({"who": [f"p{at}" for at in range(200)], "y": ODD[odd]}),
        unit=pv.Person("who", max_rows=1),
        bounds={"y": (10, 150)},
    )
    rows = rows_of(table, ("y",), given_as)

    def numbers(half):
        return np.asarray(half["y"] if given_as != "numpy" else half[:, 0], np.float64)

    seen = np.concatenate([numbers(rows.half(world)) for world in (0, 1)])
    there = seen[np.isfinite(seen)]
    assert len(seen) == 200
    assert len(there) >= 199
    assert ((there >= 10) & (there <= 150)).all()
    found, failed = outputs_of(
        rows, box(lambda half: [np.nanmean(numbers(half))], rows=given_as), (1,), WORLDS
    )
    assert failed == 0
    assert ((found > 40) & (found < 120)).all()


def test_rows_that_cannot_be_handed_over_fail_where_they_are(monkeypatch) -> None:
    """Not everywhere: that would be an output without noise."""
    rows = rows_of(people())
    whole, broken = WorldRows.half, 3

    def half(self, world):
        if world == broken:
            raise OverflowError
        return whole(self, world)

    monkeypatch.setattr(WorldRows, "half", half)
    found, failed = outputs_of(rows, box(), (2,), WORLDS)
    assert failed == 1
    assert not found[broken].any()
    assert found.any(axis=1).sum() == WORLDS - 1


def by_threads(rows):
    with ThreadPoolExecutor(4) as pool:
        return np.array(list(pool.map(np.mean, rows.T)))


def by_processes(rows):
    from joblib import Parallel, delayed

    return np.array(Parallel(n_jobs=2)(delayed(np.mean)(column) for column in rows.T))


def by_a_learner_of_all_cores(rows):
    from sklearn.ensemble import ExtraTreesRegressor

    learner = ExtraTreesRegressor(4, max_depth=2, n_jobs=-1, random_state=0)
    return learner.fit(rows[:, :1], rows[:, 1]).predict([[20.0], [70.0]])


def that_dies(rows):
    if rows[:, 0].max() >= 0:
        os._exit(3)
    return rows.mean(axis=0)


@pytest.mark.parametrize("function", [by_threads, by_processes, by_a_learner_of_all_cores])
@pytest.mark.parametrize("processes", [1, 2])
def test_a_function_may_use_threads_and_processes_of_its_own(function, processes, monkeypatch) -> None:
    monkeypatch.setattr(outputs_module, "_WORTH_PROCESSES", 0.0)
    rows = rows_of(people())
    found, failed = outputs_of(rows, box(function), (2,), 8, processes=processes)
    assert failed == 0
    assert found == pytest.approx(np.array([function(rows.half(world)) for world in range(8)]))


def test_one_that_ends_its_process_is_an_answer(monkeypatch) -> None:
    """In a process beside this one: what is released then is public, and the owner is told."""
    monkeypatch.setattr(outputs_module, "_WORTH_PROCESSES", 0.0)
    monkeypatch.setattr(outputs_module, "_output", first_here(outputs_module._output))
    ledger = book()
    applied = people().apply(that_dies, ["age", "cost"], shape=(2,))
    answer = pv.release(applied, pv.PacPrivacy("1/16"), ledger=ledger, why="a trial", worlds=8, processes=2)
    assert not any(answer.numbers)
    assert [one.code for one in ledger.incidents()] == ["TerminatedWorkerError"]


def first_here(output):
    """The first world is run in this process, which is to live on."""

    def one(task, world):
        return (np.zeros(2), False) if world == 0 else output(task, world)

    return one
