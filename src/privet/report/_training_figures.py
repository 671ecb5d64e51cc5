"""The pictures of a training as plain SVG: a figure over steps, numbers and escaped names only."""

from __future__ import annotations

import math
from collections.abc import Sequence

from privet.report._chart import Plot, line, picture

_PLOT = Plot(640, 280, left=64, right=18, top=14, bottom=48)
_TICKS = 4
_BOLD = "fill:none;stroke:var(--leaf);stroke-width:2.5"
_FAINT = "fill:none;stroke:var(--leaf);stroke-width:1;opacity:.35"
_LIMIT = "fill:none;stroke:var(--risk);stroke-width:1.5;stroke-dasharray:7 4"

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
    highest = _round_up(max([limit or 0.0, *(value for _, value in drawn)]))
    last = max((step for step, _ in points), default=1)
    x, y = _PLOT.x(0, max(1, last)), _PLOT.y(0, highest)
    marks = [(round(last * at / _TICKS), highest * at / _TICKS) for at in range(_TICKS + 1)]
    lines = [
        (drawn, _FAINT if smooth else _BOLD),
        (smooth, _BOLD),
        ([] if limit is None else [(0, limit), (last, limit)], _LIMIT),
    ]
    parts = [
        _PLOT.y_ticks(y, [(value, f"{value:.3g}") for _, value in marks]),
        _PLOT.x_ticks(x, [(step, str(step)) for step, _ in marks], grid=False),
        *(line([(x(step), y(value)) for step, value in values], style=style) for values, style in lines),
        _PLOT.axis_names(along, unit),
    ]
    said = (
        f"from {drawn[0][1]:.3g} after {along} {drawn[0][0]} to {drawn[-1][1]:.3g} after {along} {drawn[-1][0]}"
        if drawn
        else "no values"
    )
    return picture(_PLOT.width, _PLOT.height, title, said, parts)


def smoothed(points: Points) -> list[tuple[int, float]]:
    """The mean of each point and its neighbours, over a tenth of all steps: batches differ by chance."""
    drawn = [(step, value) for step, value in points if math.isfinite(value)]
    reach = max(1, len(drawn) // 20)
    found = []
    for at, (step, _) in enumerate(drawn):
        near = [value for _, value in drawn[max(0, at - reach) : at + reach + 1]]
        found.append((step, sum(near) / len(near)))
    return found


def _round_up(value: float) -> float:
    """The next of 1, 2, 4, 5, 8 or 10 times a power of ten, so that quarters of it are easy to read."""
    if not value > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(power * factor for factor in (1, 2, 4, 5, 8, 10) if value <= power * factor * (1 + 1e-9))
