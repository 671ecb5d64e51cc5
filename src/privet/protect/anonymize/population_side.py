"""A table of everybody beside the table: coded alike, and seen as the published file would show its people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.disclosure.codes import Codes
from privet.engine.frequencies import FrequencyTable, frequency_table
from privet.errors import BadAnonymization
from privet.protect.anonymize.counting import codes_of_frequencies
from privet.protect.anonymize.hierarchies import MISSING, Ladder
from privet.source import Table

if TYPE_CHECKING:
    from privet.protect.anonymize.search import Solution


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


def seen(
    people: FrequencyTable | None, solution: Solution, ladders: Sequence[Ladder]
) -> dict[tuple[Any, ...], int] | None:
    """How many people of the population would look like each combination of published values."""
    if people is None or solution.levels is None:
        return None
    shown: list[list[Any]] = []
    for j, ladder in enumerate(ladders):
        level = int(solution.levels[j])
        if level == 0:
            shown.append(people.labels[j].take(people.codes[:, j]).to_pylist())
            continue
        texts = [None if text == MISSING else text for text in ladder.hierarchy.labels[level]]
        shown.append([texts[node] for node in ladder.nodes[people.codes[:, j], level].tolist()])
    found: dict[tuple[Any, ...], int] = {}
    for values, number in zip(zip(*shown, strict=True), people.counts.tolist(), strict=True):
        found[values] = found.get(values, 0) + number
    return found
