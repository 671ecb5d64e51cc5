"""Whose each record is, and which of a person's records are in a step: decided by that person's own records alone.

A person with more records than may count gives the next ones in turn at each step, in the order in which they were given;
nobody else's records, and no chance that others share, have a say in it. People are laid side by side with equally many
rows each: a shorter one is filled up with copies of a record of the same person, which weigh nothing. So a person is to
the clipping what an example with several views is: one sum over rows, whose norm is taken with all its cross terms.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadTraining

Pooling = Literal["mean", "sum"]
POOLINGS = ("mean", "sum")


@dataclass(frozen=True, eq=False, slots=True)
class PersonGroups:
    """The records of each person: `order[starts[p] : starts[p + 1]]` are the places of person p's."""

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    most: int
    pooling: Pooling

    @classmethod
    def of(cls, people: Any, records: int, most: int, pooling: Pooling) -> PersonGroups:
        """From the name of the person of each record."""
        codes = _numbered(people)
        if len(codes) != records:
            raise BadTraining(
                "people and records are not equally many.", "Say for each record whose it is, in their order."
            )
        counts = np.bincount(codes)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(np.argsort(codes, kind="stable").astype(np.int64), starts, most, pooling)

    @property
    def size(self) -> int:
        """How many people there are."""
        return len(self.starts) - 1

    def at_most(self, most: int) -> PersonGroups:
        """The same people with no more than so many records each."""
        return replace(self, most=min(most, self.most))

    def owners(self, records: NDArray[np.int64]) -> NDArray[np.int64]:
        """Whose these records are, each person once."""
        places = np.empty_like(self.order)
        places[self.order] = np.arange(len(self.order))
        found: NDArray[np.int64] = np.searchsorted(self.starts, places[records], side="right") - 1
        return np.unique(found)

    def counts(self, persons: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many records each of these people has in a step."""
        counts: NDArray[np.int64] = np.minimum(self.starts[persons + 1] - self.starts[persons], self.most)
        return counts

    def pieces(self, persons: NDArray[np.int64], rows: int) -> Iterator[NDArray[np.int64]]:
        """These people in pieces of at most so many rows, with people of about as many records together.

        A person is never parted: a piece may hold one person with more rows than that.
        """
        counts = self.counts(persons)
        longest_first = np.argsort(-counts, kind="stable")
        start = 0
        while start < len(persons):
            width = int(counts[longest_first[start]])
            stop = start + max(1, rows // width)
            yield persons[longest_first[start:stop]]
            start = stop

    def rows(self, persons: NDArray[np.int64], turn: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The records of these people at one turn, (people, width), and how much each counts: 0 for a copy."""
        first, counts = self.starts[persons], self.counts(persons)
        held = self.starts[persons + 1] - first
        places = np.arange(int(counts.max(initial=1)))
        there = places < counts[:, None]
        # The next ones in turn; people who have no more than may count give all of theirs at every turn.
        begin = np.where(held > self.most, turn * self.most % held, 0)[:, None]
        own = (begin + np.where(there, places, 0)) % held[:, None]
        each = 1.0 / counts if self.pooling == "mean" else np.ones(len(counts))
        return self.order[first[:, None] + own], (there * each[:, None]).astype(np.float32)

    def content(self) -> bytes:
        """A digest of whose record is whose. Key it before it is kept."""
        return hashlib.sha256(self.order.tobytes() + self.starts.tobytes()).digest()


def named_in(raw: Sequence[Any] | None, column: str) -> list[Any]:
    """The people of raw records, from their own entry of that name; refuses records that have none."""
    if raw is None or not all(isinstance(record, Mapping) and column in record for record in raw):
        raise BadTraining(
            f"the plan hides people by {column!r}, and the records do not say whose they are.",
            "Give people=…, one for each record in their order, or raw records with an entry of that name.",
        )
    return [record[column] for record in raw]


def _numbered(people: Any) -> NDArray[np.int64]:
    """People as numbers from 0."""
    if hasattr(people, "detach"):
        people = people.detach().cpu().numpy()
    if isinstance(people, np.ndarray) and people.ndim == 1 and people.dtype.kind in "iufSU":
        _refuse_missing(people.dtype.kind == "f" and bool(np.isnan(people).any()))
        return np.unique(people, return_inverse=True)[1].astype(np.int64)
    try:
        names = list(people)
        known: dict[Any, int] = {}
        codes = [known.setdefault(name, len(known)) for name in names]
    except TypeError:
        raise BadTraining(
            "people are named by numbers or texts, one for each record.", "Give a list or an array of them."
        ) from None
    _refuse_missing(any(name is None or name != name for name in known))  # noqa: PLR0124 -- not a number
    if len({type(name) for name in known}) > 1:
        raise BadTraining(
            "people are named by values of several kinds: 1 and '1' would be two people.",
            "Name all of them by numbers, or all by texts.",
        )
    return np.array(codes, dtype=np.int64)


def _refuse_missing(missing: bool) -> None:  # noqa: FBT001
    if missing:
        raise BadTraining("some records have no person.", "Leave these records out, or name their person.")
