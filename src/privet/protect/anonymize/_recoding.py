"""What a search found, as text that can be published: one value for each distinct combination and column."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import Codes
from privet.engine import Finder, FrequencyTable
from privet.errors import PromiseBroken
from privet.protect.anonymize.hierarchies import MISSING, Ladder, as_text

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.protect.anonymize.search import Solution


@dataclass(frozen=True, eq=False)
class Recoded:
    """One published column: `published[numbers[i]]` is what combination i shows.

    `level` is the level of its hierarchy, where one level serves all rows.
    """

    name: str
    published: pa.Array = field(repr=False)
    numbers: NDArray[np.int32] = field(repr=False)
    level: int | None
    top: int


@dataclass(frozen=True, eq=False)
class Recoding:
    """Every combination of quasi-identifiers of a table, whether it is published, and how."""

    combinations: FrequencyTable = field(repr=False)
    kept: NDArray[np.bool_] = field(repr=False)
    columns: tuple[Recoded, ...]
    order: NDArray[np.int64] = field(repr=False)  # where each combination stands in the solution

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.combinations.columns

    def codes(self, full: FrequencyTable) -> tuple[Codes, dict[str, pa.Array]]:
        """The published table as codes, with what they stand for: quasi-identifiers first, then `full`'s other columns.

        `full` counts combinations of the quasi-identifiers together with those other columns.
        """
        width = len(self.names)
        places = Finder(self.combinations).places(full.codes[:, :width])
        kept = self.kept[places]
        columns = [column.numbers[places[kept]] for column in self.columns]
        columns += [full.codes[kept, at] for at in range(width, len(full.columns))]
        labels = {column.name: column.published for column in self.columns}
        labels |= dict(zip(full.columns[width:], full.labels[width:], strict=True))
        missing = tuple(
            int(labels[name].is_null().to_numpy(zero_copy_only=False).argmax())
            if labels[name].null_count
            else None
            for name in full.columns
        )
        sizes = tuple(max(1, len(labels[name])) for name in full.columns)
        stacked = (
            np.stack(columns, axis=1).astype(np.int32)
            if columns
            else np.zeros((0, len(full.columns)), np.int32)
        )
        every = Codes(full.columns, stacked, full.counts[kept], sizes, missing)
        return every.only(full.columns), labels


def recoding(solution: Solution, ladders: Sequence[Ladder], full: FrequencyTable) -> Recoding:
    """A solution as published values, each checked against its hierarchy: nothing but covers of the original."""
    import pyarrow as pa

    width = len(ladders)
    present = np.flatnonzero(solution.counts > 0)
    order = present[np.lexsort(solution.codes[present].T[::-1])]
    combinations = FrequencyTable(
        solution.columns, solution.codes[order], solution.counts[order], full.labels[:width]
    )
    columns = []
    for j, ladder in enumerate(ladders):
        level = None if solution.levels is None or solution.sets is not None else int(solution.levels[j])
        if level == 0:
            columns.append(_as_it_was(combinations, j, ladder))
            continue
        texts = (
            _nodes(solution, order, j, ladder)
            if solution.sets is None
            else _sets(solution, order, j, combinations.labels[j])
        )
        _covers(combinations, j, ladder, texts, ~solution.suppressed[order])
        published = pa.array([None if text == MISSING else text for text in texts[0]], pa.string())
        columns.append(Recoded(ladder.column, published, texts[1], level, ladder.height))
    return Recoding(combinations, ~solution.suppressed[order], tuple(columns), order)


def _as_it_was(combinations: FrequencyTable, j: int, ladder: Ladder) -> Recoded:
    return Recoded(
        ladder.column, combinations.labels[j], combinations.codes[:, j].astype(np.int32), 0, ladder.height
    )


Texts = tuple[list[str], NDArray[np.int32]]


def _nodes(solution: Solution, order: NDArray[np.int64], j: int, ladder: Ladder) -> Texts:
    """The label of each combination's node. Equal texts are one value, whatever level they come from."""
    levels = solution.nodes[order, j]
    codes = solution.codes[order, j]
    pairs, inverse = np.unique(levels.astype(np.int64) * len(ladder.rows) + codes, return_inverse=True)
    labels = ladder.hierarchy.labels
    found = [
        labels[level][int(ladder.nodes[code, level])]
        for level, code in zip(*divmod(pairs, len(ladder.rows)), strict=True)
    ]
    return _numbered(found, inverse)


