"""Everything a model and the functions around it can reach and could write to, walked once and looked at again later.

Clipping and noise cover the sum of gradients of one step. What a model writes down besides (a buffer, an attribute, a
list in a closure, a global, a class) is covered by nothing: it leaves with the model, and it lets a record of one step
into the gradients of another. So whatever is reachable must be after a step what it was before, the trained weights apart.
"""

from __future__ import annotations

import operator
import sys
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from privet.protect.train.gradients._object_identity import Identities
from privet.protect.train.gradients._value_fingerprints import (
    CACHE,
    LEAVES,
    fingerprint,
    has_hidden_state,
    is_opaque,
    iterated,
    same,
)

# Code of these is not looked into: what it holds globally is not the user's. Their objects are.
_LIBRARIES = sys.stdlib_module_names | {
    *(
        "torch",
        "torchvision",
        "torchaudio",
        "numpy",
        "scipy",
        "sklearn",
        "pandas",
        "pyarrow",
        "PIL",
        "opacus",
    ),
    *(
        "transformers",
        "peft",
        "tokenizers",
        "datasets",
        "safetensors",
        "accelerate",
        "huggingface_hub",
        "privet",
    ),
}
_OWN = ("_parameters", "_buffers", "_modules")  # of a torch module: their members are its attributes
_LARGE = (
    512  # containers with more members are compared by their length in every step, and whole now and then
)
_PLAIN = (dict, OrderedDict, list, deque, set)
_BEFORE = ("__init__", "__new__")  # ran before; the globals they name are no part of what runs now
_CONSTANTS = 2**16  # larger tensors are weights
_MISSING = object()


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
            _named(self.where, name)
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


