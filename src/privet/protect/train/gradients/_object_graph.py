"""The walk through everything that a model and the functions around it can reach.

Objects are entered by their attributes, slots, members, closures, defaults and classes; functions also by the globals that
their code names. Code of libraries is not looked into, objects of their classes are.
"""

from __future__ import annotations

import sys
import types
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from privet.protect.train.gradients import _held_members as members
from privet.protect.train.gradients._held_members import Numbers, Place
from privet.protect.train.gradients._object_identity import Identities
from privet.protect.train.gradients._value_fingerprints import (
    LEAVES,
    fingerprint,
    has_hidden_state,
    is_opaque,
    iterated,
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
_PLAIN = (dict, OrderedDict, list, deque, set)
_BEFORE = ("__init__", "__new__")  # ran before; the globals they name are no part of what runs now
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


class ObjectGraph:
    """What is reachable from `roots`, in the order in which it was found; `weights` are trained, so they may move."""

    def __init__(self, roots: Mapping[str, object], weights: Mapping[str, Tensor]) -> None:
        self.weights = {id(weight) for weight in weights.values()}
        self.seen: dict[int, object] = {}
        self.places: list[Place] = []
        self.tensors: list[tuple[str, Tensor]] = []
        self.numbers: list[Numbers] = []
        self.hidden: list[tuple[str, object, bytes]] = []
        self.tuples: list[tuple[str, list[Any]]] = []
        self.identities = Identities()
        self.opaque: list[str] = []  # where something is that nobody can look into
        self._globals: dict[int, tuple[dict[str, Any], set[str]]] = {}
        waiting: list[tuple[str, object]] = [(name, root) for name, root in roots.items() if root is not None]
        waiting.append(("torch.nn.modules.module", _global_hooks()))
        while waiting:
            where, held = waiting.pop()
            if id(held) not in self.seen and not isinstance(held, LEAVES):
                self.seen[id(held)] = held
                waiting.extend(self._looked_into(where, held))
            while not waiting and self._globals:
                waiting.extend(self._global_names())

    def _place(
        self, where: str, now: Any, put_back: Any, *, by_name: bool = False, holder: Any = None
    ) -> None:
        self.places.append(Place(where, now, put_back, by_name, holder))

    def _looked_into(self, where: str, held: Any) -> Iterator[tuple[str, object]]:
        """What can be reached from one object in one move; notes what of it can change."""
        self._note_hidden(where, held)
        if not (isinstance(held, type) and _is_library(held.__module__)):
            self.identities.note(where, held)
        if isinstance(held, Tensor):
            yield from self._tensor(where, held)
        elif isinstance(held, np.ndarray):
            self._number(where, held)
            if held.dtype.hasobject:
                self._place(where, lambda: list(held.flat), partial(members.to_array, held))
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
            self.tuples.append((where, list(held)))
            yield from ((f"{where}[…]", value) for value in held)
        else:
            yield from self._holder(where, held)

    def _note_hidden(self, where: str, held: Any) -> None:
        if has_hidden_state(held):
            self.hidden.append((where, held, fingerprint(held)))
            if is_opaque(held):
                self.opaque.append(where)

    def _holder(self, where: str, held: Any) -> Iterator[tuple[str, object]]:
        """A container, or an object with attributes; some are both."""
        if isinstance(held, dict):
            yield from self._dict(where, held, attributes=False)
        elif isinstance(held, list | deque | set):
            plain = held if type(held) in _PLAIN else None
            self._place(where, lambda: list(held), lambda was: members.refill(held, was), holder=plain)
            yield from ((f"{where}[…]", value) for value in held)
        elif isinstance(held, Iterator) and not hasattr(held, "__dict__"):
            with suppress(Exception):  # one that does not show what it is made of is opaque
                yield from ((where, part) for part in (*iterated(held), *iterated(held)[1]))
        own = getattr(held, "__dict__", None)
        if isinstance(own, dict):
            yield from self._dict(where, own, attributes=True)
        names = [name for kind in type(held).__mro__ for name in members.slots(kind)]
        if names:
            self._place(
                where,
                lambda: [getattr(held, name, members.MISSING) for name in names],
                lambda was: members.to_slots(held, names, was),
            )
            yield from ((f"{where}.{name}", getattr(held, name, None)) for name in names)
        yield where, type(held)

    def _dict(self, where: str, held: dict[Any, Any], *, attributes: bool) -> Iterator[tuple[str, object]]:
        self._place(
            where,
            lambda: [*held, *held.values()],
            lambda was: members.refill(held, was),
            by_name=attributes,
            holder=held if type(held) in _PLAIN else None,
        )
        for key, value in held.items():
            if attributes and key in _OWN and isinstance(value, dict):
                self.seen[id(value)] = value
                yield from self._dict(where, value, attributes=True)
            else:
                yield members.named(where, key), value
                yield where, key

    def _tensor(self, where: str, held: Tensor) -> Iterator[tuple[str, object]]:
        self.tensors.append((where, held))
        if id(held) not in self.weights:
            self._number(where, held)
        if held.is_leaf:
            self._place(where, partial(members.in_tensor, held), partial(members.to_tensor, held))
            yield f"{where}.grad", held.grad
        yield f"{where}'s hooks", held._backward_hooks  # noqa: SLF001
        yield from self._dict(where, vars(held), attributes=True)

    def _number(self, where: str, held: Any) -> None:
        size = held.numel() if isinstance(held, Tensor) else held.size
        copied = held.detach().clone() if isinstance(held, Tensor) else held.copy()
        self.numbers.append(Numbers(where, held, fingerprint(held), copied if size <= 2**20 else None))

    def _variables(self, where: str, held: Any) -> Iterator[tuple[str, object]]:
        """Of a closure, of a context, or of a generator between two of its results; these nothing can put back."""
        now: Callable[[], list[Any]]
        put_back: Callable[[list[Any]], None]
        if isinstance(held, types.CellType):
            now, put_back = partial(members.in_cell, held), partial(members.to_cell, held)
        elif isinstance(held, ContextVar):
            now, put_back = partial(members.in_context, held), partial(members.to_context, held)
        else:
            now, put_back = partial(members.in_frame, held), members.nothing
            yield where, held.gi_yieldfrom
        self._place(where, now, put_back)
        yield from ((where, value) for value in now())

    def _class(self, where: str, held: type) -> Iterator[tuple[str, object]]:
        if _is_library(held.__module__):
            return
        where = f"the class {held.__qualname__}"
        self._place(
            where,
            lambda: [*vars(held), *vars(held).values()],
            lambda was: members.to_class(held, was),
            by_name=True,
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
            new = sorted(name for name in names if (id(space), name) not in self.seen)  # type: ignore[comparison-overlap]
            if new:
                # Also those that are not there yet: a function may make them.
                self._space("the global", space, new)
            for name in new:
                self.seen[(id(space), name)] = None  # type: ignore[index]
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
            new = sorted(name for name in names if (id(held), name) not in self.seen)  # type: ignore[comparison-overlap]
            if _is_library(module.__name__):
                # Its own code is not looked into; what others put there under names of theirs is.
                self.seen.update({(id(held), name): None for name in new})
                self._space(f"the module {module.__name__}", held, new)
            elif held is not space and new:
                self._globals.setdefault(id(held), (held, set()))[1].update(new)

    def _space(self, where: str, space: dict[str, Any], names: list[str]) -> None:
        """Some names of a module, those that it does not have among them."""
        self._place(
            where, partial(members.in_space, space, names), partial(members.to_space, space), by_name=True
        )
        self.places[-1].is_space = True


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
