"""People against published rows: whose row may each one be, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.attacks.tables._generalized_cells import Cover, cover, is_generalized, tree_of
from privet.attacks.tables._table_codes import as_text, coded
from privet.disclosure import labels_of, mixed_radix
from privet.disclosure.linkage import joined
from privet.errors import NoPower

if TYPE_CHECKING:
    import pyarrow as pa

_STRANGERS = 0.02  # share of published rows that may fit nobody
_MOST_PAIRS = 20_000_000  # pairs looked at at once: bounds memory, changes nothing


@dataclass(frozen=True, eq=False)
class Matched:
    """People (rows of what is known) against classes of published rows that look alike.

    `fits` is a sparse table of people by classes with 1 where every cell covers what is known.
    """

    class_of: NDArray[np.int64] = field(repr=False)  # of each published row
    sizes: NDArray[np.int64] = field(repr=False)  # published rows in each class
    fits: Any = field(repr=False)  # scipy.sparse.csr_array, people × classes
    unread: dict[str, int] = field(default_factory=dict)  # labels that nobody could read, by column

    @property
    def candidates(self) -> NDArray[np.int64]:
        """For each person the number of rows that may be theirs."""
        return np.asarray(self.fits @ self.sizes, np.int64)

    def refuse_strangers(self) -> None:
        """Refuse a published table that is not made of these people's rows: whose row it is has no answer there.

        Where every row generalizes somebody's, every row fits somebody. Synthetic rows fit by chance, and a join that
        takes them for people would call every chance a find.
        """
        fitting = np.asarray(self.fits.sum(axis=0)).reshape(-1) > 0
        strangers = float(self.sizes[~fitting].sum() / max(1, int(self.sizes.sum())))
        if strangers > _STRANGERS:
            raise NoPower(
                f"{strangers:.0%} of the published rows fit nobody in the original: they are not people's rows.",
                "Linkage is for anonymized tables. For synthetic ones give a control: linkability, singling-out, inference.",
            )


def matched(
    published: pa.Table,
    known: pa.Table,
    columns: Sequence[tuple[str, str]],
    hierarchies: Mapping[str, Any] | None = None,
) -> Matched:
    """Match what is known of people to published rows by pairs of columns (published, known)."""
    from scipy.sparse import csr_array

    sides = [
        _Column.of(published.column(ours), known.column(theirs), (hierarchies or {}).get(ours))
        for ours, theirs in columns
    ]
    class_of, first = _alike([side.published for side in sides])
    person_of, example = _alike([side.known for side in sides])
    left, right = _pairs(sides, first, example)
    sizes = np.bincount(class_of, minlength=len(first))
    # Distinct people first, then everybody: look-alikes have the same candidates.
    distinct = csr_array((np.ones(len(left), np.int64), (left, right)), shape=(len(example), len(first)))
    unread = {
        ours: side.cover.unread for (ours, _), side in zip(columns, sides, strict=True) if side.cover.unread
    }
    return Matched(class_of, sizes, distinct[person_of], unread)


@dataclass(frozen=True, eq=False)
class _Column:
    """One column of both tables: places of labels and of values (-1 missing), and which label covers which value."""

    published: NDArray[np.int64]
    known: NDArray[np.int64]
    cover: Cover

    @classmethod
    def of(cls, published: Any, known: Any, hierarchy: Any) -> _Column:
        if hierarchy is None and not is_generalized(published, known):
            return _same(published, known)
        labels = as_text(published).combine_chunks().dictionary_encode()
        values = known.combine_chunks() if hasattr(known, "combine_chunks") else known
        distinct = values.unique().drop_null()
        texts = as_text(distinct).combine_chunks()
        tree = None if hierarchy is None else tree_of(hierarchy)
        found = cover(labels.dictionary.to_pylist(), distinct, tree)
        return cls(_places(labels), _index(as_text(values), texts), found)


def _same(published: Any, known: Any) -> _Column:
    """A column that was published as it is."""
    import pyarrow as pa

    ours, theirs = coded([pa.table({"c": published}), pa.table({"c": known})], ["c"])
    values = np.arange(ours.sizes[0])
    plain = Cover(len(values), len(values), values, values, plain=True)
    return _Column(ours.codes[:, 0].astype(np.int64), theirs.codes[:, 0].astype(np.int64), plain)


def _places(labels: Any) -> NDArray[np.int64]:
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(labels.indices, -1).to_numpy(zero_copy_only=False), np.int64)


def _index(values: Any, distinct: Any) -> NDArray[np.int64]:
    import pyarrow.compute as pc

    found = pc.fill_null(pc.index_in(values, value_set=distinct, skip_nulls=True), -1)
    return np.asarray(found.to_numpy(zero_copy_only=False), np.int64)


def _alike(columns: Sequence[NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The group of each row, and one row of each group."""
    keys, space = mixed_radix(
        [column + 1 for column in columns], [int(c.max(initial=-1)) + 2 for c in columns]
    )
    labels = labels_of(keys, space)
    return labels, np.unique(labels, return_index=True)[1]


