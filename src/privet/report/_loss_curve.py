"""The privacy loss as a picture: epsilon against delta, as one SVG without scripts and the same to the byte each time.

The first curve is the claim; the others stand beside it for comparison, in their own colour and dash, and are
cut off where they would squeeze the claim flat. Title and description say in words what the lines show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from privet.errors import BadAmount

_WIDTH, _HEIGHT = 720, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 72, 24, 76, 60
# Comparison curves may rise to this multiple of the claim's largest epsilon before they leave the picture.
_HEADROOM = 1.8
_STYLE = """\
text{font:13px system-ui,sans-serif;fill:#222}.t{font-size:16px;font-weight:600}.s{font-size:12px}
.b{fill:#fff}.g{stroke:#ddd}.a{stroke:#555}.c{fill:none;stroke-width:2.5}.m{stroke:#fff;stroke-width:1.5}
.c0{stroke:#0072b2}.c1{stroke:#d55e00;stroke-dasharray:8 4}.c2{stroke:#007a5a;stroke-dasharray:2 3}
.c3{stroke:#a0477c;stroke-dasharray:10 3 2 3}.m{fill:#0072b2}
@media (prefers-color-scheme:dark){text{fill:#eee}.b{fill:#161616}.g{stroke:#3a3a3a}.a{stroke:#aaa}.m{stroke:#161616}
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


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a (delta, epsilon) lands: delta on a logarithmic axis, epsilon on a linear one from zero."""

    low: float
    high: float
    top: float

    def x(self, delta: float) -> float:
        share = (math.log10(delta) - self.low) / (self.high - self.low)
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def y(self, epsilon: float) -> float:
        return _HEIGHT - _BOTTOM - epsilon / self.top * (_HEIGHT - _TOP - _BOTTOM)


def loss_curve(
    curves: Sequence[LossCurve], *, title: str, mark: tuple[float, float] | None = None, note: str = ""
) -> str:
    """The picture as SVG text. `mark` puts a dot on one (delta, epsilon); `note` is added to the description."""
    if not curves or len(curves) > 4:
        raise BadAmount("a picture holds one to four loss curves.", "Draw the others apart.")
    frame = _frame(curves, mark)
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" role="img" aria-labelledby="title desc">',
        f'<title id="title">{_text(title)}</title>',
        f'<desc id="desc">{_text(_description(curves, mark, note))}</desc>',
        f"<style>{_STYLE}</style>",
        f'<clipPath id="plot"><rect x="{_LEFT}" y="{_TOP}" width="{_WIDTH - _LEFT - _RIGHT}" '
        f'height="{_HEIGHT - _TOP - _BOTTOM}"/></clipPath>',
        f'<rect class="b" width="{_WIDTH}" height="{_HEIGHT}"/>',
        f'<text class="t" x="{_LEFT}" y="26">{_text(_cut(title, 72))}</text>',
    ]
    body = [*_legend(curves), *_axes(frame), *_lines(curves, frame), *_dot(frame, mark)]
    return "\n".join([*head, *body, "</svg>", ""])


def _frame(curves: Sequence[LossCurve], mark: tuple[float, float] | None) -> _Frame:
    deltas = [delta for curve in curves for delta, _ in curve.points] + ([mark[0]] if mark else [])
    claim = max([epsilon for _, epsilon in curves[0].points] + ([mark[1]] if mark else []))
    others = max((epsilon for curve in curves for _, epsilon in curve.points), default=claim)
    top = min(others, _HEADROOM * claim) or 1.0
    step = _step(top)
    return _Frame(math.log10(min(deltas)), math.log10(max(deltas)), math.ceil(top / step - 1e-9) * step)


def _step(span: float) -> float:
    """A round distance between ticks: 1, 2 or 5 times a power of ten, four to eight of them in the span."""
    power = 10.0 ** math.floor(math.log10(span / 4))
    return next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 8)


def _axes(frame: _Frame) -> Iterator[str]:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    step = _step(frame.top)
    for index in range(round(frame.top / step) + 1):
        y = _short(frame.y(index * step))
        yield f'<path class="g" d="M{_LEFT} {y}H{right}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y}" dy="4" text-anchor="end">{index * step:.4g}</text>'
    powers = range(math.ceil(frame.low - 1e-9), math.floor(frame.high + 1e-9) + 1)
    every = max(1, math.ceil(len(powers) / 12))
    for power in powers:
        if power % every == 0:
            x = _short(frame.x(10.0**power))
            yield f'<path class="g" d="M{x} {_TOP}V{bottom}"/>'
            yield f'<text x="{x}" y="{bottom + 20}" text-anchor="middle">1e{power}</text>'
    yield f'<path class="a" d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none"/>'
    yield f'<text x="{(_LEFT + right) // 2}" y="{_HEIGHT - 14}" text-anchor="middle">delta (chance of failure)</text>'
    middle = (_TOP + bottom) // 2
    yield f'<text x="20" y="{middle}" text-anchor="middle" transform="rotate(-90 20 {middle})">epsilon</text>'


def _legend(curves: Sequence[LossCurve]) -> Iterator[str]:
    room = (_WIDTH - _LEFT - _RIGHT) // len(curves)
    for index, curve in enumerate(curves):
        x = _LEFT + index * room
        yield f'<path class="c c{index}" d="M{x} 50h28"/>'
        yield f'<text class="s" x="{x + 36}" y="54">{_text(_cut(curve.label, (room - 40) // 6))}</text>'


def _lines(curves: Sequence[LossCurve], frame: _Frame) -> Iterator[str]:
    # The claim is drawn last, on top of the others.
    for index in reversed(range(len(curves))):
        steps = "L".join(f"{_short(frame.x(d))} {_short(frame.y(e))}" for d, e in curves[index].points)
        yield f'<path class="c c{index}" clip-path="url(#plot)" d="M{steps}"/>'


def _dot(frame: _Frame, mark: tuple[float, float] | None) -> Iterator[str]:
    if mark is None:
        return
    x, y = frame.x(mark[0]), frame.y(mark[1])
    beside = "end" if x > _WIDTH / 2 else "start"
    shift = -10 if beside == "end" else 10
    yield f'<circle class="m" cx="{_short(x)}" cy="{_short(y)}" r="5.5"/>'
    yield (
        f'<text x="{_short(x + shift)}" y="{_short(y - 10)}" text-anchor="{beside}">'
        f"epsilon {mark[1]:.4g} at delta {mark[0]:.3g}</text>"
    )


def _description(curves: Sequence[LossCurve], mark: tuple[float, float] | None, note: str) -> str:
    """The picture in words: the marked point, then each curve at up to five deltas."""
    said = [f"Epsilon is {mark[1]:.4g} at delta {mark[0]:.3g}."] if mark else []
    for curve in curves:
        every = max(1, (len(curve.points) - 1) // 4)
        values = ", ".join(f"{e:.4g} at {d:.3g}" for d, e in curve.points[::every])
        said.append(f"{curve.label}: epsilon {values}.")
    return " ".join([*said, *([note] if note else [])])


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(most - 1, 1)]}…"


def _text(text: str) -> str:
    return escape("".join(character if character.isprintable() else " " for character in text))
