"""Dates shifted by a number of days of each person's own.

All dates of a person move together, so intervals within a person stay exact; between persons they say little. The
shift is drawn from the key, the data set and the person by HMAC, so it is the same in every table of a project, and
nobody without the key can undo it. It is never zero.

A date that everybody knows undoes it: a placeholder such as 9999-12-31, shifted, shows the shift. Dates before 1850
and after 2150 are therefore made missing.

Moments with a time zone move on the clock of one stated zone: the time of day stays, also where summer time begins or
ends in between. Moved by 24 hours a day, a clinic that opens at eight would open at seven, and show which shifts
cross that day.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from privet.engine import ColumnKind, Relation, settled, with_columns
from privet.errors import BadTransform
from privet.protect.transform._rewritten_table import (
    Rewritten,
    by_value,
    checked_columns,
    column_of,
    rewritten,
    schema_of,
)
from privet.protect.transform.pseudonyms import KeyRing, KeyScope, digest, subkey, worded
from privet.source import Table

FIRST_YEAR, LAST_YEAR = 1850, 2150
_PERSON = (ColumnKind.TEXT, ColumnKind.INTEGER)


def shift_dates(
    table: Table,
    columns: Sequence[str],
    *,
    person: str,
    keys: KeyRing,
    dataset: str,
    max_days: int,
    domain: str | None = None,
    zone: str | None = None,
) -> Rewritten:
    """Dates and timestamps moved by 1 to `max_days` days back or forth, the same for all of a person's.

    Rows without a person lose their date. `domain` is the person column's name if left out. `zone` ("Europe/Berlin")
    is the place whose clock and calendar moments with a time zone are moved on; such columns are held in memory.
    """
    names = checked_columns(table, columns, ColumnKind.DATE, ColumnKind.TIMESTAMP)
    column_of(table, person, *_PERSON)
    zoned = [name for name in names if getattr(schema_of(table).field(name).type, "tz", None)]
    place = _place(zone, zoned)
    if not 1 <= max_days <= 36_500:
        raise BadTransform(
            "dates are shifted by at least a day and at most a century.", "Write max_days=180."
        )
    secret = subkey(keys.current, "date shift", KeyScope(dataset, domain or person))
    lost = [0]

    def moved(people: list[Any], dates: list[Any]) -> list[Any]:
        shifts = {one: _shift(secret, worded(one), max_days) for one in set(people)}
        found = [_moved(date, shifts[one]) for one, date in zip(people, dates, strict=True)]
        lost[0] += sum(date is None for date in found)
        return found

    done = {}
    current = table
    for name in names:
        if name in zoned:
            relation = _on_the_clock(current, name, person, place, moved)
        else:
            relation = by_value(current, name, moved, current.columns[name], beside=[person])
        done[name] = (
            f"shifted by up to {max_days} days, the same for all dates of a person (key {keys.current.id})"
        )
        current = rewritten(current, relation, {name: done[name]}).table
    return Rewritten(current, done, {"dates_out_of_range": lost[0]})


def _place(zone: str | None, zoned: list[str]) -> ZoneInfo:
    """The zone whose days count; it must be said where a column has moments."""
    if zone is None and zoned:
        raise BadTransform(
            f"{', '.join(repr(name) for name in zoned)} holds timestamps with a time zone.",
            "Say on which clock they are moved: zone='Europe/Berlin'.",
        )
    try:
        return ZoneInfo(zone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        raise BadTransform("there is no such time zone.", "Write zone='Europe/Berlin'.") from None


def _on_the_clock(
    table: Table, column: str, person: str, place: ZoneInfo, moved: Callable[..., list[Any]]
) -> Relation:
    """A column of moments moved in memory, row by row: days of a zone are not the engine's."""
    import pyarrow as pa

    arrow = settled(table.relation)
    kind = arrow.schema.field(column).type
    people, moments = arrow[person].to_pylist(), arrow[column].to_pylist()
    there = [at for at, one in enumerate(people) if one is not None and moments[at] is not None]
    # Without their zone, so that a day more is the same time of day.
    local = [moments[at].astimezone(place).replace(tzinfo=None, fold=0) for at in there]
    found: list[Any] = [None] * len(people)
    for at, moment in zip(there, moved([people[at] for at in there], local), strict=True):
        found[at] = None if moment is None else moment.replace(tzinfo=place).astimezone(datetime.UTC)
    return with_columns(arrow, {column: pa.array(found, kind)})


def _shift(secret: bytes, person: str, max_days: int) -> datetime.timedelta:
    # 128 bits over at most 73,000 shifts: the unevenness of the remainder is below 2^-110.
    at = int.from_bytes(digest(secret, person), "big") % (2 * max_days)
    return datetime.timedelta(days=at - max_days if at < max_days else at - max_days + 1)


def _moved(date: Any, by: datetime.timedelta) -> Any:
    return date + by if FIRST_YEAR <= date.year <= LAST_YEAR else None