def _sets(solution: Solution, order: NDArray[np.int64], j: int, values: pa.Array) -> Texts:
    """The values that each combination's cell lists."""
    assert solution.sets is not None
    texts = [as_text(value) for value in values.to_pylist()]
    classes = solution.labels[order]
    used, inverse = np.unique(classes, return_inverse=True)
    found = [
        "" if label < 0 else listed([texts[code] for code in np.flatnonzero(solution.sets[j][label])])
        for label in used
    ]
    return _numbered(found, inverse)


def _numbered(found: list[str], inverse: NDArray[np.int64]) -> Texts:
    numbers: dict[str, int] = {}
    places = np.array([numbers.setdefault(text, len(numbers)) for text in found], np.int32)
    return list(numbers), places[inverse.reshape(-1)]


# --- sets as text ------------------------------------------------------------------------------


def listed(values: Sequence[str]) -> str:
    """A set of values: one as it is, whole numbers without gaps as `[17, 20]`, others as `{a, b}`.

    Values that hold a sign of this notation are quoted.
    """
    if len(values) == 1 and not _special(values[0]):
        return values[0]
    if len(values) > 1 and all(_is_whole(value) for value in values):
        numbers = sorted(int(value) for value in values)
        if numbers[-1] - numbers[0] == len(numbers) - 1:
            return f"[{numbers[0]}, {numbers[-1]}]"
    return (
        "{"
        + ", ".join(json.dumps(value, ensure_ascii=False) if _special(value) else value for value in values)
        + "}"
    )


def lists(text: str, value: str) -> bool:
    """Whether a set, as `listed` writes it, holds a value."""
    if text.startswith("{") and text.endswith("}"):
        return value in _members(text[1:-1])
    if text.startswith("[") and text.endswith("]") and _is_whole(value):
        low, _, high = text[1:-1].partition(", ")
        if _is_whole(low) and _is_whole(high):
            return int(low) <= int(value) <= int(high)
    return text == value


def _members(inside: str) -> set[str]:
    found: set[str] = set()
    at = 0
    while at < len(inside):
        if inside[at] == '"':
            value, end = json.JSONDecoder().raw_decode(inside, at)
        else:
            end = inside.find(", ", at) if ", " in inside[at:] else len(inside)
            value = inside[at:end]
        found.add(value)
        at = end + 2
    return found


def _special(value: str) -> bool:
    return not value or any(sign in value for sign in ',{}[]"') or value != value.strip()


def _is_whole(value: str) -> bool:
    return value.isascii() and value.removeprefix("-").isdigit() and str(int(value)) == value


# --- the check ---------------------------------------------------------------------------------


def _covers(
    combinations: FrequencyTable, j: int, ladder: Ladder, texts: Texts, kept: NDArray[np.bool_]
) -> None:
    """Every published value must be an ancestor of the original one in its hierarchy, or a set that lists it."""
    labels, numbers = texts
    codes = combinations.codes[kept, j].astype(np.int64)
    pairs = np.unique(codes * len(labels) + numbers[kept])
    paths: dict[int, tuple[str, set[str]]] = {}
    values: list[Any] = combinations.labels[j].to_pylist()
    for pair in pairs.tolist():
        code, number = divmod(pair, len(labels))
        if code not in paths:
            row = ladder.hierarchy.levels[ladder.rows[code]]
            path = {level[at] for level, at in zip(ladder.hierarchy.labels, row.tolist(), strict=True)}
            paths[code] = (as_text(values[code]), path)
        value, path = paths[code]
        if labels[number] not in path and not lists(labels[number], value):
            raise PromiseBroken(
                f"a published value of {ladder.column!r} does not cover the original one; nothing was published."
            )
