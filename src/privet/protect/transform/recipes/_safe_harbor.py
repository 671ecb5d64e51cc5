"""HIPAA Safe Harbor, 45 CFR 164.514(b)(2)(i): which columns go, and what is left of ZIP codes, dates and ages.

- (A), (D) to (R): names, numbers, addresses and codes of people are removed;
- (B) places smaller than a state are removed; of a ZIP code the first three digits stay, or 000 where the area
  holds 20,000 people or fewer;
- (C) of a date the year stays; ages over 89, and years of birth that imply one, are pooled.

Whoever publishes must also not know of a way to identify somebody with what is left; no program can check that.
"""

from __future__ import annotations

import datetime
import enum
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.engine import ColumnKind
from privet.errors import BadRecipe
from privet.protect.transform.recipes._zip_areas import ZipAreas
from privet.source import Role, Table

if TYPE_CHECKING:
    import pyarrow as pa

OLDEST = 89
POOLED = f"{OLDEST + 1}+"
ELSEWHERE = "000"


class Harbor(enum.Enum):
    """What the rule does with a column."""

    REMOVE = "remove"
    ZIP = "zip"
    DATE = "date"
    BIRTH = "birth date"
    AGE = "age"
    KEEP = "keep"


_DONE = {
    Harbor.REMOVE: "removed",
    Harbor.ZIP: "first three digits; 000 for areas of 20,000 people or fewer",
    Harbor.DATE: "year only",
    Harbor.BIRTH: "year only; years that imply an age over 89 are pooled",
    Harbor.AGE: "ages over 89 pooled as 90+",
    Harbor.KEEP: "kept as it was",
}


@dataclass(frozen=True)
class ColumnRule:
    """One column under the rule: what is done, and how a batch of its values is changed."""

    column: str
    harbor: Harbor
    change: Callable[[pa.Array], pa.Array]

    @property
    def done(self) -> str:
        """In words."""
        return _DONE[self.harbor]


def safe_harbor(
    table: Table, kinds: Mapping[str, Harbor | str], *, areas: ZipAreas, today: datetime.date
) -> list[ColumnRule]:
    """A rule for every column of a table; refuses columns about which nothing was said.

    Args:
        table: the table; only its columns are looked at.
        kinds: what each column is to the rule: "remove", "zip", "date", "birth date", "age" or "keep".
        areas: the ZIP areas that are too small.
        today: against which ages are reckoned.
    """
    faults = [f"column {name!r} does not exist." for name in kinds if name not in table.columns]
    faults += [f"nothing is said about column {name!r}." for name in table.columns if name not in kinds]
    words = [one.value for one in Harbor]
    stated: dict[str, Harbor] = {}
    for name, kind in kinds.items():
        if isinstance(kind, Harbor) or kind in words:
            stated[name] = Harbor(kind)
        else:
            faults.append(f"column {name!r} is called something that the rule does not know.")
    faults += [
        f"column {name!r} names people and cannot be kept."
        for name, harbor in stated.items()
        if harbor is Harbor.KEEP and table.roles.get(name) is Role.DIRECT
    ]
    if faults:
        raise BadRecipe(" ".join(faults), f"Say of each column one of: {', '.join(words)}.", faults=faults)
    return [
        ColumnRule(name, stated[name], _change(stated[name], kind, areas, today))
        for name, kind in table.columns.items()
    ]


def _change(
    harbor: Harbor, kind: ColumnKind, areas: ZipAreas, today: datetime.date
) -> Callable[[pa.Array], pa.Array]:
    if harbor is Harbor.ZIP:
        return lambda values: _zip(values, areas)
    if harbor is Harbor.AGE:
        return _age
    if harbor is Harbor.DATE:
        return lambda values: _year(values, kind)
    if harbor is Harbor.BIRTH:
        return lambda values: _birth(_year(values, kind), today.year)
    return lambda values: values


def _each(values: pa.Array, change: Callable[[Any], str | None]) -> pa.Array:
    """Distinct values are changed once each."""
    import pyarrow as pa

    coded = values.dictionary_encode()
    changed = pa.array(
        [None if one is None else change(one) for one in coded.dictionary.to_pylist()], pa.string()
    )
    return changed.take(coded.indices)


def _zip(values: pa.Array, areas: ZipAreas) -> pa.Array:
    def first_three(value: Any) -> str | None:
        text = f"{value:05d}" if isinstance(value, int) else str(value).strip().partition("-")[0]
        if len(text) not in (3, 5) or not text.isascii() or not text.isdigit():
            return None  # not a ZIP code: nothing of it is known to be safe
        return ELSEWHERE if text[:3] in areas.sparse else text[:3]

    return _each(values, first_three)


def _age(values: pa.Array) -> pa.Array:
    def pooled(value: Any) -> str | None:
        try:
            years = float(str(value).strip())
        except ValueError:
            return None
        if math.isnan(years):
            return None  # how many a table writes that nobody knows
        return POOLED if years > OLDEST else f"{years:g}"

    return _each(values, pooled)


def _year(values: pa.Array, kind: ColumnKind) -> pa.Array:
    """The year of a date; of text and whole numbers the only four digits that can be one."""
    import re

    import pyarrow.compute as pc

    if kind in (ColumnKind.DATE, ColumnKind.TIMESTAMP):
        return _each(pc.year(values), lambda one: f"{one:04d}" if 0 <= one <= 9999 else None)
    year = re.compile(r"(?<!\d)(?:1[89]|20)\d\d(?!\d)")

    def only_year(value: Any) -> str | None:
        found = set(year.findall(str(value)))
        return found.pop() if len(found) == 1 else None

    return _each(values, only_year)


def _birth(years: pa.Array, this_year: int) -> pa.Array:
    oldest = this_year - OLDEST - 1
    return _each(years, lambda year: f"{oldest} or before" if int(year) <= oldest else str(year))
