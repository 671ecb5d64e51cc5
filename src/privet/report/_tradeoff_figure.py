"""What each way of protecting keeps and what it gives away, as one SVG: utility over risk, without script.

Techniques differ in shape as well as colour, points whose parameter promises nothing are hollow, and every interval is
a cross. Where a promise bounds the very risk that is drawn, a dotted line leads to the most that it allows, so that promise
and evidence stand side by side. Names of techniques, labels and numbers only: no value of the data can be in the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

_WIDTH, _HEIGHT = 720, 480
_LEFT, _RIGHT, _TOP, _BOTTOM = 68, 40, 68, 60
_LETTER, _LINE = 6.4, 13  # about the size of a character of a label
_COLOURS = ("--leaf,#2f7d4f", "--free,#0b6fa4", "--sensitive,#6f42c1", "--quasi,#9a6700", "--soft,#5b6b60")
_SHAPES = ("circle", "square", "triangle", "diamond", "plus")
_RANK = {"train": 0, "anonymize": 1, "synthesize": 2}
_REFERENCE = "reference"

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class _Frame:
    """Where a (risk, utility) lands."""

    left: float
    right: float
    low: float
    high: float

    def x(self, risk: float) -> float:
        share = (risk - self.left) / (self.right - self.left)
        return _LEFT + min(1.0, max(0.0, share)) * (_WIDTH - _LEFT - _RIGHT)

    def y(self, utility: float) -> float:
        share = (utility - self.low) / (self.high - self.low)
        return _HEIGHT - _BOTTOM - min(1.0, max(0.0, share)) * (_HEIGHT - _TOP - _BOTTOM)


def tradeoff_figure(tradeoff: Mapping[str, Any]) -> str:
    """The picture of a trade-off's record, with its numbers in words for those who cannot see it."""
    points = list(tradeoff["points"])
    knee = None if tradeoff.get("knee") is None else int(tradeoff["knee"]["index"])
    told = _told(points, knee, str(tradeoff.get("standing_words", "")))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" '
        f'style="max-width:{_WIDTH}px"><title>Utility over risk: what each protection keeps and what it gives away'
        f"</title><desc>{escape(told)}</desc>"
    )
    if not points:
        return f'{head}<text x="{_WIDTH / 2}" y="{_HEIGHT / 2}" text-anchor="middle">no point was measured</text></svg>'
    frame = _frame(points)
    looks = _looks(points)
    body = [
        *_legend(
            looks,
            hollow=any(_meaningless(point) for point in points),
            promised=any(_allowed(point) is not None for point in points),
        ),
        *_axes(frame, points[0]),
        *_frontier(points, frame),
        *(_promised(point, frame, looks) for point in points),
        *(_cross(point, frame, looks) for point in points),
        *(_mark(point, frame, looks) for point in points),
        *_labels(points, knee, frame),
    ]
    return "".join([head, *body, "</svg>"])


def _told(points: Sequence[Mapping[str, Any]], knee: int | None, standing: str) -> str:
    """The picture in words: every point, and the one proposed."""
    said = [
        f"{point['technique']}, {point['label']}: utility {_three(point['utility'])}, risk {_three(point['risk'])}"
        + ("" if _allowed(point) is None else f", the promise allows {_allowed(point):.3g}")
        + (", on the frontier" if point.get("on_frontier") else "")
        for point in points
    ]
    if knee is not None:
        said.append(f"proposed: {points[knee]['technique']}, {points[knee]['label']}")
    return ". ".join([*said, *([standing.rstrip(".")] if standing else [])]) + "."


def _three(estimate: Mapping[str, float]) -> str:
    return f"{estimate['value']:.3g} ({estimate['low']:.3g} to {estimate['high']:.3g})"


def _frame(points: Sequence[Mapping[str, Any]]) -> _Frame:
    risks = [0.0, *(point["risk"][end] for point in points for end in ("value", "low", "high"))]
    risks += [allowed for point in points if (allowed := _allowed(point)) is not None]
    useful = [point["utility"][end] for point in points for end in ("value", "low", "high")]
    left, right = _span(min(risks), max(*risks, 0.05))
    low, high = _span(min(useful), max(useful))
    return _Frame(left, right, low, high)


def _span(low: float, high: float) -> tuple[float, float]:
    """Round ends around what is to be shown."""
    room = max(high - low, 0.02)
    step = _step(room)
    return math.floor(low / step + 1e-9) * step, math.ceil((low + room) / step - 1e-9) * step


def _step(room: float) -> float:
    """A round distance between ticks: 1, 2 or 5 times a power of ten, four to eight of them."""
    power: float = 10.0 ** math.floor(math.log10(room / 4))
    return next(power * factor for factor in (1, 2, 5, 10) if room / (power * factor) <= 8)


