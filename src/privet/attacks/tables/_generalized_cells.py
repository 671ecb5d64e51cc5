"""Which values a generalized cell may stand for: intervals, beginnings, sets, calendars, groups of a hierarchy, `*`.

The attacker reads cells as they are published. A cell that nobody can read without the hierarchy may stand for every
value that is not published as it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.attacks.tables._table_codes import as_numbers, as_text

if TYPE_CHECKING:
    import pyarrow as pa

ANY = "*"
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_INTERVAL = re.compile(rf"^([\[\](])\s*({_NUMBER})\s*,\s*({_NUMBER})\s*([\[\])])$")
_CALENDAR = re.compile(r"^(\d{4})(?:(s)|-(\d{2})|-Q([1-4]))?$")
_DAY = re.compile(r"^\d{4}-\d{2}-\d{2}")
_STARS = re.compile(r"^(.*?)(\*+)$", re.DOTALL)

Tree = Mapping[str, frozenset[str]]  # each group of a hierarchy and the values below it


@dataclass(frozen=True, eq=False)
class Cover:
    """Pairs of a published label and a value that it may stand for, in places; sorted by value, then label.

    `plain` where every label stands for itself alone. `unread` counts labels that nobody could read.
    """

    labels: int
    values: int
    label: NDArray[np.int64] = field(repr=False)
    value: NDArray[np.int64] = field(repr=False)
    plain: bool
    unread: int = 0

    @property
    def is_partition(self) -> bool:
        """Whether no value has two labels."""
        return bool(np.bincount(self.value, minlength=1).max(initial=0) <= 1)

    def narrowest(self) -> NDArray[np.int64]:
        """For each value the label that stands for it and for the fewest others; -1 where none does."""
        width = np.bincount(self.label, minlength=self.labels)
        order = np.lexsort((width[self.label], self.value))
        values, first = np.unique(self.value[order], return_index=True)
        found = np.full(self.values, -1, np.int64)
        found[values] = self.label[order][first]
        return found


def is_generalized(labels: Any, values: Any) -> bool:
    """Whether a published column has cells, such as intervals, that none of the original values is written like."""
    import pyarrow as pa

    if not pa.types.is_string(labels.type) and not pa.types.is_large_string(labels.type):
        return False
    published = set(labels.unique().drop_null().to_pylist())
    original = set(as_text(values).unique().drop_null().to_pylist())
    strange = published - original
    dated = _is_dated(values, original)
    return any(_kind(label, dated=dated) is not None for label in strange)


def cover(labels: Sequence[str | None], values: pa.Array, tree: Tree | None = None) -> Cover:
    """What each of the published labels may stand for among distinct values (no value missing)."""
    texts = as_text(values).to_pylist()
    place = {text: at for at, text in enumerate(texts)}
    facts = _Facts(texts, _numeric(values, texts), _days(values, texts))
    itself = set(labels) & set(texts)
    found: list[NDArray[np.int64]] = []
    plain, unread = True, 0
    for label in labels:
        if label is None:
            found.append(np.zeros(0, np.int64))
            continue
        covered = _below(label, tree, place) if tree else None
        if covered is None:
            covered = np.array([place[label]], np.int64) if label in place else _read(label, facts)
        if covered is None:
            unread += 1
            covered = np.array([at for at, text in enumerate(texts) if text not in itself], np.int64)
        plain = plain and len(covered) <= 1
        found.append(covered)
    label_at = np.repeat(np.arange(len(labels)), [len(one) for one in found])
    value_at = np.concatenate([np.zeros(0, np.int64), *found]).astype(np.int64)
    order = np.lexsort((label_at, value_at))
    return Cover(len(labels), len(texts), label_at[order], value_at[order], plain, unread)


def tree_of(hierarchy: Any) -> Tree:
    """A hierarchy as groups: an object with `paths()`, or paths from a value to the root."""
    found: dict[str, set[str]] = {}
    for path in paths_of(hierarchy):
        for label in path:
            found.setdefault(label, set()).add(path[0])
    return {label: frozenset(values) for label, values in found.items()}


def paths_of(hierarchy: Any) -> list[tuple[str, ...]]:
    """The paths of a hierarchy, the value first."""
    paths: Iterable[Sequence[Any]] = hierarchy.paths() if hasattr(hierarchy, "paths") else hierarchy
    return [tuple(str(label) for label in path) for path in paths]


@dataclass(frozen=True, eq=False)
class _Facts:
    texts: list[str]
    numbers: NDArray[np.float64]  # NaN where a value is no number
    days: list[str] | None  # YYYY-MM-DD, where all values are dates


def _below(label: str, tree: Tree, place: Mapping[str, int]) -> NDArray[np.int64] | None:
    values = tree.get(label)
    return None if values is None else np.array(sorted(place[v] for v in values if v in place), np.int64)


def _kind(label: str, *, dated: bool) -> str | None:
    if label == ANY or _STARS.match(label):
        return "stars"
    if _INTERVAL.match(label):
        return "interval"
    if label.startswith("{") and label.endswith("}"):
        return "set"
    return "calendar" if dated and _CALENDAR.match(label) else None


def _read(label: str, facts: _Facts) -> NDArray[np.int64] | None:
    """The places of the values a label stands for by its form; None where it has none."""
    match _kind(label, dated=facts.days is not None):
        case "stars":
            return _begins(label, facts.texts)
        case "interval":
            return _inside(label, facts.numbers)
        case "set":
            inside = members(label[1:-1])
            return np.array([at for at, text in enumerate(facts.texts) if text in inside], np.int64)
        case "calendar":
            return _in_calendar(label, facts.days or [])
    return None


def _begins(label: str, texts: Sequence[str]) -> NDArray[np.int64]:
    if label == ANY:
        return np.arange(len(texts))
    found = _STARS.match(label)
    start = found.group(1) if found else label
    return np.array(
        [at for at, text in enumerate(texts) if text.startswith(start) and len(text) <= len(label)], np.int64
    )


def _inside(label: str, numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    found = _INTERVAL.match(label)
    assert found is not None
    low, high = float(found.group(2)), float(found.group(3))
    with np.errstate(invalid="ignore"):
        above = numbers >= low if found.group(1) == "[" else numbers > low
        below = numbers <= high if found.group(4) == "]" else numbers < high
    return np.flatnonzero(above & below)


def _in_calendar(label: str, days: Sequence[str]) -> NDArray[np.int64]:
    found = _CALENDAR.match(label)
    assert found is not None
    year, decade, month, quarter = found.groups()
    if decade:
        return np.array([at for at, day in enumerate(days) if day[:3] == year[:3]], np.int64)
    if month:
        return np.array([at for at, day in enumerate(days) if day[:7] == label], np.int64)
    months = range(1, 13) if quarter is None else range(3 * int(quarter) - 2, 3 * int(quarter) + 1)
    return np.array(
        [at for at, day in enumerate(days) if day[:4] == year and int(day[5:7]) in months], np.int64
    )


def members(inside: str) -> set[str]:
    """The values that a set lists between its braces; values with signs of the notation are quoted."""
    found: set[str] = set()
    at = 0
    while at < len(inside):
        if inside[at] == '"':
            try:
                value, end = json.JSONDecoder().raw_decode(inside, at)
            except json.JSONDecodeError:
                value, end = inside[at:], len(inside)
        else:
            comma = inside.find(", ", at)
            end = len(inside) if comma < 0 else comma
            value = inside[at:end]
        found.add(str(value))
        at = end + 2
    return found


def _numeric(values: Any, texts: Sequence[str]) -> NDArray[np.float64]:
    import pyarrow as pa

    found = None if pa.types.is_temporal(values.type) else as_numbers(values)
    if found is not None:
        return found
    return np.array([float(text) if re.fullmatch(_NUMBER, text) else np.nan for text in texts], float)


def _is_dated(values: Any, texts: Iterable[str]) -> bool:
    import pyarrow as pa

    return (
        pa.types.is_date(values.type)
        or pa.types.is_timestamp(values.type)
        or all(_DAY.match(text) for text in texts)
    )


def _days(values: Any, texts: list[str]) -> list[str] | None:
    return [text[:10] for text in texts] if texts and _is_dated(values, texts) else None
