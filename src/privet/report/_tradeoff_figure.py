"""What each way of protecting keeps and what it gives away, as one SVG: utility over risk, without script.

Techniques differ in shape as well as colour, points whose parameter promises nothing are hollow, and every interval is
a cross. Where a promise bounds the very risk that is drawn, a dotted line leads to the most that it allows, so that promise
and evidence stand side by side. Names of techniques, labels and numbers only: no value of the data can be in the picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from privet.report._chart import Plot, Scale, dot, legend, path, picture, round_step, short, text, ticks

_PLOT = Plot(720, 480, left=68, right=40, top=68, bottom=60)
_LETTER, _LINE = 6.4, 13  # about the size of a character of a label
_COLOURS = ("--leaf,#2f7d4f", "--free,#0b6fa4", "--sensitive,#6f42c1", "--quasi,#9a6700", "--soft,#5b6b60")
_SHAPES = ("circle", "square", "triangle", "diamond", "plus")
_RANK = {"train": 0, "anonymize": 1, "synthesize": 2, "pac": 3}
_REFERENCE = "reference"

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class _Frame:
    """Where a (risk, utility) lands."""

    x: Scale
    y: Scale

    def place(self, point: Mapping[str, Any]) -> tuple[float, float]:
        return self.x(point["risk"]["value"]), self.y(point["utility"]["value"])


def tradeoff_figure(tradeoff: Mapping[str, Any]) -> str:
    """The picture of a trade-off's record, with its numbers in words for those who cannot see it."""
    points = list(tradeoff["points"])
    knee = None if tradeoff.get("knee") is None else int(tradeoff["knee"]["index"])
    told = _told(points, knee, str(tradeoff.get("standing_words", "")))
    title = "Utility over risk: what each protection keeps and what it gives away"
    if not points:
        parts = [text(_PLOT.width / 2, _PLOT.height / 2, "no point was measured", anchor="middle")]
        return picture(_PLOT.width, _PLOT.height, title, told, parts)
    frame = _frame(points)
    looks = _looks(points)
    parts = [
        _legend(
            looks,
            hollow=any(_meaningless(point) for point in points),
            promised=any(_allowed(point) is not None for point in points),
        ),
        _axes(frame, points[0]),
        _frontier(points, frame),
        *(_promised(point, frame, looks) for point in points),
        *(_cross(point, frame, looks) for point in points),
        *(_mark(point, frame, looks) for point in points),
        *_labels(points, knee, frame),
    ]
    return picture(_PLOT.width, _PLOT.height, title, told, parts)


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
    return _Frame(_PLOT.x(*_span(min(risks), max(*risks, 0.05))), _PLOT.y(*_span(min(useful), max(useful))))


def _span(low: float, high: float) -> tuple[float, float]:
    """Round ends around what is to be shown."""
    room = max(high - low, 0.02)
    step = round_step(room)
    return math.floor(low / step + 1e-9) * step, math.ceil((low + room) / step - 1e-9) * step


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


def _legend(looks: Mapping[str, tuple[str, str]], *, hollow: bool, promised: bool) -> str:
    entries = [(_shape(shape, 6, 0, colour), name) for name, (shape, colour) in looks.items()]
    if hollow:
        soft = _shape("circle", 6, 0, _COLOURS[4], hollow=True)
        entries.append((soft, "epsilon too high to mean anything"))
    wide = [36 + _LETTER * len(name) for _, name in entries]
    ends = list(accumulate(wide, initial=_PLOT.left))
    shown = legend(entries, [(x, 18) for x in ends], gap=18)
    shown += legend([(path("M0 0h22", style=_LINE_STYLE), "frontier")], [(ends[-1], 18)], gap=28)
    if not promised:
        return shown
    symbol = path("M0 0h22m0 -5v10", style=f"{_DOTTED};stroke:var({_COLOURS[4]})")
    words = "the most that the promise allows, whatever the attack"
    return shown + legend([(symbol, words)], [(_PLOT.left, 38)], gap=30)


_LINE_STYLE = "fill:none;stroke:var(--ink,#1d2b22);stroke-width:1.5;stroke-dasharray:6 4"
_DOTTED = "fill:none;stroke-width:1.2;stroke-dasharray:1.5 3"
_HALO = "paint-order:stroke;stroke:var(--card,#fff);stroke-width:3px;stroke-linejoin:round"


def _axes(frame: _Frame, first: Mapping[str, Any]) -> str:
    risks, useful = ticks(frame.x.low, frame.x.high), ticks(frame.y.low, frame.y.high)
    return "".join(
        [
            _PLOT.x_ticks(frame.x, [(risk, f"{risk:.4g}") for risk in risks]),
            _PLOT.y_ticks(frame.y, [(utility, f"{utility:.4g}") for utility in useful]),
            _PLOT.axis_names(
                f"{first.get('risk_name', 'risk')} (less is safer) →",
                f"{first.get('utility_name', 'utility')} (more is better) →",
            ),
        ]
    )


