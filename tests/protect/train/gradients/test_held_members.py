"""Members are read, compared by identity and then by value, and put back, whatever holds them."""

import types
from collections import deque
from contextvars import ContextVar
from functools import partial

import numpy as np
import pytest
import torch

from privet.protect.train.gradients import _held_members as members
from privet.protect.train.gradients._held_members import MISSING, Place


class Slotted:
    __slots__ = ("__hidden", "shown")


class Shared:
    kept = 1


def cell():
    held = 5

    def inner():
        return held

    return inner.__closure__[0]


@pytest.mark.parametrize(
    ("made", "change"),
    [
        (lambda: [1, 2], lambda held: held.append(3)),
        (lambda: deque([1, 2]), lambda held: held.popleft()),
        (lambda: {1, 2}, lambda held: held.add(3)),
        (lambda: {"a": 1}, lambda held: held.update(a=2, b=3)),
    ],
    ids=["list", "deque", "set", "dict"],
)
def test_containers_are_filled_as_they_were(made, change):
    held = made()

    def now():
        return [*held, *held.values()] if isinstance(held, dict) else list(held)

    place = Place("x", now, partial(members.refill, held))
    assert place.is_same()
    change(held)
    assert not place.is_same()
    place.put_back(place.members)
    assert held == made()
    assert place.is_same()


def test_variables_of_closures_and_contexts():
    held, context = cell(), ContextVar("c")
    assert members.in_cell(held) == [5]
    assert members.in_cell(types.CellType()) == []
    held.cell_contents = 6
    members.to_cell(held, [5])
    members.to_cell(held, [])
    assert held.cell_contents == 5
    assert members.in_context(context) == []
    members.to_context(context, [])
    assert members.in_context(context) == []
    members.to_context(context, [3])
    assert members.in_context(context) == [3]


def test_a_generator_shows_its_variables_until_it_ends():
    made = (number for number in [7])
    next(made)
    assert 7 in members.in_frame(made)
    list(made)
    assert members.in_frame(made) == []


def test_slots_arrays_tensors_and_classes():
    slotted = Slotted()
    assert members.slots(Slotted) == ["_Slotted__hidden", "shown"]
    slotted.shown = 1
    members.to_slots(slotted, members.slots(Slotted), [MISSING, 2])
    assert slotted.shown == 2
    assert not hasattr(slotted, "_Slotted__hidden")
    array = np.array([None, "a"], dtype=object)
    members.to_array(array, [1, 2])
    assert array.tolist() == [1, 2]
    tensor = torch.zeros(2, requires_grad=True)
    was = members.in_tensor(tensor)
    tensor.sum().backward()
    members.to_tensor(tensor, was)
    assert tensor.grad is None
    was = [*vars(Shared), *vars(Shared).values()]
    Shared.kept, Shared.new = 2, 3
    members.to_class(Shared, was)
    assert (Shared.kept, hasattr(Shared, "new")) == (1, False)


def test_names_of_a_module_that_were_not_there_are_gone_again():
    space = {"old": 1}
    was = members.in_space(space, ["new", "old"])
    assert was == ["new", "old", MISSING, 1]
    space.update(old=2, new=3)
    members.to_space(space, was)
    assert space == {"old": 1}
    space["new"] = types  # an import on first use is no change
    assert members.in_space(space, ["new", "old"]) == was
    members.to_space(space, was)
    assert space == {"old": 1, "new": types}


def test_a_difference_is_named_and_new_names_are_not_told():
    held = {"a": 1, "b c": 2}
    place = Place("model", lambda: [*held, *held.values()], print, by_name=True)
    held.update({"a": 3, "secret": 4})
    assert place.differing() == ["model.a", "model (something new)"]
    del held["secret"]
    held.pop("b c")
    assert place.differing() == ["model.a", "model[…]"]
    assert members.named("the global", "X") == "the global 'X'"


def test_large_containers_are_compared_by_length_in_a_hurry():
    held = list(range(513))
    place = Place("x", lambda: list(held), print)
    held[0] = 1000
    assert place.is_same(quick=True)
    assert not place.is_same()
    small = Place("x", lambda: list(held[:512]), print)
    held[0] = 2000
    assert not small.is_same(quick=True)
    held.append(1)
    assert not place.is_same(quick=True)
