"""Hierarchies for a table's columns: given in a folder or by name, made where none is given, laid against its codes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from privet.engine import FrequencyTable, frequency_table
from privet.errors import BadAnonymization
from privet.guarantee import TCloseness, parts
from privet.protect.anonymize._anonymize_request import AnonymizeRequest
from privet.protect.anonymize.hierarchies import MISSING, Hierarchy, Ladder, read_folder, suggest
from privet.source import Table


@dataclass(frozen=True, eq=False)
class Laid:
    """A ladder for each quasi-identifier, in order, those of sensitive columns that need one, and which were made."""

    quasi: tuple[Ladder, ...]
    sensitive: dict[str, Ladder] = field(default_factory=dict)
    made: frozenset[str] = frozenset()


def laid_against(
    full: FrequencyTable, asked: AnonymizeRequest, given: Mapping[str, Hierarchy] | str | Path | None
) -> Laid:
    """The hierarchies, each checked to know every value of its column."""
    by_distance = [
        part.column
        for part in parts(asked.promise)
        if isinstance(part, TCloseness) and part.distance == "hierarchical"
    ]
    wanted = [*asked.quasi, *dict.fromkeys(by_distance)]
    _refuse_two_kinds_of_nothing(full, wanted)
    known = _given(given, wanted)
    made = frozenset(name for name in wanted if name not in known)
    ladders = {}
    for name in wanted:
        at = full.columns.index(name)
        values: list[Any] = full.labels[at].to_pylist()
        hierarchy = known[name] if name in known else _made(name, values, full, at)
        if None in values and name in asked.quasi and asked.missing != "own value":
            hierarchy = hierarchy.with_gaps_apart()
        elif None in values and MISSING not in hierarchy.values:
            hierarchy = hierarchy.with_missing()
        ladders[name] = hierarchy.ladder(values)
    return Laid(
        tuple(ladders[name] for name in asked.quasi),
        {name: ladders[name] for name in by_distance},
        made,
    )


def hierarchies_of(table: Table, given: str | Path | None = None) -> dict[str, Hierarchy]:
    """The hierarchies that `anonymize` uses for a table's quasi-identifiers: those given, the others made from the values."""
    quasi = table.with_role("quasi")
    known = _given(given, quasi)
    for name in quasi:
        if name not in known:
            found = frequency_table(table.relation, [name])
            known[name] = _made(name, found.labels[0].to_pylist(), found, 0)
    return known


def _refuse_two_kinds_of_nothing(full: FrequencyTable, columns: Sequence[str]) -> None:
    """A hierarchy writes a missing value as a text of no letters: a column that holds both cannot be laid out."""
    both = [
        name for name in columns if {None, MISSING} <= set(full.labels[full.columns.index(name)].to_pylist())
    ]
    if both:
        raise BadAnonymization(
            f"{', '.join(map(repr, both))}: some values are missing and some are texts of no letters, which no "
            "hierarchy can tell apart.",
            "Say which it is: turn one into the other before.",
            columns=both,
        )


def _given(given: Mapping[str, Hierarchy] | str | Path | None, wanted: list[str]) -> dict[str, Hierarchy]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {name: given[name] for name in wanted if name in given}
    return read_folder(given, wanted)


def _made(name: str, values: list[Any], full: FrequencyTable, at: int) -> Hierarchy:
    counts = np.bincount(full.codes[:, at], weights=full.counts, minlength=len(values))
    return suggest(name, values, [int(count) for count in counts])
