"""Distinct tuples of a table, and their classes at any node of the lattice.

Columns are packed together, so that a class key is made from a few table look-ups. A class table made at one node
can be grouped again for any node above it, which costs its classes and not the rows (roll-up).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import (
    Codes,
    ContingencyCells,
    Integers,
    Missing,
    cells_of,
    is_counted,
    labels_of,
    mixed_radix,
    sorted_keys,
    starts_of,
)
from privet.errors import BadSearch
from privet.protect.anonymize.hierarchies import Ladder
from privet.protect.anonymize.search._generalization_lattice import Lattice, Levels

# Columns are packed together while they have at most this many combinations: their tables stay in the cache.
_PACK = 4096
_LARGEST_SPACE = 2**62


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes at one node. `tuples[i]` is one of the distinct tuples in class i, `sizes[i]` its rows.

    A class that only the population has people in has no rows. `cells` speak of the classes that have some, which
    `present` lists.
    """

    levels: Levels
    tuples: NDArray[np.int64] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    cells: tuple[ContingencyCells, ...] = field(repr=False)
    population: NDArray[np.int64] | None = field(repr=False)

    def __len__(self) -> int:
        return len(self.sizes)

    @cached_property
    def present(self) -> NDArray[np.int64]:
        """The classes that have rows."""
        return np.flatnonzero(self.sizes)


