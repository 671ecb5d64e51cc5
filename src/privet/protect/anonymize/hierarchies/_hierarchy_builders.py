"""Hierarchies made from a column's values: intervals, prefixes, calendars, category trees."""

from __future__ import annotations

import datetime
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from privet.errors import HierarchyUnmakeable
from privet.protect.anonymize.hierarchies._hierarchy import ANY, MISSING, Hierarchy, as_text


def intervals(column: str, values: Sequence[Any], widths: Sequence[float], *, start: float = 0) -> Hierarchy:
    """Intervals of fixed widths, each a whole multiple of the one before: 5, 10, 20.

    An interval is written `[20, 25[`: with its lower end and without its upper one.
    """
    numbers = _numbers(column, values)
    exact = [Fraction(str(width)) for width in widths]
    if not exact or any(width <= 0 for width in exact):
        raise HierarchyUnmakeable(f"widths for {column!r} must be above 0.", "Write widths=(5, 10, 20).")
    if any((wide / narrow).denominator > 1 or wide <= narrow for narrow, wide in itertools.pairwise(exact)):
        raise HierarchyUnmakeable(
            f"each width for {column!r} must be a whole multiple of the one before.",
            "Write widths=(5, 10, 20).",
        )
    origin = Fraction(str(start))

    def path(number: Fraction) -> list[str]:
        ends = [(origin + (number - origin) // width * width, width) for width in exact]
        return [_interval(low, low + width) for low, width in ends]

    return _climb(column, values, [None if number is None else path(number) for number in numbers])


def quantiles(
    column: str, values: Sequence[Any], counts: Sequence[int] | None = None, *, parts: Sequence[int] = (16, 4)
) -> Hierarchy:
    """Intervals with about the same number of rows each; numbers of parts fall, each dividing the one before."""
    if not parts or any(a % b or a <= b for a, b in itertools.pairwise(parts)) or min(parts) < 2:
        raise HierarchyUnmakeable(
            f"numbers of parts for {column!r} must fall, and divide each other.", "Write parts=(16, 4, 2)."
        )
    numbers = _numbers(column, values)
    known = [(number, _count(counts, at)) for at, number in enumerate(numbers) if number is not None]
    known.sort()
    rows = np.cumsum([count for _, count in known])
    total = int(rows[-1]) if len(rows) else 0
    places = {number: int((rows[at] - 1) * parts[0] // max(1, total)) for at, (number, _) in enumerate(known)}
    return _grouped(column, values, numbers, places, [parts[0] // part for part in parts])


def optimal_intervals(
    column: str,
    values: Sequence[Any],
    counts: Sequence[int] | None = None,
    *,
    least: int = 50,
    levels: int = 3,
) -> Hierarchy:
    """The narrowest intervals with at least so many rows each: least sum of width times rows, by dynamic programming.

    Each higher level joins two neighbours.
    """
    numbers = _numbers(column, values)
    known = sorted({number for number in numbers if number is not None})
    weight = dict.fromkeys(known, 0)
    for at, number in enumerate(numbers):
        if number is not None:
            weight[number] += _count(counts, at)
    if sum(weight.values()) < least:
        raise HierarchyUnmakeable(
            f"{column!r} has fewer rows than one interval needs.", "Ask for fewer rows in each."
        )
    cuts = _best_cuts(
        np.array([float(number) for number in known]), np.array([weight[n] for n in known]), least
    )
    places = {number: int(np.searchsorted(cuts, at, side="right")) for at, number in enumerate(known)}
    return _grouped(column, values, numbers, places, [2**level for level in range(levels)])


def _best_cuts(points: np.ndarray, rows: np.ndarray, least: int) -> np.ndarray:
    """Where intervals begin, the first left out: least total of (last - first) * rows, each with enough rows."""
    total = np.concatenate([[0], np.cumsum(rows)])
    best = np.full(len(points) + 1, np.inf)
    best[0] = 0
    previous = np.zeros(len(points) + 1, int)
    for end in range(1, len(points) + 1):
        begins = np.flatnonzero(total[end] - total[:end] >= least)
        if not len(begins):
            continue
        # A cut for its own sake is no gain, so that equal costs keep intervals together.
        cost = best[begins] + (points[end - 1] - points[begins] + 1e-9) * (total[end] - total[begins])
        at = int(np.argmin(cost))
        best[end], previous[end] = cost[at], begins[at]
    cuts, end = [], len(points)
    while end:
        end = int(previous[end])
        cuts.append(end)
    return np.array(sorted(cuts)[1:], int)


def prefixes(column: str, values: Sequence[Any], keep: Sequence[int] | None = None) -> Hierarchy:
    """Texts cut from the right and filled with `*`: 02139, 0213*, 021**. `keep` says how many characters stay."""
    texts = [as_text(value) for value in values]
    longest = max((len(text) for text in texts), default=0)
    lengths = list(keep) if keep is not None else list(range(longest - 1, 0, -1))
    if any(a <= b for a, b in itertools.pairwise(lengths)) or any(n < 1 for n in lengths):
        raise HierarchyUnmakeable(
            f"kept lengths for {column!r} must fall, down to 1.", "Write keep=(4, 3, 2)."
        )
    paths = [
        None if text == MISSING else [text[:n] + "*" * max(0, longest - n) for n in lengths] for text in texts
    ]
    return _climb(column, values, paths)


def calendar(column: str, values: Sequence[Any]) -> Hierarchy:
    """Day, month, quarter, year, decade. Values are dates, times, or texts that begin with YYYY-MM-DD."""
    days = [_day(value) for value in values]
    _refuse(column, "a date", [at for at, day in enumerate(days) if isinstance(day, str)])
    return _climb(column, values, [_calendar_path(day) for day in days])


def _calendar_path(day: datetime.date | str | None) -> list[str] | None:
    if day is None or isinstance(day, str):
        return None
    quarter = (day.month - 1) // 3 + 1
    decade = day.year // 10 * 10
    month = f"{day.year:04d}-{day.month:02d}"
    return [day.isoformat(), month, f"{day.year:04d}-Q{quarter}", f"{day.year:04d}", f"{decade:04d}s"]


def _day(value: Any) -> datetime.date | str | None:
    """A date, None for a missing value, or a text where it is neither."""
    if value is None or value == MISSING:
        return None
    if isinstance(value, datetime.datetime):
        return value.date()
    if isinstance(value, datetime.date):
        return value
    try:
        return datetime.date.fromisoformat(str(value)[:10])
    except ValueError:
        return ""


def categories(
    column: str, values: Sequence[Any], groups: Mapping[str, str], *more: Mapping[str, str]
) -> Hierarchy:
    """A category tree from mappings: value to group, then group to wider group, and so on."""
    texts = [as_text(value) for value in values]
    paths: list[list[str]] = []
    lacking = []
    for at, text in enumerate(texts):
        path, here = [], text
        for mapping in (groups, *more):
            if here not in mapping:
                lacking.append(at)
                break
            here = mapping[here]
            path.append(here)
        paths.append(path)
    _refuse(column, "in the mapping", lacking)
    return Hierarchy.from_paths(column, [(text, *path, ANY) for text, path in zip(texts, paths, strict=True)])


def by_frequency(
    column: str, values: Sequence[Any], counts: Sequence[int], *, shares: Sequence[float] = (0.01, 0.05)
) -> Hierarchy:
    """Rare values become `other`: on each level those with a smaller share of rows than stated there."""
    if (
        not shares
        or any(a >= b for a, b in itertools.pairwise(shares))
        or not 0 < shares[0] <= shares[-1] < 1
    ):
        raise HierarchyUnmakeable(
            f"shares for {column!r} must rise between 0 and 1.", "Write shares=(0.01, 0.05)."
        )
    texts = [as_text(value) for value in values]
    total = max(1, sum(counts))
    paths = [
        (text, *["other" if count < share * total else text for share in shares], ANY)
        for text, count in zip(texts, counts, strict=True)
    ]
    return Hierarchy.from_paths(column, paths)


def suggest(column: str, values: Sequence[Any], counts: Sequence[int]) -> Hierarchy:
    """A hierarchy to start from, by what the values look like.

    A calendar for dates, prefixes for codes of one length, intervals for numbers; otherwise rare values go together.
    """
    present = [value for value in values if as_text(value) != MISSING]
    if present and not any(isinstance(_day(value), str) for value in present):
        return calendar(column, values)
    texts = [as_text(value) for value in present]
    if len({len(text) for text in texts}) == 1 and 4 <= len(texts[0]) <= 12 and _codes(texts):
        return prefixes(column, values)
    numbers = [_number(text) for text in texts]
    if texts and all(number is not None for number in numbers):
        known = [number for number in numbers if number is not None]
        step = _step(float(max(known) - min(known)))
        return intervals(column, values, (step, 2 * step, 4 * step))
    return by_frequency(column, values, counts)


def _codes(texts: Sequence[str]) -> bool:
    """Whether texts look like postal codes and the like: digits with a leading zero somewhere, or mixed with letters."""
    digits = [text.isdigit() for text in texts]
    return (
        any(text.startswith("0") for text in texts)
        if all(digits)
        else any(any(c.isdigit() for c in text) and any(c.isalpha() for c in text) for text in texts)
    )


def _step(span: float) -> float:
    """A round width that makes about sixteen intervals: 1, 2 or 5 times a power of ten."""
    if span <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / 16)) if span > 16 else 1.0
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor * 16 >= span)


# --- shared by several kinds -------------------------------------------------------------------


def _count(counts: Sequence[int] | None, at: int) -> int:
    return 1 if counts is None else int(counts[at])


def _number(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _numbers(column: str, values: Sequence[Any]) -> list[Fraction | None]:
    """Each value as an exact number; None for missing ones."""
    texts = [as_text(value) for value in values]
    numbers = [None if text == MISSING else _number(text) for text in texts]
    _refuse(
        column,
        "a number",
        [at for at, number in enumerate(numbers) if number is None and texts[at] != MISSING],
    )
    return numbers


def _refuse(column: str, what: str, lacking: Sequence[int]) -> None:
    if lacking:
        shown = ", ".join(str(at + 1) for at in lacking[:20])
        more = f" and {len(lacking) - 20} more" if len(lacking) > 20 else ""
        raise HierarchyUnmakeable(
            f"{len(lacking)} values of {column!r} are not {what} (number {shown}{more}).",
            "Clean the values, or make another kind of hierarchy.",
            values=len(lacking),
        )


def _interval(low: Fraction, high: Fraction) -> str:
    return f"[{_plain(low)}, {_plain(high)}["


def _plain(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else str(float(number))


def _climb(column: str, values: Sequence[Any], paths: Sequence[list[str] | None]) -> Hierarchy:
    """Values with their paths and a root; a missing value stays by itself up to the root."""
    height = max((len(path) for path in paths if path is not None), default=0)
    full = [
        (as_text(value), *([MISSING] * height if path is None else path), ANY)
        for value, path in zip(values, paths, strict=True)
    ]
    if (
        full
        and height
        and all(path is None or path[0] == row[0] for row, path in zip(full, paths, strict=True))
    ):
        full = [(row[0], *row[2:]) for row in full]  # the first level says nothing new
    return Hierarchy.from_paths(column, full)


def _grouped(
    column: str,
    values: Sequence[Any],
    numbers: Sequence[Fraction | None],
    places: Mapping[Fraction, int],
    joins: Sequence[int],
) -> Hierarchy:
    """Closed ranges of the numbers that share a place, then of so many neighbouring places at a time."""
    label: Callable[[Fraction, Fraction], str] = lambda low, high: f"[{_plain(low)}, {_plain(high)}]"  # noqa: E731
    ranges: list[dict[int, str]] = []
    for join in joins:
        members: dict[int, list[Fraction]] = {}
        for number, place in places.items():
            members.setdefault(place // join, []).append(number)
        ranges.append({group: label(min(found), max(found)) for group, found in members.items()})
    paths = [
        None
        if number is None
        else [found[places[number] // join] for found, join in zip(ranges, joins, strict=True)]
        for number in numbers
    ]
    return _climb(column, values, paths)
