"""The pictures of attacks as plain SVG: curves of true over false positives on log axes. Numbers and names only."""

from __future__ import annotations

from collections.abc import Sequence

from privet.report._chart import Plot, legend, line, path, picture
from privet.report._danger import COLOURS, danger_of_curve, level

_PLOT = Plot(640, 460, left=64, right=200, top=16, bottom=56)
_DECADES = 4  # down to one false positive in ten thousand
_DASHES = ("", "7 4", "2 4", "9 3 2 3", "4 2", "1 3")

Curve = tuple[str, Sequence[float], Sequence[float]]  # a name, false positives, true positives


def log_curves(curves: Sequence[Curve], bound: Curve | None = None) -> str:
    """Curves of true over false positives, both on log axes: only the left end says whether anybody is surely found.

    The most dangerous stands first, and each has the colour of its danger.
    """
    dangers = {at: danger_of_curve(false, true) for at, (_, false, true) in enumerate(curves)}
    order = sorted(dangers, key=dangers.__getitem__, reverse=True)
    curves = [curves[at] for at in order]
    colours = [COLOURS[level(dangers[at])] for at in order]
    least = 10.0**-_DECADES
    x, y = _PLOT.x(least, 1, log=True), _PLOT.y(least, 1, log=True)
    powers = [(10.0**power, f"{100 * 10.0**power:g}%") for power in range(-_DECADES, 1)]
    styles = [_style(one, 2.5, _DASHES[at % len(_DASHES)]) for at, one in enumerate(colours)]
    drawn = [
        (("guessing", (least, 1.0), (least, 1.0)), _style("--soft", 1, "3 3")),
        *([(bound, _style("--ink", 2))] if bound is not None else []),
        *zip(curves, styles, strict=True),
    ]
    named = [
        *((name[:26], style) for (name, _, _), style in zip(curves, styles, strict=True)),
        *([("the promise allows", _style("--ink", 2))] if bound is not None else []),
        ("guessing", _style("--soft", 2, "3 3")),
    ]
    parts = [
        _PLOT.x_ticks(x, powers),
        _PLOT.y_ticks(y, powers),
        *(
            line([(x(a), y(b)) for a, b in zip(false, true, strict=True)], name, style=style)
            for (name, false, true), style in drawn
        ),
        legend(
            [(path("M0 0h24", style=style), name) for name, style in named],
            [(_PLOT.x_end + 12, _PLOT.top + 14 + 20 * at) for at in range(len(named))],
            gap=30,
        ),
        _PLOT.axis_names("others taken for members", "members found"),
    ]
    said = "; ".join(
        f"{name}: {_at(false, true, 0.01):.1%} of members at 1 % false positives"
        for name, false, true in curves
    )
    return picture(_PLOT.width, _PLOT.height, "True positives over false positives, log axes", said, parts)


def _style(colour: str, width: float, dash: str = "") -> str:
    return f"fill:none;stroke:var({colour});stroke-width:{width};stroke-dasharray:{dash or 'none'}"


def _at(false: Sequence[float], true: Sequence[float], rate: float) -> float:
    return max((y for x, y in zip(false, true, strict=True) if x <= rate + 1e-12), default=0.0)
