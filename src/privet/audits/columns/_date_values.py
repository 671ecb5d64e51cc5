"""Dates in the ways people write them, and what their years say about them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MONTHS = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|january|february|march|april|june|july|august|september|sept|"
    "october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|"
    "juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    "septiembre|octubre|noviembre|diciembre"
)
_Y, _M, _D = r"(?P<y>1[89]\d\d|20\d\d)", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_TIME = r"(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp][Mm])?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?"
_FORMS = tuple(
    re.compile(form + _TIME, re.IGNORECASE)
    for form in (
        rf"{_Y}-{_M}-{_D}",
        rf"{_Y}[/.]{_M}[/.]{_D}",
        rf"{_D}[/.-]{_M}[/.-]{_Y}",
        rf"{_M}[/.-]{_D}[/.-]{_Y}",
        rf"{_D}\.? ?[ -]?(?:{_MONTHS})\.?,?[ -]{_Y}",
        rf"(?:{_MONTHS})\.? {_D}(?:st|nd|rd|th)?,? {_Y}",
        r"(?P<y>19\d\d|20\d\d)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])",
        rf"{_D}[/.-]{_M}[/.-](?P<s>\d\d)",
        rf"{_M}[/.-]{_D}[/.-](?P<s>\d\d)",
    )
)
_SPAN_OF_BIRTHS = 40  # years between the early and the late values of a column of births


def year_of(text: str) -> int | None:
    """The year of a date in any of the usual forms; two digits are read as 1930 to 2029. None if it is no date."""
    if not 6 <= len(text) <= 40:
        return None
    for form in _FORMS:
        found = form.fullmatch(text)
        if found:
            parts = found.groupdict()
            if parts.get("y"):
                return int(parts["y"])
            short = int(parts["s"])
            return 1900 + short if short >= 30 else 2000 + short
    return None


def are_births(years: Sequence[int]) -> bool:
    """Whether years spread like births and not like events: over generations, and within one lifetime.

    The clock is not asked: a register of events rarely reaches back forty years, one of people does.
    """
    if len(years) < 20:
        return False
    ordered = sorted(years)
    early, late = ordered[len(ordered) // 20], ordered[-1 - len(ordered) // 20]
    return late - early >= _SPAN_OF_BIRTHS and ordered[-1] - ordered[0] <= 125 and ordered[0] >= 1880
