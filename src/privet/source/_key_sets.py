"""Public keys: the groups that an answer will show, whether anybody is in them or not.

Which groups exist is itself a fact about people: a rare diagnosis that appears in a table says that somebody
has it. Groups named beforehand, from knowledge that is not this data, cost nothing; others must pass a
threshold. Keys that were read off the data are marked, and no query takes them until somebody confirms them.
"""

from __future__ import annotations

import datetime
import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.engine import ColumnKind
from privet.errors import BadKeySet, checked
from privet.source._public_ranges import Holder, Origin, origin_of, origin_sentence, replace_origin

if TYPE_CHECKING:
    import pyarrow as pa

MOST_KEYS = 5_000_000
Key = bool | int | float | str | datetime.date | datetime.datetime | None


@dataclass(frozen=True, slots=True)
class KeySet:
    """The public keys of one column, or of several columns together (`values` then holds tuples).

    Order is kept: answers come in it. `None` stands for missing values, which count only if listed.
    """

    values: tuple[tuple[Key, ...], ...]
    origin: Origin
    why: str

    def __init__(self, values: Iterable[Any], origin: Origin | str = Origin.STATED, why: str = "") -> None:
        rows = tuple(_row(value) for value in _listed(values))
        widths = {len(row) for row in rows}
        if not rows:
            raise BadKeySet("a key set needs at least one key.", 'Write keys={"ward": ["ICU", "Surgery"]}.')
        if len(widths) != 1 or 0 in widths:
            raise BadKeySet("the keys of a set must all have as many parts.", "Give tuples of one length.")
        if len(set(map(_identity, rows))) != len(rows):
            raise BadKeySet("a key set names a key twice.", "Name every key once.")
        object.__setattr__(self, "values", rows)
        object.__setattr__(self, "origin", origin_of(origin))
        object.__setattr__(self, "why", why)

    @classmethod
    def of(cls, given: KeySet | Iterable[Any]) -> KeySet:
        """A key set as it is, or values stated by the caller."""
        return given if isinstance(given, KeySet) else cls(given)

    @classmethod
    @checked
    def from_file(cls, path: str | Path, *columns: str, why: str = "") -> KeySet:
        """The keys listed in a *public* file (CSV, Parquet, …), in its order, repeated ones once."""
        from privet.engine import listed, open_file

        relation = open_file(path)
        rows = listed(relation, columns or tuple(relation.columns), MOST_KEYS)
        return cls(rows, Origin.STATED, why or f"listed in {Path(path).name}")

    @classmethod
    @checked
    def read_off(cls, table: Holder, *columns: str) -> KeySet:
        """The keys that occur in the data: for the owner's eyes, and refused by every query until confirmed."""
        from privet.engine import occurring

        return cls(occurring(table.relation, columns, MOST_KEYS), Origin.DATA)

    @property
    def width(self) -> int:
        """How many columns the keys have."""
        return len(self.values[0])

    def __len__(self) -> int:
        return len(self.values)

    @property
    def is_public(self) -> bool:
        """Whether a query may use them."""
        return self.origin is not Origin.DATA

    def confirmed(self, why: str) -> KeySet:
        """The same keys, made public by a person's decision; `why` is kept beside them."""
        return replace_origin(self, why)

    def origin_sentence(self) -> str:
        """Where they come from, in plain words."""
        return origin_sentence(self.origin, self.why)

    @checked
    def fitted(self, kinds: Sequence[ColumnKind]) -> KeySet:
        """The keys in the columns' kinds: text is read as a number, date or truth value where the column is one."""
        if self.width != len(kinds):
            raise BadKeySet(
                f"the keys have {self.width} parts and the columns are {len(kinds)}.", "Give tuples as wide."
            )
        rows = [tuple(_fit(part, kind) for part, kind in zip(row, kinds, strict=True)) for row in self.values]
        return KeySet(rows, self.origin, self.why)

    def digest(self) -> str:
        """A short, stable name of exactly these keys in this order. They are public, so it may be too."""
        text = json.dumps([[repr(part) for part in row] for row in self.values])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def crossed(columns: Sequence[str], sets: Mapping[tuple[str, ...], KeySet]) -> list[tuple[Key, ...]] | None:
    """All combinations of the columns' keys in the columns' order, or None if a column has no public keys."""
    chosen, left = [], list(columns)
    for names, keys in sorted(sets.items(), key=lambda item: -len(item[0])):
        if all(name in left for name in names):
            chosen.append((names, keys))
            left = [name for name in left if name not in names]
    if left:
        return None
    chosen.sort(key=lambda item: min(columns.index(name) for name in item[0]))
    if math.prod(len(keys) for _, keys in chosen) > MOST_KEYS:
        raise BadKeySet(
            f"the columns' keys make more than {MOST_KEYS:,} combinations.",
            "Group by fewer columns, or list pairs.",
        )
    order = [name for names, _ in chosen for name in names]
    places = [order.index(name) for name in columns]
    product = itertools.product(*(keys.values for _, keys in chosen))
    return [
        tuple(row[place] for place in places) for row in (tuple(itertools.chain(*parts)) for parts in product)
    ]


