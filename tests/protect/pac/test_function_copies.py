"""Copies of a function: each half is given the function as it was, whatever it keeps; what cannot be copied is itself."""

from __future__ import annotations

import functools
import threading
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor
from tests.protect.pac.people import book, people

import privet as pv
from privet.engine import world_rows
from privet.errors import BadFunction
from privet.protect.pac import WorldRows, outputs_of
from privet.protect.pac import _world_outputs as outputs_module
from privet.protect.pac._function_copies import FunctionCopies

WORLDS = 16
KEPT: dict[str, object] = {}
SEEN: list[object] = []


def in_a_module(rows):
    """The first half's means, kept in the module, for every half."""
    return KEPT.setdefault("means", rows.mean(axis=0))


def that_grows(rows):
    SEEN.append(rows)
    return np.concatenate(SEEN).mean(axis=0)


def in_a_closure():
    kept: dict[str, object] = {}
    return lambda rows: kept.setdefault("means", rows.mean(axis=0))


def in_a_default(rows, kept={}):  # noqa: B006
    return kept.setdefault("means", rows.mean(axis=0))


class Held:
    """An object that is called."""

    kept = None

    def __call__(self, rows):
        self.kept = rows.mean(axis=0) if self.kept is None else self.kept
        return self.kept

    def method(self, rows):
        return self(rows)


def in_a_part(kept, rows):
    return kept.setdefault("means", rows.mean(axis=0))


def that_goes_on():
    model = SGDRegressor(warm_start=True, random_state=0, max_iter=2, tol=None)
    return lambda rows: [*model.fit(rows[:, :1] / 100, rows[:, 1] / 5_000).coef_, model.intercept_[0]]


KEEPING = {
    "module": lambda: in_a_module,
    "list": lambda: that_grows,
    "closure": in_a_closure,
    "default": lambda: in_a_default,
    "object": Held,
    "method": lambda: Held().method,
    "partial": lambda: functools.partial(in_a_part, {}),
    "model": that_goes_on,
}


def rows_of() -> WorldRows:
    table = people()
    batches = world_rows(table.relation, ("age", "cost"), table.unit, seed="seed", worlds=WORLDS)
    return WorldRows.of(batches, ("age", "cost"), table.bounds, "numpy", WORLDS)


@pytest.mark.parametrize(
    ("keeping", "processes"), [*((keeping, 1) for keeping in KEEPING), ("closure", 2), ("model", 2)]
)
def test_the_output_of_a_half_is_its_own_whatever_the_function_keeps(keeping, processes, monkeypatch) -> None:
    if processes > 1:
        monkeypatch.setattr(outputs_module, "_WORTH_PROCESSES", 0.0)
    rows, make = rows_of(), KEEPING[keeping]
    found, failed = outputs_of(rows, pv.BlackBox(make(), "f"), (2,), WORLDS, processes=processes)
    assert failed == 0
    assert not KEPT
    assert not SEEN
    alone = [FunctionCopies.of(make()).fresh()(rows.half(world)) for world in range(WORLDS)]
    assert found == pytest.approx(np.array(alone))
    assert len({tuple(one) for one in found.tolist()}) == WORLDS  # else it would be released bare


def test_what_was_kept_of_one_half_is_not_released_without_noise() -> None:
    """Before a shape is tried on made-up rows or without: an output that is one on all halves has no noise."""
    for more in ({}, {"shape": (2,)}):
        numbers = set()
        for _ in range(3):
            asked = people().apply(in_a_closure(), ["age", "cost"], **more)
            answer = pv.release(asked, pv.PacPrivacy("1/16"), ledger=book(), why="a trial", worlds=WORLDS)
            numbers.add(answer.numbers)
        assert len(numbers) == 3


def test_what_cannot_be_copied_is_itself_and_is_refused_where_it_keeps_something() -> None:
    lock, count = threading.Lock(), [0]

    def locked(rows):
        with lock:
            count[0] += 1
        return count[0]

    copies = FunctionCopies.of(locked)
    assert not copies.can_be_sent
    assert copies.fresh() is locked
    with pytest.raises(BadFunction, match="two outputs for the same rows"):
        pv.explain(people().apply(locked, ["age"]), pv.PacPrivacy("1/16"))


def test_a_copy_is_another_object_and_gives_the_same() -> None:
    held = Held()
    copies = FunctionCopies.of(held)
    assert copies.can_be_sent
    first = copies.fresh()
    assert first is not held
    assert first(np.ones((2, 2))).tolist() == [1, 1]
    assert copies.fresh()(np.zeros((2, 2))).tolist() == [0, 0]
    assert held.kept is None


def test_a_library_is_taken_as_it_is() -> None:
    assert FunctionCopies.of(np.mean).fresh() is np.mean
    assert isinstance(FunctionCopies.of(types.SimpleNamespace).fresh(), type)


def test_threads_copy_functions_of_one_module_at_once() -> None:
    """Each copy has what the module keeps of its own, whoever else is writing."""
    with ThreadPoolExecutor(8) as pool:
        copies = list(pool.map(lambda _: FunctionCopies.of(in_a_module), range(64)))
    for one in copies:
        one.fresh()(np.ones((2, 2)))
    assert not KEPT