def _frontier(points: Sequence[Mapping[str, Any]], frame: _Frame) -> str:
    """Steps between the points that no other beats: what lies below and right of the line is reached or worse."""
    best = sorted(
        (point["risk"]["value"], point["utility"]["value"]) for point in points if point.get("on_frontier")
    )
    if not best:
        return ""
    (x, y), *rest = [(short(frame.x(risk)), short(frame.y(utility))) for risk, utility in best]
    steps = "".join(f"H{x}V{y}" for x, y in rest)
    return path(f"M{x} {y}{steps}H{short(_PLOT.x_end)}", "frontier", style=_LINE_STYLE)


def _promised(point: Mapping[str, Any], frame: _Frame, looks: Mapping[str, tuple[str, str]]) -> str:
    allowed = _allowed(point)
    if allowed is None:
        return ""
    x, y = frame.place(point)
    end, stroke = short(frame.x(allowed)), f"stroke:var({looks[str(point['technique'])][1]})"
    return path(f"M{short(x)} {short(y)}H{end}", style=f"{_DOTTED};{stroke}") + path(
        f"M{end} {short(y - 5)}v10",
        f"{point['label']}: the promise allows {allowed:.3g}",
        style=f"fill:none;{stroke};stroke-width:2",
    )


def _cross(point: Mapping[str, Any], frame: _Frame, looks: Mapping[str, tuple[str, str]]) -> str:
    x, y = frame.place(point)
    left, right = (short(frame.x(point["risk"][end])) for end in ("low", "high"))
    low, high = (short(frame.y(point["utility"][end])) for end in ("low", "high"))
    stroke = f"stroke:var({looks[str(point['technique'])][1]})"
    style = f"fill:none;{stroke};stroke-width:1;opacity:.55"
    return path(f"M{left} {short(y)}H{right}M{short(x)} {low}V{high}", style=style)


def _mark(point: Mapping[str, Any], frame: _Frame, looks: Mapping[str, tuple[str, str]]) -> str:
    shape, colour = looks[str(point["technique"])]
    said = f"{point['technique']}, {point['label']}: utility {_three(point['utility'])}, risk {_three(point['risk'])}"
    return _shape(shape, *frame.place(point), colour, hollow=_meaningless(point), said=said)


def _shape(shape: str, x: float, y: float, colour: str, *, hollow: bool = False, said: str = "") -> str:
    inner, edge = f"var({colour})", "var(--card,#fff)"
    if hollow:
        inner, edge = edge, inner
    style = f"fill:{inner};stroke:{edge};stroke-width:{2 if hollow else 1}"
    if shape == "circle":
        return dot(x, y, 6, said, style=style)
    return path(f"M{short(x)} {short(y)}{_OUTLINES[shape]}", said, style=style)


_OUTLINES = {
    "square": "m-5.5 -5.5h11v11h-11z",
    "triangle": "m0 -7l7 12h-14z",
    "diamond": "m0 -7.5l7.5 7.5l-7.5 7.5l-7.5 -7.5z",
    "plus": "m-2 -7h4v5h5v4h-5v5h-4v-5h-5v-4h5z",
}


def _labels(points: Sequence[Mapping[str, Any]], knee: int | None, frame: _Frame) -> Iterator[str]:
    """Labels where there is room: first the proposed point, then the frontier. The table has those that are left out."""
    places = [frame.place(point) for point in points]
    ends = [
        (x if (allowed := _allowed(point)) is None else frame.x(allowed), y)
        for point, (x, y) in zip(points, places, strict=True)
    ]
    taken: list[Box] = [(x - 7, y - 7, x + 7, y + 7) for x, y in {*places, *ends}]
    if knee is not None:
        x, y = places[knee]
        ring = "fill:none;stroke:var(--risk,#b4552d);stroke-width:2.5"
        yield dot(x, y, 12, "proposed", style=ring)
    by_weight = sorted(range(len(points)), key=lambda at: (at != knee, not points[at].get("on_frontier"), at))
    for at in by_weight:
        words = ("proposed: " if at == knee else "") + str(points[at]["label"])
        found = _free(ends[at], words, taken, apart=15 if at == knee and ends[at] == places[at] else 9)
        if found is None:
            continue
        box, anchor, x, y = found
        taken.append(box)
        weight = ";font-weight:700" if at == knee else ""
        style = f"font-size:11px;{_HALO}{weight}"
        yield text(x, y, words, anchor=anchor, kind="small", style=style)


def _free(
    place: tuple[float, float], words: str, taken: Sequence[Box], *, apart: float
) -> tuple[Box, str, float, float] | None:
    """Where a label hits nothing: its box, its anchor and its place; None if there is no such place."""
    wide = _LETTER * len(words)
    for anchor, over, down in (
        ("start", apart, 4), ("end", -apart, 4), ("middle", 0, -apart), ("middle", 0, apart + 9),
        ("start", apart, -apart), ("start", apart, apart + 9), ("end", -apart, -apart), ("end", -apart, apart + 9),
        ("middle", 0, -apart - 14), ("middle", 0, apart + 23),
    ):  # fmt: skip
        x, y = place[0] + over, place[1] + down
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
        box = (left, y - _LINE + 3, left + wide, y + 3)
        inside = (
            box[0] >= _PLOT.left
            and box[2] <= _PLOT.width - 2
            and box[1] >= _PLOT.top - 16
            and box[3] <= _PLOT.y_end
        )
        if inside and not any(_hit(box, other) for other in taken):
            return box, anchor, x, y
    return None


def _hit(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