class ReachableState:
    """What is reachable from `roots`, as it was when this was made; `weights` may move."""

    def __init__(self, roots: Mapping[str, object], weights: Mapping[str, Tensor]) -> None:
        self._weights = {id(weight) for weight in weights.values()}
        self._seen: dict[int, object] = {}
        self._places: list[Place] = []
        self._tensors: list[tuple[str, Tensor]] = []
        self._numbers: list[Numbers] = []
        self._hidden: list[tuple[str, object, bytes]] = []
        self._tuples: list[tuple[str, list[Any]]] = []
        self._identities = Identities()
        self._globals: dict[int, tuple[dict[str, Any], set[str]]] = {}
        self.opaque: list[str] = []  # where something is that nobody can look into
        waiting: list[tuple[str, object]] = [(name, root) for name, root in roots.items() if root is not None]
        waiting.append(("torch.nn.modules.module", _global_hooks()))
        while waiting:
            where, held = waiting.pop()
            if id(held) not in self._seen and not isinstance(held, LEAVES):
                self._seen[id(held)] = held
                waiting.extend(self._looked_into(where, held))
            while not waiting and self._globals:
                waiting.extend(self._global_names())
        self._quick = [place for place in self._places if place.members]
        self._empty = [place for place in self._places if not place.members]
        # Most of a module's dictionaries are empty: asking all of them for their truth is one call.
        self._holders = [place.holder for place in self._empty if place.holder is not None]
        self._other = [place for place in self._empty if place.holder is None]
        self._counts = self._counted()

    # --- what is there --------------------------------------------------------------------------

    def objects(self) -> Iterator[object]:
        """Everything that was reached."""
        return iter(self._seen.values())

    def numbers(self) -> list[tuple[str, Any]]:
        """Tensors and arrays, trained weights among them."""
        return [*self._tensors, *((each.where, each.held) for each in self._numbers)]

    def containers(self) -> list[tuple[str, list[Any]]]:
        """Lists, dictionaries and the like with their members; of what has names, the values."""
        found = []
        for place in self._places:
            members = place.members[len(place.members) // 2 :] if place.by_name else place.members
            found += (
                [(place.where, [value]) for value in members] if place.is_space else [(place.where, members)]
            )
        return found

    def constants(self) -> Iterator[tuple[str, Any]]:
        """Numbers that are held anywhere, as vectors of 64 bits: tensors, arrays, lists and single ones."""
        for where, held in self.numbers():
            plain = held.detach().cpu() if isinstance(held, Tensor) else held
            size = plain.numel() if isinstance(plain, Tensor) else plain.size
            if 0 < size <= _CONSTANTS and not np.iscomplexobj(plain):
                yield where, _as_vector(plain)
        lists = [*self.containers(), *self._tuples]
        for where, members in lists:
            floats = [value for value in members if isinstance(value, float)]
            yield from ((where, np.array([value])) for value in floats)
            if len(floats) > 1 and len(floats) == len(members):
                yield where, np.array(floats)

    # --- what became of it ----------------------------------------------------------------------

    def changed(self, *, thorough: bool = False) -> list[str]:
        """Where something is not what it was; `thorough` also reads contents that are written past torch's count."""
        places = [place for place in self._quick if not place.is_same(quick=not thorough)]
        if any(self._holders) or any(place.now() for place in self._other):
            places += [place for place in self._empty if place.now()]
        found = [where for place in places for where in place.differing()]
        found += self._identities.exchanged()
        counted = self._counted() != self._counts
        if thorough or counted:
            found += [each.where for each in self._numbers if fingerprint(each.held) != each.print]
            found += [where for where, held, was in self._hidden if fingerprint(held) != was]
        if counted and not found:
            self._counts = self._counted()
        return list(dict.fromkeys(found))

    def shown(self) -> list[Any]:
        """What is there now instead of what was, for comparison with another time: members, and digests of numbers."""
        moved = [place.now() for place in self._places if not place.is_same()]
        return [
            [[fingerprint(member) if isinstance(member, Tensor | np.ndarray) else member for member in members]
             for members in moved],
            [fingerprint(held) for _, held in self.numbers()],
            self._identities.shown(),
        ]  # fmt: skip

    def put_back(self) -> None:
        """Back to what it was, as far as copies were kept: large frozen weights are not."""
        self._identities.put_back()
        for place in self._places:
            if not place.is_same():
                place.put_back(place.members)
        for each in self._numbers:
            if each.copy is not None and fingerprint(each.held) != each.print:
                with torch.no_grad():
                    each.held[...] = each.copy
        for _, held, was in self._hidden:
            if isinstance(held, CACHE) and fingerprint(held) != was:
                held.cache_clear()

    def _counted(self) -> list[tuple[int, int]]:
        """How often each tensor was written to, and where it lies."""
        return [
            (_version(held), held.data_ptr()) for _, held in self._tensors if id(held) not in self._weights
        ]

    # --- walking --------------------------------------------------------------------------------

    def _place(
        self, where: str, now: Any, put_back: Any, *, by_name: bool = False, holder: Any = None
    ) -> None:
        self._places.append(Place(where, now, put_back, by_name, holder))

    def _looked_into(self, where: str, held: Any) -> Iterator[tuple[str, object]]:
        """What can be reached from one object in one move; notes what of it can change."""
        self._note_hidden(where, held)
        if not (isinstance(held, type) and _is_library(held.__module__)):
            self._identities.note(where, held)
        if isinstance(held, Tensor):
            yield from self._tensor(where, held)
        elif isinstance(held, np.ndarray):
            self._number(where, held)
            if held.dtype.hasobject:
                self._place(where, lambda: list(held.flat), partial(_to_array, held))
                yield from ((f"{where}[…]", value) for value in held.flat)
        elif isinstance(held, types.CellType | ContextVar | types.GeneratorType):
            yield from self._variables(where, held)
        elif isinstance(held, type):
            yield from self._class(where, held)
        elif isinstance(held, types.FunctionType):
            yield from self._function(where, held)
        elif isinstance(held, _WRAPPERS):
            yield from ((where, getattr(held, name, None)) for name in _WRAPPED)
        elif isinstance(held, tuple | frozenset):
            self._tuples.append((where, list(held)))
            yield from ((f"{where}[…]", value) for value in held)
        else:
            yield from self._holder(where, held)

    def _note_hidden(self, where: str, held: Any) -> None:
        if has_hidden_state(held):
            self._hidden.append((where, held, fingerprint(held)))
            if is_opaque(held):
                self.opaque.append(where)

    def _holder(self, where: str, held: Any) -> Iterator[tuple[str, object]]:
        """A container, or an object with attributes; some are both."""
        if isinstance(held, dict):
            yield from self._dict(where, held, attributes=False)
        elif isinstance(held, list | deque | set):
            plain = held if type(held) in _PLAIN else None
            self._place(where, lambda: list(held), lambda was: _refill(held, was), holder=plain)
            yield from ((f"{where}[…]", value) for value in held)
        elif isinstance(held, Iterator) and not hasattr(held, "__dict__"):
            with suppress(Exception):  # one that does not show what it is made of is opaque
                yield from ((where, part) for part in (*iterated(held), *iterated(held)[1]))
        own = getattr(held, "__dict__", None)
        if isinstance(own, dict):
            yield from self._dict(where, own, attributes=True)
        names = [name for kind in type(held).__mro__ for name in _slots(kind)]
        if names:
            self._place(
                where,
                lambda: [getattr(held, name, _MISSING) for name in names],
                lambda was: _to_slots(held, names, was),
            )
            yield from ((f"{where}.{name}", getattr(held, name, None)) for name in names)
        yield where, type(held)

    def _dict(self, where: str, held: dict[Any, Any], *, attributes: bool) -> Iterator[tuple[str, object]]:
        self._place(
            where,
            lambda: [*held, *held.values()],
            lambda was: _refill(held, was),
            by_name=attributes,
            holder=held if type(held) in _PLAIN else None,
        )
        for key, value in held.items():
            if attributes and key in _OWN and isinstance(value, dict):
                self._seen[id(value)] = value
                yield from self._dict(where, value, attributes=True)
            else:
                yield _named(where, key), value
                yield where, key

    def _tensor(self, where: str, held: Tensor) -> Iterator[tuple[str, object]]:
        self._tensors.append((where, held))
        if id(held) not in self._weights:
            self._number(where, held)
        if held.is_leaf:
            self._place(where, lambda: [held.grad, held._backward_hooks], lambda was: _to_tensor(held, was))  # noqa: SLF001
            yield f"{where}.grad", held.grad
        yield f"{where}'s hooks", held._backward_hooks  # noqa: SLF001
        yield from self._dict(where, vars(held), attributes=True)

    def _number(self, where: str, held: Any) -> None:
        size = held.numel() if isinstance(held, Tensor) else held.size
        copied = held.detach().clone() if isinstance(held, Tensor) else held.copy()
        self._numbers.append(Numbers(where, held, fingerprint(held), copied if size <= 2**20 else None))

    def _variables(self, where: str, held: Any) -> Iterator[tuple[str, object]]:
        """Of a closure, of a context, or of a generator between two of its results; these nothing can put back."""
        now: Callable[[], list[Any]]
        put_back: Callable[[list[Any]], None]
        if isinstance(held, types.CellType):
            now, put_back = partial(_in_cell, held), partial(_to_cell, held)
        elif isinstance(held, ContextVar):
            now, put_back = partial(_in_context, held), partial(_to_context, held)
        else:
            now, put_back = partial(_in_frame, held), _nothing
            yield where, held.gi_yieldfrom
        self._place(where, now, put_back)
        yield from ((where, value) for value in now())

    def _class(self, where: str, held: type) -> Iterator[tuple[str, object]]:
        if _is_library(held.__module__):
            return
        where = f"the class {held.__qualname__}"
        self._place(
            where, lambda: [*vars(held), *vars(held).values()], lambda was: _to_class(held, was), by_name=True
        )
        yield from ((f"{where}.{name}", value) for name, value in vars(held).items())
        yield from ((where, kind) for kind in held.__mro__[1:])

    def _function(self, where: str, held: types.FunctionType) -> Iterator[tuple[str, object]]:
        for name, cell in zip(held.__code__.co_freevars, held.__closure__ or (), strict=True):
            yield f"{where} (its variable {name!r})", cell
        yield from ((f"{where}'s default", value) for value in held.__defaults__ or ())
        yield f"{where}'s defaults", held.__kwdefaults__
        yield from self._dict(where, vars(held), attributes=True)
        if not _is_library(held.__module__) and held.__name__ not in _BEFORE:
            names = set(_names(held.__code__))
            self._globals.setdefault(id(held.__globals__), (held.__globals__, set()))[1].update(names)

    def _global_names(self) -> Iterator[tuple[str, object]]:
        """The globals that functions name, and what they name of modules that are the user's."""
        named, self._globals = list(self._globals.values()), {}
        for space, names in named:
            self._modules(space, names)
            new = sorted(name for name in names if (id(space), name) not in self._seen)  # type: ignore[comparison-overlap]
            if new:
                # Also those that are not there yet: a function may make them.
                self._space("the global", space, new)
            for name in new:
                self._seen[(id(space), name)] = None  # type: ignore[index]
                value = space.get(name)
                if not isinstance(value, types.ModuleType):
                    yield f"the global {name!r}", value

    def _modules(self, space: dict[str, Any], names: set[str]) -> None:
        """What functions name of modules: those that are globals, and those that they may import while they run."""
        found = [space.get(name, sys.modules.get(name)) for name in sorted(names)]
        for module in found:
            if not isinstance(module, types.ModuleType):
                continue
            held = vars(module)
            new = sorted(name for name in names if (id(held), name) not in self._seen)  # type: ignore[comparison-overlap]
            if _is_library(module.__name__):
                # Its own code is not looked into; what others put there under names of theirs is.
                self._seen.update({(id(held), name): None for name in new})
                self._space(f"the module {module.__name__}", held, new)
            elif held is not space and new:
                self._globals.setdefault(id(held), (held, set()))[1].update(new)

    def _space(self, where: str, space: dict[str, Any], names: list[str]) -> None:
        """Some names of a module, those that it does not have among them."""
        self._place(where, partial(_in_space, space, names), partial(_to_space, space), by_name=True)
        self._places[-1].is_space = True


# --- small parts -------------------------------------------------------------------------------

_WRAPPERS = (
    types.MethodType,
    types.BuiltinMethodType,
    types.MethodWrapperType,
    partial,
    property,
    staticmethod,
    classmethod,
)
_WRAPPED = ("__self__", "__func__", "func", "args", "keywords", "fget", "fset", "fdel")


def _named(where: str, key: object) -> str:
    if where == "the global":
        return f"{where} {key!r}"
    told = isinstance(key, str) and (key.isidentifier() or key.isdigit())
    return f"{where}.{key}" if told else f"{where}[…]"


def _is_library(module: str | None) -> bool:
    return (module or "").partition(".")[0] in _LIBRARIES


def _names(code: types.CodeType) -> Iterator[str]:
    """The names that code and what is defined inside it look up globally, or as attributes."""
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names(part)


def _global_hooks() -> list[object]:
    space = vars(torch.nn.modules.module)
    return [value for name, value in space.items() if name.startswith("_global_") and isinstance(value, dict)]


def _slots(kind: type) -> list[str]:
    """The names of slots, private ones as Python spells them for others."""
    found = vars(kind).get("__slots__", ())
    names = [found] if isinstance(found, str) else list(found)
    owner = kind.__name__.lstrip("_")
    return [f"_{owner}{name}" if name.startswith("__") else name for name in names if not name.endswith("__")]


def _as_vector(held: Any) -> Any:
    plain = held.double().numpy() if isinstance(held, Tensor) else held
    try:
        return np.asarray(plain, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):  # texts, objects
        return np.zeros(0)


def _version(held: Tensor) -> int:
    return 0 if held.is_inference() else held._version  # noqa: SLF001


def _in_cell(cell: types.CellType) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # empty
        return []


def _to_cell(cell: types.CellType, was: list[Any]) -> None:
    if was:
        cell.cell_contents = was[0]


def _refill(held: Any, was: list[Any]) -> None:
    held.clear()
    if isinstance(held, dict):
        held.update(zip(was[: len(was) // 2], was[len(was) // 2 :], strict=True))
    elif isinstance(held, set):
        held.update(was)
    else:
        held.extend(was)


def _to_array(held: Any, was: list[Any]) -> None:
    for place, value in enumerate(was):
        held.flat[place] = value


def _in_context(held: ContextVar[Any]) -> list[Any]:
    try:
        return [held.get()]
    except LookupError:  # not set
        return []


def _to_context(held: ContextVar[Any], was: list[Any]) -> None:
    if was:
        held.set(was[0])


def _in_frame(held: types.GeneratorType[Any, Any, Any]) -> list[Any]:
    return [] if held.gi_frame is None else [*held.gi_frame.f_locals.values()]


def _nothing(was: list[Any]) -> None:
    del was


def _to_slots(held: Any, names: list[str], was: list[Any]) -> None:
    for name, value in zip(names, was, strict=True):
        if value is not _MISSING:
            object.__setattr__(held, name, value)


def _to_tensor(held: Tensor, was: list[Any]) -> None:
    held.grad, held._backward_hooks = was  # noqa: SLF001


def _to_class(held: type, was: list[Any]) -> None:
    names, values = was[: len(was) // 2], was[len(was) // 2 :]
    for name in [name for name in vars(held) if name not in names]:
        delattr(held, name)
    for name, value in zip(names, values, strict=True):
        if vars(held).get(name) is not value:
            setattr(held, name, value)


def _in_space(space: dict[str, Any], names: list[str]) -> list[Any]:
    """The names and what they are now; modules do not count, which come in when they are first asked for."""
    found = (space.get(name, _MISSING) for name in names)
    return [*names, *(_MISSING if isinstance(value, types.ModuleType) else value for value in found)]


def _to_space(space: dict[str, Any], was: list[Any]) -> None:
    half = len(was) // 2
    for name, value in zip(was[:half], was[half:], strict=True):
        if value is not _MISSING:
            space[name] = value
        elif not isinstance(space.get(name), types.ModuleType):
            space.pop(name, None)
