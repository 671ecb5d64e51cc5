"""The private samples of a run: texts of a table, or pictures, with their labels and whose they are.

They are held in this process alone, never written, and leave it only as votes under seal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import OWNER, unit_rows
from privet.errors import BadSynthesis
from privet.guarantee import Person, Row, Unit
from privet.source import Table, memory_snapshot

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, repr=False, eq=False)
class PrivateSamples:
    """Samples, the place of each one's label among the public ones (-1 for none of them), and whose they are."""

    samples: Sequence[Any] | NDArray[np.float32]
    labels: NDArray[np.int64]
    owners: NDArray[np.int64]

    def __repr__(self) -> str:
        return "<private samples>"


class Images:
    """Private pictures to be synthesized.

    Args:
        pixels: an array of pictures: (pictures, height, width) or with colours (pictures, height, width, 3).
        labels: the class of each.
        persons: whose picture each is; without them every picture is a unit of its own. A picture of nobody (None or
            NaN) does not count.
        max_rows: the most pictures of one person that count, the first ones.
        version: a name for this state of the data, for the ledger.
    """

    def __init__(
        self,
        pixels: Any,
        *,
        labels: Sequence[Any] | None = None,
        persons: Sequence[Any] | None = None,
        max_rows: int | None = None,
        version: str | None = None,
    ) -> None:
        array = np.asarray(pixels)
        if array.ndim not in (3, 4) or array.dtype.kind not in "uif":
            raise BadSynthesis(
                "pictures come as one array of numbers, all of one shape.",
                "Give an array of shape (pictures, height, width).",
            )
        for name, given in (("labels", labels), ("persons", persons)):
            if given is not None and len(given) != len(array):
                raise BadSynthesis(f"there is not one of {name} for each picture.", "Give as many.")
        if (persons is None) != (max_rows is None):
            raise BadSynthesis(
                "persons and the most pictures of one that count are said together.",
                "Write Images(…, persons=…, max_rows=…), or neither.",
            )
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # what is too large lies nowhere, and nothing tells of it
            self._pixels = np.asarray(array, dtype=np.float32)
        self._labels = None if labels is None else [str(label) for label in labels]
        self._persons = None if persons is None else [_name(person) for person in persons]
        self.unit: Unit = Row() if max_rows is None else Person("person", max_rows=max_rows)
        self.fingerprint = memory_snapshot("images", version)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one picture."""
        return tuple(self._pixels.shape[1:])

    @property
    def labelled(self) -> bool:
        """Whether pictures have classes."""
        return self._labels is not None

    def __repr__(self) -> str:
        return "<private images>"

    def samples(self, labels: Sequence[str] | None) -> PrivateSamples:
        """The pictures that count. For this room alone."""
        kept, owners = _first_of_each(self._persons, self.unit, len(self._pixels))
        coded = _coded(None if self._labels is None else [self._labels[at] for at in kept], labels, len(kept))
        return PrivateSamples(self._pixels[kept], coded, owners)


def text_samples(table: Table, text: str, label: str | None, labels: Sequence[str] | None) -> PrivateSamples:
    """The texts of a table, at most `max_rows` of a person; rows without a text do not count."""
    import pyarrow as pa

    unit = table.unit_or_refuse()
    names = [text, *([] if label is None else [label])]
    rows = [pa.Table.from_batches([batch]) for batch in unit_rows(table.relation, names, unit)]
    if not rows:
        empty = np.zeros(0, dtype=np.int64)
        return PrivateSamples((), empty, empty)
    whole = pa.concat_tables(rows, promote_options="permissive")
    there = np.asarray(whole.column(text).is_valid())
    places = np.flatnonzero(there)
    texts = _texts(whole.column(text), places)
    coded = _coded(None if label is None else _texts(whole.column(label), places), labels, len(places))
    if isinstance(unit, Person):
        owner = whole.column(OWNER).combine_chunks().dictionary_encode()
        owners = np.asarray(owner.indices.to_numpy(zero_copy_only=False), dtype=np.int64)[places]
    else:
        owners = places.astype(np.int64)
    return PrivateSamples(texts, coded, owners)


def most_of(unit: Unit) -> int:
    """The most samples that one unit can have."""
    if not isinstance(unit, Person):
        return 1
    if unit.max_rows is None:
        raise BadSynthesis(
            f"the unit does not say how many rows of one {unit.column!r} may count.",
            f"Write Person({unit.column!r}, max_rows=…): votes of so many samples are scaled to one.",
        )
    return unit.max_rows


def _texts(column: pa.ChunkedArray, places: NDArray[np.int64]) -> list[str]:
    values = column.to_pylist()
    return ["" if values[at] is None else str(values[at]) for at in places]


def _coded(given: Sequence[str] | None, labels: Sequence[str] | None, count: int) -> NDArray[np.int64]:
    if labels is None or given is None:
        return np.zeros(count, dtype=np.int64)
    place = {label: at for at, label in enumerate(labels)}
    return np.fromiter((place.get(label, -1) for label in given), dtype=np.int64, count=count)


def _first_of_each(
    persons: Sequence[str | None] | None, unit: Unit, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pictures that count: of each person the first `max_rows`, whoever else there is."""
    if persons is None:
        every = np.arange(count, dtype=np.int64)
        return every, every
    number: dict[str, int] = {}
    seen: dict[str, int] = {}
    kept, owners = [], []
    for at, person in enumerate(persons):
        if person is None:
            continue
        seen[person] = seen.get(person, 0) + 1
        if seen[person] <= most_of(unit):
            kept.append(at)
            owners.append(number.setdefault(person, len(number)))
    return np.asarray(kept, dtype=np.int64), np.asarray(owners, dtype=np.int64)


def _name(person: Any) -> str | None:
    """Whose a picture is, as text; None for nobody."""
    nobody = person is None or (isinstance(person, float | np.floating) and np.isnan(person))
    return None if nobody else str(person)
