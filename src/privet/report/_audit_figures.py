"""The pictures of an audit as plain SVG: no script, the same to the byte each time, readable without colour.

Each takes numbers and names of columns only, so no value of the data can be in a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from privet.report._chart import Plot, cut, dot, line, mark, picture, rect, short, text

_WIDTH = 720
_SECOND = "#b4552d"


def histogram(bars: Sequence[tuple[str, int, int]], *, title: str) -> str:
    """People by the size of their class: a label, the people and the classes of each bar. Small classes stand out."""
    plot = Plot(_WIDTH, 260, left=56, right=16, top=16, bottom=56)
    most = max((people for _, people, _ in bars), default=0) or 1
    scale, room = plot.y(0, most), (plot.x_end - plot.left) / max(1, len(bars))
    parts = [plot.y_ticks(scale, [(most * share, _number(most * share)) for share in (0, 0.5, 1)])]
    for place, (label, people, _) in enumerate(bars):
        x, y = plot.left + (place + 0.5) * room, scale(people)
        kind = "risky" if place < 3 else "calm"
        parts.append(rect(x - room / 2 + 4, y, room - 8, plot.y_end - y, kind=kind, rx=2))
        parts.append(text(x, y - 4, _number(people), anchor="middle", kind="small") if people else "")
        parts.append(text(x, plot.y_end + 18, label, anchor="middle"))
    parts.append(plot.axis_names("people who look alike (size of the class)"))
    said = "; ".join(f"size {label}: {people:,} people" for label, people, _ in bars)
    return picture(_WIDTH, plot.height, title, said, parts)


def curve(points: Sequence[tuple[int, float, float, float, float | None]], *, title: str) -> str:
    """Shares by number of known attributes: (number, mean, low, high, best set or None). A band shows the interval."""
    plot = Plot(_WIDTH, 290, left=56, right=130, top=34, bottom=52)
    first, last = points[0][0], points[-1][0]
    x, y = plot.x(first, max(last, first + 1)), plot.y(0, 1)
    lines = [("line", [(n, mean) for n, mean, *_ in points], "any attributes")]
    if all(best is not None for *_, best in points):
        lines.append(("line second", [(n, best or 0.0) for n, *_, best in points], "the best chosen"))
    band = [(n, high) for n, _, _, high, _ in points] + [(n, low) for n, _, low, _, _ in reversed(points)]
    parts = [
        plot.y_ticks(y, [(share, f"{share:.0%}") for share in (0, 0.25, 0.5, 0.75, 1)]),
        mark(
            "polygon", kind="band", points=" ".join(f"{short(x(n))},{short(y(share))}" for n, share in band)
        ),
    ]
    for style, values, label in lines:
        parts.append(line([(x(n), y(share)) for n, share in values], kind=style))
        parts += [dot(x(n), y(share), 4, kind=f"dot {style}") for n, share in values]
        place = y(values[-1][1]) + 4
        if style != "line" and abs(place - y(points[-1][1]) - 4) < 16:
            place -= 16
        parts.append(text(x(last) + 10, place, label))
    parts.append(plot.x_ticks(x, [(number, str(number)) for number, *_ in points], grid=False))
    parts.append(plot.axis_names("attributes that the attacker knows"))
    said = "; ".join(
        f"{number}: {mean:.1%} on average" + ("" if best is None else f", {best:.1%} at most")
        for number, mean, _, _, best in points
    )
    return picture(_WIDTH, plot.height, title, said, parts)


def bars(rows: Sequence[tuple[str, float]], *, title: str) -> str:
    """Horizontal bars for shares between 0 and 1."""
    row, left = 26, 250
    wide = _WIDTH - left - 70
    parts = []
    for place, (label, share) in enumerate(rows):
        y = place * row + 4
        parts += [
            text(left - 10, y + 14, cut(label, 38), anchor="end"),
            rect(left, y, wide, 18, kind="track", rx=2),
            rect(left, y, wide * share, 18, kind="risky" if share >= 0.2 else "calm", rx=2),
            text(left + wide + 8, y + 14, _percent(share)),
        ]
    said = "; ".join(f"{label}: {share:.1%}" for label, share in rows)
    return picture(_WIDTH, row * len(rows) + 8, title, said, parts)


def heat_map(names: Sequence[str], shares: Sequence[Sequence[float | None]], *, title: str) -> str:
    """A square of shares: column against column; the darker, the more pairs of people the two tell apart."""
    cell = max(22, min(54, 480 // max(1, len(names))))
    left, top = 150, 24 + 7 * max((min(len(name), 16) for name in names), default=1)
    width, height = left + cell * len(names) + 16, top + cell * len(names) + 8
    parts = []
    for at, name in enumerate(names):
        x, y = left + at * cell + cell / 2, top + at * cell + cell / 2
        turned = f"translate({short(x + 4)} {top - 8}) rotate(-60)"
        parts.append(text(left - 8, y + 4, cut(name, 20), anchor="end"))
        parts.append(text(0, 0, cut(name, 16), transform=turned))
        for other, share in enumerate(shares[at]):
            if share is not None:
                parts += _cell(left + other * cell, top + at * cell, cell, share)
    return picture(max(width, 420), height, title, "The numbers stand in the table beside it.", parts)


def _cell(x: float, y: float, size: float, share: float) -> list[str]:
    dark = _contrast(share)
    opacity = f"{0.06 + 0.94 * dark:.3f}"
    box = rect(x + 1, y + 1, size - 2, size - 2, rx=2, fill=_SECOND, fill_opacity=opacity)
    if size < 34:
        return [box]
    kind = "light" if dark > 0.55 else ""
    middle = (x + size / 2, y + size / 2 + 4)
    return [box, text(*middle, f"{share:.2f}", anchor="middle", kind=kind, font_size=11)]


def ladder(edges: Sequence[tuple[int, int | None]]) -> list[str]:
    """Labels for bins of sizes."""
    return [
        f"{low}+" if high is None else str(low) if low == high else f"{low}-{high}" for low, high in edges
    ]


def _contrast(share: float) -> float:
    """Shares near 1 are common: the scale gives them most of its room."""
    marks = ((0.0, 0.0), (0.5, 0.15), (0.9, 0.45), (0.99, 0.75), (1.0, 1.0))
    for (low, start), (high, end) in pairwise(marks):
        if share <= high:
            return start + (share - low) / (high - low) * (end - start)
    return 1.0


def _number(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:.3g}M"
    return f"{value / 1000:.3g}k" if value >= 10_000 else f"{value:,.0f}"


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 0.995 or share == 1 else f"{share:.2%}"
