"""The pictures of an audit as plain SVG: no script, the same to the byte each time, readable without colour.

Each takes numbers and names of columns only, so no value of the data can be in a picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

_WIDTH = 720
_COLOUR, _SECOND = "#2f7d4f", "#b4552d"


def histogram(bars: Sequence[tuple[str, int, int]], *, title: str) -> str:
    """People by the size of their class: a label, the people and the classes of each bar. Small classes stand out."""
    height, left, top, bottom = 260, 56, 16, 56
    most = max((people for _, people, _ in bars), default=0) or 1
    room = (_WIDTH - left - 16) / max(1, len(bars))
    parts = [
        _open(
            _WIDTH, height, title, "; ".join(f"size {label}: {people:,} people" for label, people, _ in bars)
        )
    ]
    for share in (0.0, 0.5, 1.0):
        y = height - bottom - share * (height - top - bottom)
        parts.append(f'<path class="grid" d="M{left} {y:.1f}H{_WIDTH - 16}"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{_number(most * share)}</text>')
    for place, (label, people, _) in enumerate(bars):
        tall = people / most * (height - top - bottom)
        x, y = left + place * room + 4, height - bottom - tall
        risky = "risky" if place < 3 else "calm"
        parts.append(
            f'<rect class="{risky}" x="{x:.1f}" y="{y:.1f}" width="{room - 8:.1f}" height="{tall:.1f}" rx="2"/>'
        )
        if people:
            parts.append(
                f'<text x="{x + room / 2 - 4:.1f}" y="{y - 4:.1f}" text-anchor="middle" class="small">{_number(people)}</text>'
            )
        parts.append(
            f'<text x="{x + room / 2 - 4:.1f}" y="{height - bottom + 18}" text-anchor="middle">{escape(label)}</text>'
        )
    parts.append(
        f'<text x="{_WIDTH / 2}" y="{height - 12}" text-anchor="middle" class="axis">people who look alike (size of the class)</text>'
    )
    return "".join([*parts, "</svg>"])


def curve(points: Sequence[tuple[int, float, float, float, float | None]], *, title: str) -> str:
    """Shares by number of known attributes: (number, mean, low, high, best set or None). A band shows the interval."""
    height, left, top, bottom, right = 290, 56, 34, 52, 130
    first, last = points[0][0], points[-1][0]

    def x(number: float) -> float:
        return left + (number - first) / max(1, last - first) * (_WIDTH - left - right)

    def y(share: float) -> float:
        return height - bottom - share * (height - top - bottom)

    told = "; ".join(
        f"{number}: {mean:.1%} on average" + ("" if best is None else f", {best:.1%} at most")
        for number, mean, _, _, best in points
    )
    lines = [("line", [(n, mean) for n, mean, *_ in points], "any attributes")]
    if all(best is not None for *_, best in points):
        lines.append(("line second", [(n, best or 0.0) for n, *_, best in points], "the best chosen"))
    parts = [_open(_WIDTH, height, title, told)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<path class="grid" d="M{left} {y(share):.1f}H{_WIDTH - right}"/>')
        parts.append(f'<text x="{left - 8}" y="{y(share) + 4:.1f}" text-anchor="end">{share:.0%}</text>')
    upper = " ".join(f"{x(n):.1f},{y(high):.1f}" for n, _, _, high, _ in points)
    lower = " ".join(f"{x(n):.1f},{y(low):.1f}" for n, _, low, _, _ in reversed(points))
    parts.append(f'<polygon class="band" points="{upper} {lower}"/>')
    for style, values, label in lines:
        steps = "L".join(f"{x(n):.1f} {y(share):.1f}" for n, share in values)
        parts.append(f'<path class="{style}" d="M{steps}"/>')
        parts += [
            f'<circle class="dot {style}" cx="{x(n):.1f}" cy="{y(share):.1f}" r="4"/>' for n, share in values
        ]
        place = y(values[-1][1]) + 4
        if style != "line" and abs(place - y(points[-1][1]) - 4) < 16:
            place -= 16
        parts.append(f'<text x="{x(last) + 10:.1f}" y="{place:.1f}">{label}</text>')
    parts += [
        f'<text x="{x(number):.1f}" y="{height - bottom + 20}" text-anchor="middle">{number}</text>'
        for number, *_ in points
    ]
    parts.append(
        f'<text x="{(left + _WIDTH - right) / 2}" y="{height - 10}" text-anchor="middle" class="axis">attributes that the attacker knows</text>'
    )
    return "".join([*parts, "</svg>"])


def bars(rows: Sequence[tuple[str, float]], *, title: str) -> str:
    """Horizontal bars for shares between 0 and 1."""
    line, left = 26, 250
    height = line * len(rows) + 8
    wide = _WIDTH - left - 70
    parts = [_open(_WIDTH, height, title, "; ".join(f"{label}: {share:.1%}" for label, share in rows))]
    for place, (label, share) in enumerate(rows):
        y = place * line + 4
        parts.append(f'<text x="{left - 10}" y="{y + 14}" text-anchor="end">{escape(_cut(label, 38))}</text>')
        parts.append(f'<rect class="track" x="{left}" y="{y}" width="{wide}" height="18" rx="2"/>')
        parts.append(
            f'<rect class="{"risky" if share >= 0.2 else "calm"}" x="{left}" y="{y}" width="{wide * share:.1f}" height="18" rx="2"/>'
        )
        parts.append(f'<text x="{left + wide + 8}" y="{y + 14}">{_percent(share)}</text>')
    return "".join([*parts, "</svg>"])


def heat_map(names: Sequence[str], shares: Sequence[Sequence[float | None]], *, title: str) -> str:
    """A square of shares: column against column; the darker, the more pairs of people the two tell apart."""
    cell = max(22, min(54, 480 // max(1, len(names))))
    left, top = 150, 24 + 7 * max((min(len(name), 16) for name in names), default=1)
    width, height = left + cell * len(names) + 16, top + cell * len(names) + 8
    parts = [_open(max(width, 420), height, title, "The numbers stand in the table beside it.")]
    for at, name in enumerate(names):
        x, y = left + at * cell + cell / 2, top + at * cell + cell / 2
        parts.append(
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(_cut(name, 20))}</text>'
        )
        parts.append(
            f'<text transform="translate({x + 4:.1f} {top - 8}) rotate(-60)">{escape(_cut(name, 16))}</text>'
        )
        for other, share in enumerate(shares[at]):
            if share is None:
                continue
            parts.append(
                f'<rect x="{left + other * cell + 1}" y="{top + at * cell + 1}" width="{cell - 2}" height="{cell - 2}" '
                f'rx="2" fill="{_SECOND}" fill-opacity="{0.06 + 0.94 * _contrast(share):.3f}"/>'
            )
            if cell >= 34:
                light = ' class="light"' if _contrast(share) > 0.55 else ""
                parts.append(
                    f'<text{light} x="{left + other * cell + cell / 2:.1f}" y="{y + 4:.1f}" text-anchor="middle" font-size="11">{share:.2f}</text>'
                )
    return "".join([*parts, "</svg>"])


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


def _open(width: float, height: float, title: str, told: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:g} {height:g}" width="100%" '
        f'style="max-width:{width:g}px"><title>{escape(title)}</title><desc>{escape(told)}</desc>'
    )


def _number(value: float) -> str:
    if value >= 1_000_000:
        return f"{value / 1_000_000:.3g}M"
    return f"{value / 1000:.3g}k" if value >= 10_000 else f"{value:,.0f}"


def _percent(share: float) -> str:
    return f"{share:.1%}" if share < 0.995 or share == 1 else f"{share:.2%}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