def _looks(points: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, str]]:
    """A shape and a colour for each technique; the unprotected ones are always the plus."""
    names = list(dict.fromkeys(str(point["technique"]) for point in points))
    protected = sorted((name for name in names if not name.startswith(_REFERENCE)), key=_order)
    looks = {name: (_SHAPES[at % 4], _COLOURS[at % 4]) for at, name in enumerate(protected)}
    return looks | {name: (_SHAPES[4], _COLOURS[4]) for name in names if name not in looks}


def _order(name: str) -> tuple[int, str]:
    return _RANK.get(name, len(_RANK)), name


def _meaningless(point: Mapping[str, Any]) -> bool:
    return bool(point.get("meaningless", False))


def _allowed(point: Mapping[str, Any]) -> float | None:
    """The most that the promise allows, where it is about the risk that is drawn."""
    found = point.get("allowed")
    return float(found) if found is not None and point.get("allowed_in_risk") else None


def _legend(looks: Mapping[str, tuple[str, str]], *, hollow: bool, promised: bool) -> Iterator[str]:
    shown = [(name, *look, False) for name, look in looks.items()]
    if hollow:
        shown.append(("epsilon too high to mean anything", "circle", "--soft,#5b6b60", True))
    x = float(_LEFT)
    for name, shape, colour, empty in shown:
        yield _shape(shape, x + 6, 18, colour, hollow=empty)
        yield f'<text x="{x + 18:.0f}" y="22">{escape(name)}</text>'
        x += 36 + _LETTER * len(name)
    yield f'<path d="M{x:.0f} 18h22" style="{_LINE_STYLE}"/><text x="{x + 28:.0f}" y="22">frontier</text>'
    if promised:
        yield f'<path d="M{_LEFT} 38h22m0 -5v10" style="{_DOTTED};stroke:var(--soft,#5b6b60)"/>'
        yield f'<text x="{_LEFT + 30}" y="42">the most that the promise allows, whatever the attack</text>'


_LINE_STYLE = "fill:none;stroke:var(--ink,#1d2b22);stroke-width:1.5;stroke-dasharray:6 4"
_DOTTED = "fill:none;stroke-width:1.2;stroke-dasharray:1.5 3"
_HALO = "paint-order:stroke;stroke:var(--card,#fff);stroke-width:3px;stroke-linejoin:round"


def _axes(frame: _Frame, first: Mapping[str, Any]) -> Iterator[str]:
    for risk in _ticks(frame.left, frame.right):
        yield f'<path class="grid" style="stroke:var(--line,#d9e0da)" d="M{frame.x(risk):.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>'
        yield f'<text x="{frame.x(risk):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{risk:.4g}</text>'
    for utility in _ticks(frame.low, frame.high):
        yield f'<path class="grid" style="stroke:var(--line,#d9e0da)" d="M{_LEFT} {frame.y(utility):.1f}H{_WIDTH - _RIGHT}"/>'
        yield f'<text x="{_LEFT - 8}" y="{frame.y(utility) + 4:.1f}" text-anchor="end">{utility:.4g}</text>'
    across, up = (
        (_LEFT + _WIDTH - _RIGHT) / 2,
        (_TOP + _HEIGHT - _BOTTOM) / 2,
    )
    useful = escape(str(first.get("utility_name", "utility")))
    risky = escape(str(first.get("risk_name", "risk")))
    yield f'<text x="{across}" y="{_HEIGHT - 14}" text-anchor="middle" class="axis">{risky} (less is safer) →</text>'
    yield (
        f'<text transform="translate(16 {up}) rotate(-90)" text-anchor="middle" class="axis">'
        f"{useful} (more is better) →</text>"
    )


def _ticks(low: float, high: float) -> list[float]:
    step = _step(high - low)
    first = math.ceil(low / step - 1e-9)
    return [round(at * step, 12) + 0.0 for at in range(first, math.floor(high / step + 1e-9) + 1)]


def _frontier(points: Sequence[Mapping[str, Any]], frame: _Frame) -> Iterator[str]:
    """Steps between the points that no other beats: what lies below and right of the line is reached or worse."""
    best = sorted(
        (point["risk"]["value"], point["utility"]["value"]) for point in points if point.get("on_frontier")
    )
    if not best:
        return
    path = f"M{frame.x(best[0][0]):.1f} {frame.y(best[0][1]):.1f}"
    for risk, utility in best[1:]:
        path += f"H{frame.x(risk):.1f}V{frame.y(utility):.1f}"
    yield f'<path d="{path}H{_WIDTH - _RIGHT}" style="{_LINE_STYLE}"><title>frontier</title></path>'


def _promised(point: Mapping[str, Any], frame: _Frame, looks: Mapping[str, tuple[str, str]]) -> str:
    allowed = _allowed(point)
    if allowed is None:
        return ""
    x, y = frame.x(point["risk"]["value"]), frame.y(point["utility"]["value"])
    colour = looks[str(point["technique"])][1]
    return (
        f'<path d="M{x:.1f} {y:.1f}H{frame.x(allowed):.1f}" style="{_DOTTED};stroke:var({colour})"/>'
        f'<path d="M{frame.x(allowed):.1f} {y - 5:.1f}v10" style="fill:none;stroke:var({colour});stroke-width:2">'
        f"<title>{escape(str(point['label']))}: the promise allows {allowed:.3g}</title></path>"
    )