class Tuples:
    """The distinct combinations of quasi-identifiers with their counts, and with the sensitive values they hold.

    Args:
        codes: distinct combinations of quasi-identifiers and sensitive columns.
        ladders: one hierarchy for each quasi-identifier, laid against the codes of `codes`.
        sensitive: names of the sensitive columns whose values the models look at.
        population: combinations of the same quasi-identifiers, coded alike, in the population.
        missing: what a gap in a quasi-identifier means; unless it is a value of its own, the hierarchies must keep
            it apart from every value.
    """

    def __init__(
        self,
        codes: Codes,
        ladders: Sequence[Ladder],
        sensitive: Sequence[str] = (),
        population: Codes | None = None,
        missing: Missing = "own value",
    ) -> None:
        quasi = [ladder.column for ladder in ladders]
        at = codes.positions(quasi)
        for j, ladder in zip(at, ladders, strict=True):
            if len(ladder.rows) < codes.cardinalities[j]:
                raise BadSearch(f"the hierarchy of {ladder.column!r} was laid against other codes.")
        self.ladders = tuple(ladders)
        self.lattice = Lattice(tuple(ladder.height for ladder in ladders))
        self.columns = tuple(quasi)
        self.rows = codes.rows
        self.sensitive = tuple(sensitive)
        groups = codes.groups(quasi)
        first = np.zeros(len(groups), np.int64)
        first[groups.labels] = np.arange(len(codes))
        self.codes = np.asfortranarray(codes.codes[first][:, list(at)])
        self.counts = groups.sizes
        self.missing: Missing = missing
        self.gaps = self._gaps([codes.missing[j] for j in at]) if missing != "own value" else None
        self.people: NDArray[np.int64] | None = None
        if population is not None:
            self._add(population)
        self._cells = tuple(self._sensitive(codes, name, groups.labels) for name in sensitive)

    def _sensitive(self, codes: Codes, name: str, labels: NDArray[np.int64]) -> ContingencyCells:
        (at,) = codes.positions([name])
        values = codes.codes[:, at].astype(np.int64)
        totals = np.bincount(values, weights=codes.counts, minlength=codes.cardinalities[at])
        return cells_of(labels, values, codes.counts, totals / max(1, codes.rows))

    def _gaps(self, missing: Sequence[int | None]) -> NDArray[np.bool_] | None:
        """Where tuples have no value, by column; None where they all have."""
        gaps = np.zeros(self.codes.shape, bool)
        for j, (code, ladder) in enumerate(zip(missing, self.ladders, strict=True)):
            if code is None:
                continue
            gaps[:, j] = self.codes[:, j] == code
            others = np.delete(ladder.nodes, code, axis=0)
            if (others == ladder.nodes[code]).any():
                raise BadSearch(
                    f"the hierarchy of {ladder.column!r} makes a missing value equal to others.",
                    "Use `with_gaps_apart()`, or let a missing value be a value of its own.",
                )
        return gaps if gaps.any() else None

    def _add(self, population: Codes) -> None:
        """People of the population beside the rows of the table; who is only there has a count of 0."""
        others = population.only(self.columns)
        every = np.concatenate([self.codes, others.codes])
        sizes = [max(len(ladder.rows), 1) for ladder in self.ladders]
        if (others.codes.max(axis=0, initial=-1) >= np.asarray(sizes)).any():
            raise BadSearch("the population is coded by other lists of values than the table.")
        keys, space = mixed_radix([every[:, j] for j in range(len(sizes))], sizes)
        labels = labels_of(keys, space)
        mine = len(self.counts)
        width = int(labels.max(initial=-1)) + 1
        only = np.ones(width, bool)
        only[labels[:mine]] = False
        people = np.bincount(labels[mine:], weights=others.counts, minlength=width).astype(np.int64)
        absent = labels[mine:][only[labels[mine:]]]
        self.codes = np.asfortranarray(np.concatenate([self.codes, others.codes[only[labels[mine:]]]]))
        self.counts = np.concatenate([self.counts, np.zeros(len(absent), np.int64)])
        self.people = np.concatenate([people[labels[:mine]], people[absent]])

    def __len__(self) -> int:
        return len(self.counts)

    def only(self, chosen: NDArray[np.bool_]) -> Tuples:
        """Some of the tuples, without a population; sensitive values are still compared with the whole table's."""
        part = object.__new__(Tuples)
        part.ladders, part.lattice, part.columns = self.ladders, self.lattice, self.columns
        part.codes, part.counts = np.asfortranarray(self.codes[chosen]), self.counts[chosen]
        part.rows = int(part.counts.sum())
        part.missing, part.gaps, part.people = "own value", None, None
        part.sensitive = self.sensitive
        number = np.where(chosen, np.cumsum(chosen) - 1, -1)
        part._cells = tuple(_chosen(cells, number) for cells in self._cells)
        return part

    @cached_property
    def bottom(self) -> Classes:
        """The tuples themselves, as classes."""
        levels = (0,) * len(self.ladders)
        return Classes(levels, np.arange(len(self)), self.counts, self._cells, self.people)

    @cached_property
    def _packs(self) -> tuple[tuple[int, ...], ...]:
        packs: list[list[int]] = []
        sizes = [max(1, len(ladder.rows)) for ladder in self.ladders]
        room: list[int] = []
        for j in sorted(range(len(sizes)), key=lambda j: -sizes[j]):
            place = next((p for p, used in enumerate(room) if used * sizes[j] <= _PACK), None)
            if place is None:
                packs.append([j])
                room.append(sizes[j])
            else:
                packs[place].append(j)
                room[place] *= sizes[j]
        return tuple(tuple(pack) for pack in packs)

    @cached_property
    def _packed(self) -> tuple[tuple[NDArray[np.int32], NDArray[np.int32]], ...]:
        """For each pack: the number of each tuple's combination, and the codes of each combination."""
        found = []
        for pack in self._packs:
            sizes = [max(1, len(self.ladders[j].rows)) for j in pack]
            keys, space = mixed_radix([self.codes[:, j] for j in pack], sizes)
            labels = labels_of(keys, space)
            first = np.zeros(int(labels.max(initial=-1)) + 1, np.int64)
            first[labels] = np.arange(len(labels))
            found.append((labels.astype(np.int32), self.codes[first][:, list(pack)]))
        return tuple(found)

    @cached_property
    def _tables(self) -> dict[tuple[int, Levels], tuple[NDArray[np.int32], int]]:
        return {}

    def _table(self, pack: int, levels: Levels) -> tuple[NDArray[np.int32], int]:
        """The number of each combination's class at these levels of the pack's columns, and how many there are."""
        found = self._tables.get((pack, levels))
        if found is None:
            combinations = self._packed[pack][1]
            nodes = [
                self.ladders[j].nodes[combinations[:, at], level]
                for at, (j, level) in enumerate(zip(self._packs[pack], levels, strict=True))
            ]
            sizes = [
                len(self.ladders[j].hierarchy.labels[level])
                for j, level in zip(self._packs[pack], levels, strict=True)
            ]
            labels = labels_of(*mixed_radix(nodes, sizes))
            found = (labels.astype(np.int32), max(1, int(labels.max(initial=-1)) + 1))
            self._tables[pack, levels] = found
        return found

    def keys(self, tuples: NDArray[np.int64] | None, levels: Levels) -> tuple[Integers, int]:
        """A whole number for each of the tuples (all when None), equal where they are equal at these levels."""
        keys: Integers = np.zeros(0, np.int64)
        space = 0
        for at, pack in enumerate(self._packs):
            table, width = self._table(at, tuple(levels[j] for j in pack))
            codes = self._packed[at][0] if tuples is None else self._packed[at][0][tuples]
            part = table[codes]
            if at == 0:
                keys, space = part, width
                continue
            if space * width > _LARGEST_SPACE:
                keys = labels_of(keys, space)
                space = int(keys.max(initial=-1)) + 1
            keys = np.multiply(keys, width, dtype=np.int32 if space * width < 2**31 else np.int64)
            keys += part
            space *= width
        return keys, space

    def classes(self, levels: Levels, finer: Classes | None = None) -> Classes:
        """The classes at a node, from those of a node below it (the tuples themselves when None)."""
        start = self.bottom if finer is None else finer
        keys, space = self.keys(None if start is self.bottom else start.tuples, levels)
        if not start.cells and start.population is None:
            first, sizes = _grouped(keys, space, start.sizes)
            return Classes(levels, start.tuples[first], sizes, (), None)
        labels = labels_of(keys, space)
        width = int(labels.max(initial=-1)) + 1
        first = np.zeros(width, np.int64)
        first[labels] = np.arange(len(labels))
        sizes = np.bincount(labels, weights=start.sizes, minlength=width).astype(np.int64)
        number = np.cumsum(sizes > 0) - 1
        cells = tuple(
            cells_of(number[labels[start.present[c.classes]]], c.values, c.counts, c.shares)
            for c in start.cells
        )
        people = start.population
        if people is not None:
            people = np.bincount(labels, weights=people, minlength=width).astype(np.int64)
        return Classes(levels, start.tuples[first], sizes, cells, people)

    def shares(self, column: int, level: int, tuples: NDArray[np.int64]) -> NDArray[np.float64]:
        """The share of the column's values that each of the tuples stands for at this level."""
        return np.asarray(self.ladders[column].shares[self.codes[tuples, column], level])


def _chosen(cells: ContingencyCells, number: NDArray[np.int64]) -> ContingencyCells:
    """The cells of tuples that have a number, by that number."""
    classes = number[cells.classes]
    inside = classes >= 0
    return cells_of(classes[inside], cells.values[inside], cells.counts[inside], cells.shares)


def _grouped(
    keys: Integers, space: int, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """One position for each different key, and the sum of sizes; in ascending order of keys."""
    if is_counted(space, len(keys)):
        totals = np.bincount(keys, weights=sizes, minlength=space)
        found = np.flatnonzero(totals)
        places = np.empty(space, np.int64)
        places[keys] = np.arange(len(keys))
        return places[found], totals[found].astype(np.int64)
    ordered, order = sorted_keys(keys, space)
    begins = np.flatnonzero(starts_of(ordered))
    return order[begins], np.add.reduceat(sizes[order], begins)
