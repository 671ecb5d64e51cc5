"""The pictures of a training as plain SVG: a figure over steps, numbers and escaped names only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

_WIDTH, _HEIGHT = 640, 280
_LEFT, _TOP, _RIGHT, _BOTTOM = 64, 14, 18, 48
_TICKS = 4

Points = Sequence[tuple[int, float]]  # steps and values


def step_figure(
    title: str,
    unit: str,
    points: Points,
    *,
    smooth: Points = (),
    limit: float | None = None,
    along: str = "step",
) -> str:
    """One figure over steps from zero; `smooth` is drawn over it, `limit` as a line across it, and `along` says steps of what."""
    drawn = [(step, value) for step, value in points if math.isfinite(value)]
    values = [value for _, value in drawn] + ([limit] if limit is not None else [])
    top = _round_up(max(values, default=1.0))
    last = max((step for step, _ in points), default=1)
    ends = (
        f"from {drawn[0][1]:.3g} after {along} {drawn[0][0]} to {drawn[-1][1]:.3g} after {along} {drawn[-1][0]}"
        if drawn
        else "no values"
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" '
        f'style="max-width:{_WIDTH}px"><title>{escape(title)}</title><desc>{escape(ends)}</desc>'
    ]
    for at in range(_TICKS + 1):
        value, step = top * at / _TICKS, round(last * at / _TICKS)
        y, x = _y(value, top), _x(step, last)
        parts.append(
            f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>'
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>'
            f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{step}</text>'
        )
    faint = (
        "stroke:var(--leaf);stroke-width:1;opacity:.35" if smooth else "stroke:var(--leaf);stroke-width:2.5"
    )
    parts.append(_line(drawn, last, top, faint))
    if smooth:
        parts.append(_line(smooth, last, top, "stroke:var(--leaf);stroke-width:2.5"))
    if limit is not None:
        ends_of = [(0, limit), (last, limit)]
        parts.append(_line(ends_of, last, top, "stroke:var(--risk);stroke-width:1.5;stroke-dasharray:7 4"))
    parts.append(
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 8}" text-anchor="middle" class="axis">{escape(along)}</text>'
        f'<text transform="translate(14 {(_TOP + _HEIGHT - _BOTTOM) / 2}) rotate(-90)" text-anchor="middle" '
        f'class="axis">{escape(unit)}</text></svg>'
    )
    return "".join(parts)


def smoothed(points: Points) -> list[tuple[int, float]]:
    """The mean of each point and its neighbours, over a tenth of all steps: batches differ by chance."""
    drawn = [(step, value) for step, value in points if math.isfinite(value)]
    reach = max(1, len(drawn) // 20)
    found = []
    for at, (step, _) in enumerate(drawn):
        near = [value for _, value in drawn[max(0, at - reach) : at + reach + 1]]
        found.append((step, sum(near) / len(near)))
    return found


def _line(points: Points, last: int, top: float, style: str) -> str:
    if not points:
        return ""
    steps = "L".join(f"{_x(step, last):.1f} {_y(value, top):.1f}" for step, value in points)
    return f'<path d="M{steps}" style="fill:none;{style}"/>'


def _x(step: int, last: int) -> float:
    return _LEFT + step / max(1, last) * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float, top: float) -> float:
    return _HEIGHT - _BOTTOM - min(1.0, max(0.0, value / top)) * (_HEIGHT - _TOP - _BOTTOM)


def _round_up(value: float) -> float:
    """The next of 1, 2, 4, 5, 8 or 10 times a power of ten, so that quarters of it are easy to read."""
    if not value > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * factor for factor in (1, 2, 4, 5, 8, 10) if value <= power * factor * (1 + 1e-9))
