"""A trend over days as plain SVG: one line for each value, with the interval of every day."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from privet.artifact import ReleasedAnswer
from privet.report._chart import Plot, cut, dot, legend, line, path, picture, short, text, ticks

_PLOT = Plot(width=720, height=380, left=70, right=48, top=16, bottom=92)
# Told apart by colour and by the dashes, so that they can be told apart in black and white as well.
_LINES = (
    ("#2f7d4f", ""), ("#1f5fa8", "7 4"), ("#b4541a", "2 3"), ("#7a3f8f", "10 3 2 3"), ("#5b5b5b", "4 2"), ("#a3194d", "1 4"),
)  # fmt: skip
MOST = len(_LINES)
Day = tuple[datetime.date, float, float, float]  # with the share and the ends of its interval


def days_of(trend: ReleasedAnswer) -> dict[object, list[Day]]:
    """The days of each value, in order; rows without a day hold the slope."""
    found: dict[object, list[Day]] = {}
    column = trend.answers[0]
    rows = zip(trend.keys["value"], trend.keys["day"], column.values, column.low, column.high, strict=True)
    for value, day, share, low, high in rows:
        if isinstance(day, datetime.date) and share is not None and low is not None and high is not None:
            found.setdefault(value, []).append((day, float(share), float(low), float(high)))
    return {value: sorted(days) for value, days in found.items()}


def trend_figure(trend: ReleasedAnswer) -> str:
    """The values with the largest shares, day by day."""
    every = days_of(trend)
    shown = sorted(every, key=lambda value: -max(day[1] for day in every[value]))[:MOST]
    lines = [every[value] for value in shown]
    known = [day for days in lines for day in days]
    ends = [end for day in known for end in day[2:]]
    low, high = min(0.0, *ends), max(*ends, 1e-9)
    first, last = min(day[0] for day in known), max(day[0] for day in known)
    across = _PLOT.x(first.toordinal(), max(last.toordinal(), first.toordinal() + 1))
    up = _PLOT.y(low, high)
    marks = [(at, f"{100 * at:.4g} %") for at in ticks(low, high)]
    dates = _some(sorted({day[0] for day in known}))
    parts = [
        _PLOT.y_ticks(up, marks),
        _PLOT.x_ticks(across, [(day.toordinal(), day.isoformat()) for day in dates], grid=False),
    ]
    for (colour, dashes), days in zip(_LINES, lines, strict=False):
        places = [(across(day.toordinal()), up(share)) for day, share, _, _ in days]
        bars = "".join(
            f"M{short(across(day.toordinal()))} {short(up(least))}V{short(up(most))}"
            for day, _, least, most in days
        )
        parts += [
            path(bars, stroke=colour, opacity=".45", fill="none"),
            line(places, stroke=colour, stroke_dasharray=dashes, fill="none", stroke_width=2),
            *(dot(x, y, 3, fill=colour) for x, y in places),
        ]
    entries = [
        (path("M-12 0H12", stroke=colour, stroke_dasharray=dashes, stroke_width=2), cut(str(value), 24))
        for (colour, dashes), value in zip(_LINES, shown, strict=False)
    ]
    places = [(_PLOT.left + 14 + 215 * (at % 3), _PLOT.y_end + 42 + 20 * (at // 3)) for at in range(MOST)]
    parts.append(legend(entries, places, gap=20))
    if len(every) > len(shown):
        parts.append(
            text(_PLOT.left, _PLOT.height - 4, f"{len(every) - len(shown):,} more values in the table")
        )
    said = "Estimated shares by day with their intervals; the same numbers stand in the table below."
    return picture(_PLOT.width, _PLOT.height, "Shares over days", said, parts)


def _some(days: Sequence[datetime.date]) -> list[datetime.date]:
    """At most seven days for the axis, the first and the last among them."""
    step = max(1, -(-(len(days) - 1) // 6))
    return [*days[:-1:step], days[-1]]
