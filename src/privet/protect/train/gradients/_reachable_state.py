"""Everything a model and the functions around it can reach and could write to, walked once and looked at again later.

Clipping and noise cover the sum of gradients of one step. What a model writes down besides (a buffer, an attribute, a
list in a closure, a global, a class) is covered by nothing: it leaves with the model, and it lets a record of one step
into the gradients of another. So whatever is reachable must be after a step what it was before, the trained weights apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from privet.protect.train.gradients._object_graph import ObjectGraph
from privet.protect.train.gradients._value_fingerprints import CACHE, fingerprint

_CONSTANTS = 2**16  # larger tensors are weights


class ReachableState:
    """What is reachable from `roots`, as it was when this was made; `weights` may move."""

    def __init__(self, roots: Mapping[str, object], weights: Mapping[str, Tensor]) -> None:
        self._graph = ObjectGraph(roots, weights)
        self._quick = [place for place in self._graph.places if place.members]
        self._empty = [place for place in self._graph.places if not place.members]
        # Most of a module's dictionaries are empty: asking all of them for their truth is one call.
        self._holders = [place.holder for place in self._empty if place.holder is not None]
        self._other = [place for place in self._empty if place.holder is None]
        self._counts = self._counted()

    # --- what is there --------------------------------------------------------------------------

    @property
    def opaque(self) -> list[str]:
        """Where something is that nobody can look into."""
        return self._graph.opaque

    def objects(self) -> Iterator[object]:
        """Everything that was reached."""
        return iter(self._graph.seen.values())

    def numbers(self) -> list[tuple[str, Any]]:
        """Tensors and arrays, trained weights among them."""
        return [*self._graph.tensors, *((each.where, each.held) for each in self._graph.numbers)]

    def containers(self) -> list[tuple[str, list[Any]]]:
        """Lists, dictionaries and the like with their members; of what has names, the values."""
        found = []
        for place in self._graph.places:
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
        lists = [*self.containers(), *self._graph.tuples]
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
        found += self._graph.identities.exchanged()
        counted = self._counted() != self._counts
        if thorough or counted:
            found += [each.where for each in self._graph.numbers if fingerprint(each.held) != each.print]
            found += [where for where, held, was in self._graph.hidden if fingerprint(held) != was]
        if counted and not found:
            self._counts = self._counted()
        return list(dict.fromkeys(found))

    def shown(self) -> list[Any]:
        """What is there now instead of what was, for comparison with another time: members, and digests of numbers."""
        moved = [place.now() for place in self._graph.places if not place.is_same()]
        return [
            [[fingerprint(member) if isinstance(member, Tensor | np.ndarray) else member for member in members]
             for members in moved],
            [fingerprint(held) for _, held in self.numbers()],
            self._graph.identities.shown(),
        ]  # fmt: skip

    def put_back(self) -> None:
        """Back to what it was, as far as copies were kept: large frozen weights are not."""
        self._graph.identities.put_back()
        for place in self._graph.places:
            if not place.is_same():
                place.put_back(place.members)
        for each in self._graph.numbers:
            if each.copy is not None and fingerprint(each.held) != each.print:
                with torch.no_grad():
                    each.held[...] = each.copy
        for _, held, was in self._graph.hidden:
            if isinstance(held, CACHE) and fingerprint(held) != was:
                held.cache_clear()

    def _counted(self) -> list[tuple[int, int]]:
        """How often each tensor was written to, and where it lies."""
        return [
            (_version(held), held.data_ptr())
            for _, held in self._graph.tensors
            if id(held) not in self._graph.weights
        ]


def _as_vector(held: Any) -> Any:
    plain = held.double().numpy() if isinstance(held, Tensor) else held
    try:
        return np.asarray(plain, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):  # texts, objects
        return np.zeros(0)


def _version(held: Tensor) -> int:
    return 0 if held.is_inference() else held._version  # noqa: SLF001