def _pairs(
    sides: Sequence[_Column], classes: NDArray[np.int64], people: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct people and classes that fit in every column.

    Columns published as they are join first; the most telling of the others begins where there is none.
    """
    plain = [side for side in sides if side.cover.plain]
    others = [side for side in sides if not side.cover.plain]
    if plain:
        width = [max(int(s.published.max(initial=-1)), int(s.known.max(initial=-1))) + 3 for s in plain]
        both = [
            np.concatenate([_worth(side, side.published[classes]), side.known[people]]) + 2 for side in plain
        ]
        keys, space = mixed_radix(both, width)
        labels = labels_of(keys, space)
        published, known = labels[: len(classes)], labels[len(classes) :]
        parts: list[tuple[NDArray[np.int64], NDArray[np.int64], Sequence[_Column]]] = [
            (published, known, others)
        ]
    else:
        first = min(
            others, key=lambda side: len(side.cover.label) / max(side.cover.values, 1) / side.cover.labels
        )
        rest = [side for side in others if side is not first]
        parts = _by_label(first, classes, people, rest)
    found = [_filtered(*part, classes, people) for part in parts]
    left = np.concatenate([np.zeros(0, np.int64), *(one[0] for one in found)])
    right = np.concatenate([np.zeros(0, np.int64), *(one[1] for one in found)])
    return left, right


def _worth(side: _Column, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Labels that stand for themselves, as places of their values; a missing cell stays missing."""
    value = np.full(side.cover.labels + 1, -1, np.int64)
    value[side.cover.label] = side.cover.value
    unmatched = np.setdiff1d(np.arange(side.cover.labels), side.cover.label)
    value[unmatched] = -2  # a label that stands for nobody's value
    return value[labels]


def _by_label(
    first: _Column, classes: NDArray[np.int64], people: NDArray[np.int64], rest: Sequence[_Column]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], Sequence[_Column]]]:
    """One join for each label of the first column: its classes with the people it covers."""
    label_of, value_of = first.published[classes], first.known[people]
    parts = []
    for label in range(-1, first.cover.labels):
        covered = np.zeros(first.cover.values + 1, bool)
        covered[first.cover.value[first.cover.label == label]] = True
        covered[-1] = label == -1 or _covers_all(first.cover, label)
        parts.append((np.where(label_of == label, 0, -1), np.where(covered[value_of], 0, -1), rest))
    return parts


def _covers_all(found: Cover, label: int) -> bool:
    """Whether a label stands for every value: then a missing one may hide behind it too."""
    return bool((found.label == label).sum() == found.values)


def _filtered(
    published: NDArray[np.int64],
    known: NDArray[np.int64],
    sides: Sequence[_Column],
    classes: NDArray[np.int64],
    people: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs with equal keys that also fit in the other columns; chunk by chunk of people."""
    count = np.bincount(published[published >= 0], minlength=int(max(known.max(initial=-1), 0)) + 1)
    needed = np.cumsum(np.where(known >= 0, count[np.maximum(known, 0)], 0))
    cuts = np.searchsorted(needed, np.arange(_MOST_PAIRS, int(needed[-1]) if len(needed) else 0, _MOST_PAIRS))
    lefts, rights = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for part in np.split(np.arange(len(people)), cuts):
        pairs = joined(known[part], published)
        left, right = part[pairs.left], pairs.right
        for side in sides:
            fits = _fit(side, side.published[classes[right]], side.known[people[left]])
            left, right = left[fits], right[fits]
        lefts.append(left)
        rights.append(right)
    return np.concatenate(lefts), np.concatenate(rights)


def _fit(side: _Column, labels: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each label covers each value; a gap covers a gap, and `*` covers everything."""
    keys = side.cover.value * side.cover.labels + side.cover.label
    wanted = values * side.cover.labels + labels
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    inside = (keys[at] == wanted) if len(keys) else np.zeros(len(wanted), bool)
    width = np.bincount(side.cover.label, minlength=side.cover.labels + 1)
    everything = width[labels] == side.cover.values
    found: NDArray[np.bool_] = np.where(
        (labels < 0) | (values < 0), (labels == values) | ((values < 0) & (labels >= 0) & everything), inside
    )
    return found
