"""How far a budget is burnt down, as plain SVG: spent before, spent in this run, planned (hatched) and left.

Drawn narrow, with labels above the bars, so that it stays readable on a telephone and in black and white.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from privet.guarantee import readable
from privet.report._chart import legend, picture, plain, rect

_WIDTH, _ROW, _BAR = 360, 50, 18
_PARTS = (
    ("before", "spent before", "spent"),
    ("this_run", "spent in this run", "fresh"),
    ("planned", "planned, not yet spent", "ahead"),
)


def burn_figure(scope: str, coins: Sequence[Mapping[str, Any]], *, key: str) -> str:
    """One budget with a bar for each coin; `key` keeps the hatching of several pictures on a page apart."""
    hatch = f"hatch-{key}"
    pattern = (
        f'<defs><pattern id="{plain(hatch)}" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path class="hatching" d="M0 0V6"/></pattern></defs>'
    )
    bottom = _ROW * len(coins) + 14
    entries = [
        (rect(0, -6, 12, 12, kind=style, style=_fill(style, hatch)), words)
        for _, words, style in (*_PARTS, ("left", "left", "room"))
    ]
    places = [(x, bottom + y) for y in (0, 19) for x in (1, 180)]
    parts = [
        pattern,
        *(_row(coin, place * _ROW, hatch) for place, coin in enumerate(coins)),
        legend(entries, places, gap=17, kind="small"),
    ]
    said = "; ".join(burn_words(coin) for coin in coins)
    return picture(_WIDTH, bottom + 32, f"Budget of the {scope}", said, parts, kind="narrow")


def burn_words(coin: Mapping[str, Any]) -> str:
    """The same in words."""
    amount = {
        name: readable(Fraction(coin[name])) for name in ("cap", "before", "this_run", "planned", "left")
    }
    planned = f", {amount['planned']} planned" if Fraction(coin["planned"]) else ""
    return (
        f"{coin['coin']}: {amount['before']} spent before, {amount['this_run']} in this run{planned}, "
        f"{amount['left']} left of {amount['cap']}"
    )


def _row(coin: Mapping[str, Any], top: float, hatch: str) -> str:
    cap, left = Fraction(coin["cap"]), Fraction(coin["left"])
    y, wide, at = top + 20, _WIDTH - 2, 1.0
    parts = [
        f'<text x="1" y="{top + 13:g}"><tspan class="strong">{plain(coin["coin"])}</tspan> '
        f"{readable(left)} left of {readable(cap)}</text>",
        rect(1, y, wide, _BAR, kind="room", rx=2),
    ]
    for name, _, style in _PARTS:
        part = min(float(Fraction(coin[name]) / cap) * wide if cap else 0.0, 1 + wide - at)
        if part > 0:
            parts.append(rect(at, y, max(part, 1.5), _BAR, kind=style, style=_fill(style, hatch)))
        at += part
    return "".join(parts)


def _fill(style: str, hatch: str) -> str:
    return f"fill:url(#{hatch})" if style == "ahead" else ""
