"""What holds members and may come to hold others: how to read them now, and how to put the old ones back."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from privet.protect.train.gradients._value_fingerprints import same

# Containers with more members are compared by their length in every step, and whole now and then.
_LARGE = 512
MISSING = object()


@dataclass(slots=True)
class Place:
    """Something that holds members and may come to hold others."""

    where: str
    now: Callable[[], list[Any]]
    put_back: Callable[[list[Any]], None]
    by_name: bool = False  # names first, then as many values
    holder: Any = None  # the container itself, where it is true when it holds something
    is_space: bool = False  # a part of a module, chosen by names: how many there are says nothing
    members: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        self.members = self.now()

    def is_same(self, *, quick: bool = False) -> bool:
        """Whether the members are those of the beginning, or equal to them."""
        now = self.now()
        if len(now) != len(self.members):
            return False
        if all(map(operator.is_, now, self.members)):
            return True
        return (quick and len(now) > _LARGE) or all(map(same, now, self.members))

    def differing(self) -> list[str]:
        """Where exactly: the names that were there before; of new ones only that there are some."""
        if not self.by_name:
            return [self.where]
        now, half, was = self.now(), len(self.members) // 2, self.members
        values = dict(zip(now[: len(now) // 2], now[len(now) // 2 :], strict=True))
        found = [
            named(self.where, name)
            for name, value in zip(was[:half], was[half:], strict=True)
            if name not in values or not same(values[name], value)
        ]
        return found if set(values) <= set(was[:half]) else [*found, f"{self.where} (something new)"]


@dataclass(slots=True)
class Numbers:
    """A tensor or an array: counted writes in every step, its contents now and then."""

    where: str
    held: Any
    print: bytes
    copy: Any


def named(where: str, key: object) -> str:
    """How a member is called in a report: by its name, or not at all where that may be a value."""
    if where == "the global":
        return f"{where} {key!r}"
    told = isinstance(key, str) and (key.isidentifier() or key.isdigit())
    return f"{where}.{key}" if told else f"{where}[…]"


def slots(kind: type) -> list[str]:
    """The names of slots, private ones as Python spells them for others."""
    found = vars(kind).get("__slots__", ())
    names = [found] if isinstance(found, str) else list(found)
    owner = kind.__name__.lstrip("_")
    return [f"_{owner}{name}" if name.startswith("__") else name for name in names if not name.endswith("__")]


def in_cell(cell: types.CellType) -> list[Any]:
    """What a closure's variable holds, if it is set."""
    try:
        return [cell.cell_contents]
    except ValueError:  # empty
        return []


def to_cell(cell: types.CellType, was: list[Any]) -> None:
    """The same, put back."""
    if was:
        cell.cell_contents = was[0]


def refill(held: Any, was: list[Any]) -> None:
    """A container holds these members again; a dictionary's keys come first."""
    held.clear()
    if isinstance(held, dict):
        held.update(zip(was[: len(was) // 2], was[len(was) // 2 :], strict=True))
    elif isinstance(held, set):
        held.update(was)
    else:
        held.extend(was)


def to_array(held: Any, was: list[Any]) -> None:
    """An array of objects holds these again."""
    for place, value in enumerate(was):
        held.flat[place] = value


def in_context(held: ContextVar[Any]) -> list[Any]:
    """What a context variable holds, if it is set."""
    try:
        return [held.get()]
    except LookupError:  # not set
        return []


def to_context(held: ContextVar[Any], was: list[Any]) -> None:
    """The same, put back."""
    if was:
        held.set(was[0])


def in_frame(held: types.GeneratorType[Any, Any, Any]) -> list[Any]:
    """The variables of a generator that has not ended."""
    return [] if held.gi_frame is None else [*held.gi_frame.f_locals.values()]


def nothing(was: list[Any]) -> None:
    """For what cannot be put back."""
    del was


def to_slots(held: Any, names: list[str], was: list[Any]) -> None:
    """An object's slots hold these again."""
    for name, value in zip(names, was, strict=True):
        if value is not MISSING:
            object.__setattr__(held, name, value)


def in_tensor(held: Tensor) -> list[Any]:
    """A tensor's gradient and its hooks."""
    return [held.grad, held._backward_hooks]  # noqa: SLF001


def to_tensor(held: Tensor, was: list[Any]) -> None:
    """A tensor has its gradient and its hooks again."""
    held.grad, held._backward_hooks = was  # noqa: SLF001


def to_class(held: type, was: list[Any]) -> None:
    """A class has these attributes again, and no others."""
    names, values = was[: len(was) // 2], was[len(was) // 2 :]
    for name in [name for name in vars(held) if name not in names]:
        delattr(held, name)
    for name, value in zip(names, values, strict=True):
        if vars(held).get(name) is not value:
            setattr(held, name, value)


def in_space(space: dict[str, Any], names: list[str]) -> list[Any]:
    """The names and what they are now; modules do not count, which come in when they are first asked for."""
    found = (space.get(name, MISSING) for name in names)
    return [*names, *(MISSING if isinstance(value, types.ModuleType) else value for value in found)]


def to_space(space: dict[str, Any], was: list[Any]) -> None:
    """A module's names hold these again; those that it did not have are gone."""
    half = len(was) // 2
    for name, value in zip(was[:half], was[half:], strict=True):
        if value is not MISSING:
            space[name] = value
        elif not isinstance(space.get(name), types.ModuleType):
            space.pop(name, None)
