"""The privacy loss as a picture: epsilon against delta, as one SVG without scripts and the same to the byte each time.

The first curve is the claim; the others stand beside it for comparison, in their own colour and dash, and are
cut off where they would squeeze the claim flat. Title and description say in words what the lines show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from privet.errors import BadAmount
from privet.report._chart import (
    Plot,
    Scale,
    cut,
    dot,
    legend,
    line,
    path,
    picture,
    rect,
    round_step,
    text,
    ticks,
)

_PLOT = Plot(720, 440, left=72, right=24, top=76, bottom=60)
# Comparison curves may rise to this multiple of the claim's largest epsilon before they leave the picture.
_HEADROOM = 1.8
_STYLE = """\
text{font:13px system-ui,sans-serif;fill:#222}.t{font-size:16px;font-weight:600}.s{font-size:12px}
.b{fill:#fff}.grid{stroke:#ddd}.a{stroke:#555}.c{fill:none;stroke-width:2.5}.m{stroke:#fff;stroke-width:1.5}
.c0{stroke:#0072b2}.c1{stroke:#d55e00;stroke-dasharray:8 4}.c2{stroke:#007a5a;stroke-dasharray:2 3}
.c3{stroke:#a0477c;stroke-dasharray:10 3 2 3}.m{fill:#0072b2}
@media (prefers-color-scheme:dark){text{fill:#eee}.b{fill:#161616}.grid{stroke:#3a3a3a}.a{stroke:#aaa}.m{stroke:#161616}
.c0{stroke:#56b4e9}.c1{stroke:#e69f00}.c2{stroke:#3ecf9f}.c3{stroke:#e3a0c8}.m{fill:#56b4e9}}"""


@dataclass(frozen=True, slots=True)
class LossCurve:
    """One line: a label and (delta, epsilon) points with rising delta."""

    label: str
    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        deltas = [delta for delta, _ in self.points]
        drawable = all(0 < d < 1 and math.isfinite(e) and e >= 0 for d, e in self.points)
        if len(deltas) < 2 or deltas != sorted(set(deltas)) or not drawable:
            raise BadAmount(
                "a loss curve needs two or more points with rising deltas between 0 and 1 and finite epsilons.",
                "Leave out the deltas where no epsilon is known.",
            )


def loss_curve(
    curves: Sequence[LossCurve], *, title: str, mark: tuple[float, float] | None = None, note: str = ""
) -> str:
    """The picture as SVG text. `mark` puts a dot on one (delta, epsilon); `note` is added to the description."""
    if not curves or len(curves) > 4:
        raise BadAmount("a picture holds one to four loss curves.", "Draw the others apart.")
    x, y = _scales(curves, mark)
    room = (_PLOT.x_end - _PLOT.left) // len(curves)
    inside = rect(_PLOT.left, _PLOT.top, _PLOT.x_end - _PLOT.left, _PLOT.y_end - _PLOT.top)
    parts = [
        f'<style>{_STYLE}</style><clipPath id="plot">{inside}</clipPath>',
        rect(0, 0, _PLOT.width, _PLOT.height, kind="b"),
        text(_PLOT.left, 26, cut(title, 72), kind="t"),
        legend(
            [
                (path("M0 0h28", kind=f"c c{at}"), cut(curve.label, (room - 40) // 6))
                for at, curve in enumerate(curves)
            ],
            [(_PLOT.left + at * room, 50) for at in range(len(curves))],
            gap=36,
            kind="s",
        ),
        *_axes(x, y),
        *_lines(curves, x, y),
        *_dot(x, y, mark),
    ]
    said = _description(curves, mark, note)
    size = {"style": f"width:{_PLOT.width}px;max-width:100%"}
    return f"{picture(_PLOT.width, _PLOT.height, title, said, parts, **size)}\n"


def _scales(curves: Sequence[LossCurve], mark: tuple[float, float] | None) -> tuple[Scale, Scale]:
    """Where a (delta, epsilon) lands: delta on a logarithmic axis, epsilon on a linear one from zero."""
    deltas = [delta for curve in curves for delta, _ in curve.points] + ([mark[0]] if mark else [])
    claim = max([epsilon for _, epsilon in curves[0].points] + ([mark[1]] if mark else []))
    others = max((epsilon for curve in curves for _, epsilon in curve.points), default=claim)
    top = min(others, _HEADROOM * claim) or 1.0
    step = round_step(top)
    highest = math.ceil(top / step - 1e-9) * step
    return _PLOT.x(min(deltas), max(deltas), log=True), _PLOT.y(0, highest, clamped=False)


def _axes(x: Scale, y: Scale) -> Iterator[str]:
    yield _PLOT.y_ticks(y, [(value, f"{value:.4g}") for value in ticks(0, y.high)])
    powers = range(math.ceil(math.log10(x.low) - 1e-9), math.floor(math.log10(x.high) + 1e-9) + 1)
    every = max(1, math.ceil(len(powers) / 12))
    yield _PLOT.x_ticks(x, [(10.0**power, f"1e{power}") for power in powers if power % every == 0])
    yield path(f"M{_PLOT.left} {_PLOT.top}V{_PLOT.y_end}H{_PLOT.x_end}", kind="a", fill="none")
    yield _PLOT.axis_names("delta (chance of failure)", "epsilon")


def _lines(curves: Sequence[LossCurve], x: Scale, y: Scale) -> Iterator[str]:
    # The claim is drawn last, on top of the others.
    for index in reversed(range(len(curves))):
        places = [(x(delta), y(epsilon)) for delta, epsilon in curves[index].points]
        yield line(places, kind=f"c c{index}", clip_path="url(#plot)")


def _dot(x: Scale, y: Scale, mark: tuple[float, float] | None) -> Iterator[str]:
    if mark is None:
        return
    place = x(mark[0]), y(mark[1])
    anchor, shift = ("end", -10) if place[0] > _PLOT.width / 2 else ("start", 10)
    yield dot(*place, 5.5, kind="m")
    words = f"epsilon {mark[1]:.4g} at delta {mark[0]:.3g}"
    yield text(place[0] + shift, place[1] - 10, words, anchor=anchor)


def _description(curves: Sequence[LossCurve], mark: tuple[float, float] | None, note: str) -> str:
    """The picture in words: the marked point, then each curve at up to five deltas."""
    said = [f"Epsilon is {mark[1]:.4g} at delta {mark[0]:.3g}."] if mark else []
    for curve in curves:
        every = max(1, (len(curve.points) - 1) // 4)
        values = ", ".join(f"{e:.4g} at {d:.3g}" for d, e in curve.points[::every])
        said.append(f"{curve.label}: epsilon {values}.")
    return " ".join([*said, *([note] if note else [])])
