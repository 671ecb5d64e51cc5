"""A table of everybody beside the table: coded alike, and seen as the published file would show its people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import Codes
from privet.engine import FrequencyTable, frequency_table
from privet.errors import BadAnonymization
from privet.protect._file_counts import codes_of_frequencies
from privet.protect.anonymize._recoding import Recoded, Recoding, lists
from privet.protect.anonymize.hierarchies import Ladder, as_text
from privet.source import Table


def alike(
    full: FrequencyTable, population: Table, quasi: Sequence[str]
) -> tuple[FrequencyTable, FrequencyTable]:
    """Both tables with the same codes for the same values of the quasi-identifiers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lacking = [name for name in quasi if name not in population.columns]
    if lacking:
        raise BadAnonymization(
            f"the population has no column {', '.join(map(repr, lacking))}.",
            "It needs every quasi-identifier, under the same name.",
        )
    people = frequency_table(population.relation, list(quasi))
    labels: list[Any] = []
    ours, theirs = full.codes.copy(), people.codes.copy()
    for at, name in enumerate(quasi):
        mine, others = full.labels[at], people.labels[at]
        if mine.type != others.type:
            common = (
                pa.int64() if pa.types.is_integer(mine.type) and pa.types.is_integer(others.type) else None
            )
            if common is None:
                raise BadAnonymization(
                    f"column {name!r} holds another kind of values in the population.",
                    "Give both the same type.",
                )
            mine, others = mine.cast(common), others.cast(common)
        both = pc.unique(pa.concat_arrays([mine, others]))
        both = both.take(pc.sort_indices(both))
        for codes, old in ((ours, mine), (theirs, others)):
            places = pc.index_in(old, value_set=both, skip_nulls=False).to_numpy(zero_copy_only=False)
            codes[:, at] = np.asarray(places, np.int32)[codes[:, at]]
        labels.append(both)
    known = tuple(labels)
    return (
        FrequencyTable(full.columns, ours, full.counts, (*known, *full.labels[len(quasi) :])),
        FrequencyTable(tuple(quasi), theirs, people.counts, known),
    )


def codes(people: FrequencyTable | None) -> Codes | None:
    """The population as the search takes it."""
    return None if people is None else codes_of_frequencies(people)


@dataclass(frozen=True)
class Crowd:
    """How many people of the population fit each combination of published values, and how many there are."""

    fitting: Mapping[tuple[Any, ...], int] = field(repr=False)
    people: int


def seen(
    people: FrequencyTable | None, plan: Recoding, ladders: Sequence[Ladder], *, sets: bool
) -> Crowd | None:
    """The population as whoever reads the published values sees it.

    Somebody fits a value that is theirs, that is above theirs in the hierarchy, or with `sets` one that lists theirs.
    """
    if people is None:
        return None
    cells = np.unique(np.stack([column.numbers[plan.kept] for column in plan.columns], axis=1), axis=0)
    fits = [
        _fits(people, j, column, ladder, sets=sets)
        for j, (column, ladder) in enumerate(zip(plan.columns, ladders, strict=True))
    ]
    values = [column.published.to_pylist() for column in plan.columns]
    found: dict[tuple[Any, ...], int] = {}
    for cell in cells.tolist():
        inside = np.arange(len(people))
        for j, number in enumerate(cell):
            inside = inside[fits[j][number][people.codes[inside, j]]]
        found[tuple(values[j][number] for j, number in enumerate(cell))] = int(people.counts[inside].sum())
    return Crowd(found, int(people.counts.sum()))


def _fits(
    people: FrequencyTable, j: int, column: Recoded, ladder: Ladder, *, sets: bool
) -> NDArray[np.bool_]:
    """Whether each published value of a column (lines) stands for each of the population's values."""
    texts = [as_text(value) for value in people.labels[j].to_pylist()]
    if column.level == 0:
        return np.eye(len(column.published), len(texts), dtype=bool)
    published = [as_text(value) for value in column.published.to_pylist()]
    if sets:
        return np.array([[lists(text, value) for value in texts] for text in published], bool)
    found = np.zeros((len(published), len(texts)), bool)
    numbers = {text: number for number, text in enumerate(published)}
    for level in range(ladder.height + 1) if column.level is None else [column.level]:
        for code, node in enumerate(ladder.nodes[:, level].tolist()):
            number = numbers.get(ladder.hierarchy.labels[level][node])
            if number is not None:
                found[number, code] = True
    return found
