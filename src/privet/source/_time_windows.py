"""Time windows: groups by year, quarter, month, week, day or hour, and the public span they lie in.

    table.group_by(pv.window("arrived", "month", first="2026-01-01", last="2026-12-31")).agg(n=pv.count())

Which months have visits is itself a fact about people. With a span, stated here or in the table's bounds, every
window in it is shown, whether anybody was there or not, and costs nothing; rows outside it are left out.
Without one the windows are unknown keys, which must pass a threshold.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from privet.engine import DATE_UNITS, TIME_UNITS, ColumnKind
from privet.errors import BadBounds, BadQuery, checked
from privet.source._key_sets import KeySet
from privet.source._public_ranges import Origin, origin_of, origin_sentence, replace_origin

MOST_WINDOWS = 1_000_000
UNITS = (*DATE_UNITS, *TIME_UNITS)
Day: TypeAlias = datetime.date | datetime.datetime | str


@dataclass(frozen=True, slots=True)
class Span:
    """The public first and last day (or moment) of a column, known without looking at the data."""

    first: datetime.datetime
    last: datetime.datetime
    origin: Origin
    why: str

    def __init__(self, first: Day, last: Day, origin: Origin | str = Origin.STATED, why: str = "") -> None:
        begin, end = _moment(first, at_end=False), _moment(last, at_end=True)
        if begin > end:
            raise BadBounds(
                "the first day must not lie after the last.", 'Write ("2026-01-01", "2026-12-31").'
            )
        object.__setattr__(self, "first", begin)
        object.__setattr__(self, "last", end)
        object.__setattr__(self, "origin", origin_of(origin))
        object.__setattr__(self, "why", why)

    @classmethod
    def of(cls, given: Any) -> Span:
        """A span as it is, or a pair of days stated by the caller."""
        if isinstance(given, Span):
            return given
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise BadBounds("a span is a pair of days.", 'Write ("2026-01-01", "2026-12-31").')
        return cls(given[0], given[1])

    @property
    def is_public(self) -> bool:
        """Whether a query may use it."""
        return self.origin is not Origin.DATA

    def confirmed(self, why: str) -> Span:
        """The same span, made public by a person's decision; `why` is kept beside it."""
        return replace_origin(self, why)

    def origin_sentence(self) -> str:
        """Where it comes from, in plain words."""
        return origin_sentence(self.origin, self.why)

    def __str__(self) -> str:
        return f"{self.first:%Y-%m-%d} to {self.last:%Y-%m-%d}"

    @checked
    def windows(self, unit: str, kind: ColumnKind) -> KeySet:
        """The start of every window of the span, as public keys of a truncated column."""
        starts = [moment.date() if kind is ColumnKind.DATE else moment for moment in _starts(self, unit)]
        return KeySet(starts, self.origin, self.why or f"every {unit} from {self}")


@dataclass(frozen=True, slots=True)
class Window:
    """A column of dates or timestamps, cut into windows. Made by `window`."""

    column: str
    unit: str
    span: Span | None
    name: str

    def keys(self, kind: ColumnKind, known: Span | None) -> KeySet | None:
        """The windows that will be shown, if they are public."""
        span = self.span or known
        return None if span is None else span.windows(self.unit, kind)


@checked
def window(
    column: str, unit: str, *, first: Day | None = None, last: Day | None = None, name: str | None = None
) -> Window:
    """Windows of a column to group by: "year", "quarter", "month", "week", "day", "hour", "minute", "second".

    The answer's column is called `<column>_<unit>` unless `name` says otherwise, and holds the start of each
    window. `first` and `last` state the public span; left out, the table's own is used, if it has one.
    """
    if not column:
        raise BadQuery("a window names a column.", 'Write window("arrived", "month").')
    if unit not in UNITS:
        raise BadQuery(f"there are no windows of a {unit!r}.", f"Use one of {', '.join(UNITS)}.")
    if (first is None) != (last is None):
        raise BadQuery("a span has a first and a last day.", "State both, or neither.")
    span = None if first is None or last is None else Span(first, last)
    return Window(column, unit, span, name or f"{column}_{unit}")


def truncated(moment: datetime.datetime, unit: str) -> datetime.datetime:
    """The start of the window that a moment lies in; weeks start on Monday."""
    if unit in TIME_UNITS:
        later = TIME_UNITS[TIME_UNITS.index(unit) + 1 :]
        return moment.replace(microsecond=0, **dict.fromkeys(later, 0))  # type: ignore[arg-type]
    day = moment.date()
    if unit == "week":
        day -= datetime.timedelta(days=day.weekday())
    elif unit != "day":
        month = {"year": 1, "quarter": day.month - (day.month - 1) % 3, "month": day.month}[unit]
        day = day.replace(month=month, day=1)
    return datetime.datetime.combine(day, datetime.time())


def _starts(span: Span, unit: str) -> Iterator[datetime.datetime]:
    at = truncated(span.first, unit)
    for _ in range(MOST_WINDOWS):
        yield at
        following = _after(at, unit)
        if following is None or following > span.last:
            return
        at = following
    raise BadBounds(f"the span has more than {MOST_WINDOWS:,} windows.", "Use longer windows.")


def _after(start: datetime.datetime, unit: str) -> datetime.datetime | None:
    """The start of the next window; None past the calendar's end."""
    try:
        if unit in ("year", "quarter", "month"):
            months = start.year * 12 + start.month - 1 + {"year": 12, "quarter": 3, "month": 1}[unit]
            return start.replace(year=months // 12, month=months % 12 + 1)
        return start + datetime.timedelta(**{f"{unit}s": 1})
    except (ValueError, OverflowError):
        return None


def _moment(given: Day, *, at_end: bool) -> datetime.datetime:
    wrong = BadBounds("a span's ends are days.", 'Write ("2026-01-01", "2026-12-31").')
    if isinstance(given, str):
        try:
            given = (
                datetime.date.fromisoformat(given)
                if len(given) == 10
                else datetime.datetime.fromisoformat(given)
            )
        except ValueError:
            raise wrong from None
    if isinstance(given, datetime.datetime):
        if given.tzinfo is not None:
            raise BadBounds("a span has no time zone.", "Leave it out.")
        return given
    if not isinstance(given, datetime.date):
        raise wrong
    return datetime.datetime.combine(given, datetime.time.max if at_end else datetime.time.min)