def as_arrow(
    columns: Sequence[str], kinds: Sequence[ColumnKind], rows: Sequence[tuple[Key, ...]]
) -> pa.Table:
    """Keys as a table, in the types of their kinds."""
    import pyarrow as pa

    types = {
        ColumnKind.INTEGER: pa.int64(),
        ColumnKind.REAL: pa.float64(),
        ColumnKind.TEXT: pa.string(),
        ColumnKind.BOOLEAN: pa.bool_(),
        ColumnKind.DATE: pa.date32(),
        ColumnKind.TIMESTAMP: pa.timestamp("us"),
    }
    return pa.table(
        {
            name: pa.array([row[place] for row in rows], types[kind])
            for place, (name, kind) in enumerate(zip(columns, kinds, strict=True))
        }
    )


def _listed(values: Iterable[Any]) -> Iterable[Any]:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise BadKeySet("a key set is a list of keys.", 'Write keys={"ward": ["ICU", "Surgery"]}.')
    return values


def _row(value: Any) -> tuple[Key, ...]:
    parts = tuple(value) if isinstance(value, tuple) else (value,)
    for part in parts:
        if part is not None and not isinstance(part, bool | int | float | str | datetime.date):
            raise BadKeySet(
                f"a key cannot be a {type(part).__name__}.", "Use text, numbers, truth values, dates or None."
            )
        if isinstance(part, float) and not math.isfinite(part):
            raise BadKeySet("a key must be a finite number.", "Use None for missing values.")
    return parts


def _identity(row: tuple[Key, ...]) -> tuple[tuple[str, Key], ...]:
    """What makes two keys equal: 1 and 1.0 are, 1 and True are not."""
    return tuple(("truth" if isinstance(part, bool) else "", part) for part in row)


def _fit(part: Key, kind: ColumnKind) -> Key:
    """One key in a column's kind; refuses what that column cannot hold."""
    if part is None:
        return None
    readers: dict[ColumnKind, Any] = {
        ColumnKind.INTEGER: _whole,
        ColumnKind.REAL: lambda text: float(text) if not isinstance(text, bool) else _no(),
        ColumnKind.TEXT: _text,
        ColumnKind.BOOLEAN: _truth,
        ColumnKind.DATE: lambda day: datetime.date.fromisoformat(day) if isinstance(day, str) else _day(day),
        ColumnKind.TIMESTAMP: lambda at: (
            datetime.datetime.fromisoformat(at) if isinstance(at, str) else _moment(at)
        ),
    }
    try:
        fitted: Key = readers[kind](part)
    except (ValueError, TypeError, KeyError, OverflowError):
        pass
    else:
        return fitted
    raise BadKeySet(f"a key does not fit a column of {kind.value}s.", "Give keys of the column's own type.")


def _no() -> Key:
    raise ValueError


def _whole(part: Any) -> int:
    if isinstance(part, bool) or (isinstance(part, float) and not part.is_integer()):
        raise ValueError
    number = int(part)
    if not -(2**63) <= number < 2**63:
        raise ValueError
    return number


def _text(part: Any) -> str:
    if not isinstance(part, str):
        raise TypeError
    part.encode()  # a lone surrogate is no text that a column could hold
    return part


def _truth(part: Any) -> bool:
    words = {"true": True, "false": False}
    return part if isinstance(part, bool) else words[str(part).lower()]


def _day(part: Any) -> datetime.date:
    if isinstance(part, datetime.date) and not isinstance(part, datetime.datetime):
        return part
    raise ValueError


def _moment(part: Any) -> datetime.datetime:
    if isinstance(part, datetime.datetime):
        return part
    raise ValueError
