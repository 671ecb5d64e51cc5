"""Which number of a function pays for privacy, as one SVG: how far each moves between halves, and its noise at each budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from privet.report._chart import Plot, Scale, cut, dot, path, picture, short, text

_ROW, _MOST = 22, 16
_COLOURS = ("--leaf,#2f7d4f", "--free,#0b6fa4", "--sensitive,#6f42c1", "--quasi,#9a6700")


def stability_figure(record: Mapping[str, Any]) -> str:
    """The picture of a stability record: the numbers that bear most noise, each with a mark for every budget."""
    shares = list(record["shares"])
    places = sorted(range(len(shares)), key=lambda at: -shares[at])[:_MOST]
    budgets = list(record["noise"])
    values = {
        "between halves": [record["spread"][at] / record["width"][at] for at in places],
        **{
            f"noise at {nats}": [record["noise"][nats][at] / record["width"][at] for at in places]
            for nats in budgets
        },
    }
    seen = [value for row in values.values() for value in row if value > 0] or [1.0]
    plot = Plot(720, 110 + _ROW * len(places), left=200, right=24, top=56, bottom=54)
    x = plot.x(
        10 ** math.floor(math.log10(min(seen))), 10 ** math.ceil(math.log10(max(seen)) + 1e-9), log=True
    )
    title = f"Stability of {record['name']}: which number pays"
    parts = [_axis(plot, x), _legend(list(values))]
    for row, at in enumerate(places):
        y = plot.top + _ROW * (row + 0.5)
        parts.append(text(plot.left - 8, y + 4, cut(str(record["labels"][at]), 30), anchor="end"))
        parts += [
            _mark(
                x(values[name][row]),
                y,
                number,
                f"{record['labels'][at]}, {name}: {values[name][row]:.3g} of the bounds",
            )
            for number, name in enumerate(values)
            if values[name][row] > 0
        ]
    return picture(plot.width, plot.height, title, _told(record, places, values), parts)


def _axis(plot: Plot, x: Scale) -> str:
    powers = range(round(math.log10(x.low)), round(math.log10(x.high)) + 1)
    step = max(1, math.ceil(len(powers) / 8))
    marks = [(10.0**power, f"{10.0**power:g}") for power in list(powers)[::step]]
    return plot.x_ticks(x, marks) + plot.axis_names(
        "standard deviation, as a share of the width of the public bounds"
    )


def _mark(x: float, y: float, number: int, said: str) -> str:
    if number == 0:
        return path(
            f"M{short(x)} {short(y - 6)}V{short(y + 6)}",
            said,
            style="stroke:var(--soft,#5b6b60);stroke-width:3",
        )
    return dot(x, y, 4.5, said, style=f"fill:var({_COLOURS[(number - 1) % len(_COLOURS)]})")


def _legend(names: list[str]) -> str:
    parts, at = [], 24.0
    for number, name in enumerate(names):
        parts += [_mark(at, 28, number, ""), text(at + 10, 32, name)]
        at += 34 + 6.6 * len(name)
    return "".join(parts)


def _told(record: Mapping[str, Any], places: list[int], values: Mapping[str, list[float]]) -> str:
    said = [
        f"{record['labels'][at]}: " + ", ".join(f"{name} {each[row]:.3g}" for name, each in values.items())
        for row, at in enumerate(places)
    ]
    return ". ".join(said) + ", as shares of the width of the public bounds."