def _cross(point: Mapping[str, Any], frame: _Frame, looks: Mapping[str, tuple[str, str]]) -> str:
    risk, utility = point["risk"], point["utility"]
    x, y = frame.x(risk["value"]), frame.y(utility["value"])
    colour = looks[str(point["technique"])][1]
    return (
        f'<path d="M{frame.x(risk["low"]):.1f} {y:.1f}H{frame.x(risk["high"]):.1f}M{x:.1f} '
        f'{frame.y(utility["low"]):.1f}V{frame.y(utility["high"]):.1f}" '
        f'style="fill:none;stroke:var({colour});stroke-width:1;opacity:.55"/>'
    )


def _mark(point: Mapping[str, Any], frame: _Frame, looks: Mapping[str, tuple[str, str]]) -> str:
    shape, colour = looks[str(point["technique"])]
    said = f"{point['technique']}, {point['label']}: utility {_three(point['utility'])}, risk {_three(point['risk'])}"
    x, y = frame.x(point["risk"]["value"]), frame.y(point["utility"]["value"])
    return _shape(shape, x, y, colour, hollow=_meaningless(point), said=said)


def _shape(shape: str, x: float, y: float, colour: str, *, hollow: bool = False, said: str = "") -> str:
    fill = "var(--card,#fff)" if hollow else f"var({colour})"
    edge = f"var({colour})" if hollow else "var(--card,#fff)"
    style = f'style="fill:{fill};stroke:{edge};stroke-width:{2 if hollow else 1}"'
    title = f"<title>{escape(said)}</title>" if said else ""
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" {style}>{title}</circle>'
    outlines = {
        "square": "m-5.5 -5.5h11v11h-11z",
        "triangle": "m0 -7l7 12h-14z",
        "diamond": "m0 -7.5l7.5 7.5l-7.5 7.5l-7.5 -7.5z",
        "plus": "m-2 -7h4v5h5v4h-5v5h-4v-5h-5v-4h5z",
    }
    return f'<path d="M{x:.1f} {y:.1f}{outlines[shape]}" {style}>{title}</path>'


def _labels(points: Sequence[Mapping[str, Any]], knee: int | None, frame: _Frame) -> Iterator[str]:
    """Labels where there is room: first the proposed point, then the frontier. The table has those that are left out."""
    places = [(frame.x(point["risk"]["value"]), frame.y(point["utility"]["value"])) for point in points]
    ends = [
        (x if (allowed := _allowed(point)) is None else frame.x(allowed), y)
        for point, (x, y) in zip(points, places, strict=True)
    ]
    taken: list[Box] = [(x - 7, y - 7, x + 7, y + 7) for x, y in {*places, *ends}]
    if knee is not None:
        x, y = places[knee]
        yield (
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="12" '
            'style="fill:none;stroke:var(--risk,#b4552d);stroke-width:2.5"><title>proposed</title></circle>'
        )
    by_weight = sorted(range(len(points)), key=lambda at: (at != knee, not points[at].get("on_frontier"), at))
    for at in by_weight:
        text = ("proposed: " if at == knee else "") + str(points[at]["label"])
        found = _free(ends[at], text, taken, apart=15 if at == knee and ends[at] == places[at] else 9)
        if found is None:
            continue
        box, anchor, x, y = found
        taken.append(box)
        weight = ";font-weight:700" if at == knee else ""
        yield f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="small" style="font-size:11px;{_HALO}{weight}">{escape(text)}</text>'


def _free(
    place: tuple[float, float], text: str, taken: Sequence[Box], *, apart: float
) -> tuple[Box, str, float, float] | None:
    """Where a label hits nothing: its box, its anchor and its place; None if there is no such place."""
    wide = _LETTER * len(text)
    for anchor, over, down in (
        ("start", apart, 4), ("end", -apart, 4), ("middle", 0, -apart), ("middle", 0, apart + 9),
        ("start", apart, -apart), ("start", apart, apart + 9), ("end", -apart, -apart), ("end", -apart, apart + 9),
        ("middle", 0, -apart - 14), ("middle", 0, apart + 23),
    ):  # fmt: skip
        x, y = place[0] + over, place[1] + down
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        box = (left, y - _LINE + 3, left + wide, y + 3)
        inside = (
            box[0] >= _LEFT and box[2] <= _WIDTH - 2 and box[1] >= _TOP - 16 and box[3] <= _HEIGHT - _BOTTOM
        )
        if inside and not any(_hit(box, other) for other in taken):
            return box, anchor, x, y
    return None


def _hit(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
