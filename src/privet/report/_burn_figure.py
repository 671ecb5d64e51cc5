"""How far a budget is burnt down, as plain SVG: spent before, spent in this run, planned (hatched) and left.

Drawn narrow, with labels above the bars, so that it stays readable on a telephone and in black and white.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import escape
from typing import Any

from privet.guarantee import readable

_WIDTH, _ROW, _BAR = 360, 50, 18
_PARTS = (
    ("before", "spent before", "spent"),
    ("this_run", "spent in this run", "fresh"),
    ("planned", "planned, not yet spent", "ahead"),
)


def burn_figure(scope: str, coins: Sequence[Mapping[str, Any]], *, key: str) -> str:
    """One budget with a bar for each coin; `key` keeps the hatching of several pictures on a page apart."""
    height = _ROW * len(coins) + 46
    said = "; ".join(burn_words(coin) for coin in coins)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {height}" width="100%" '
        f'class="narrow"><title>Budget of the {escape(scope)}</title><desc>{escape(said)}</desc>'
        f'<defs><pattern id="hatch-{escape(key)}" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><path class="hatching" d="M0 0V6"/></pattern></defs>'
    ]
    for place, coin in enumerate(coins):
        parts += _row(coin, place * _ROW, key)
    parts += _legend(_ROW * len(coins) + 8, key)
    return "".join([*parts, "</svg>"])


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


def _row(coin: Mapping[str, Any], top: float, key: str) -> list[str]:
    cap, left = Fraction(coin["cap"]), Fraction(coin["left"])
    y, wide = top + 20, _WIDTH - 2
    parts = [
        f'<text x="1" y="{top + 13:g}"><tspan class="strong">{escape(coin["coin"])}</tspan> '
        f"{readable(left)} left of {readable(cap)}</text>",
        f'<rect class="room" x="1" y="{y:g}" width="{wide}" height="{_BAR}" rx="2"/>',
    ]
    at = 1.0
    for name, _, style in _PARTS:
        part = float(Fraction(coin[name]) / cap) * wide if cap else 0.0
        part = min(part, 1 + wide - at)
        if part > 0:
            fill = f' style="fill:url(#hatch-{escape(key)})"' if style == "ahead" else ""
            parts.append(
                f'<rect class="{style}" x="{at:.1f}" y="{y:g}" width="{max(part, 1.5):.1f}" height="{_BAR}"{fill}/>'
            )
        at += part
    return parts


def _legend(top: float, key: str) -> list[str]:
    places = ((1, top), (180, top), (1, top + 19), (180, top + 19))
    entries = [*_PARTS, ("left", "left", "room")]
    parts = []
    for (x, y), (_, words, style) in zip(places, entries, strict=True):
        fill = f' style="fill:url(#hatch-{escape(key)})"' if style == "ahead" else ""
        parts.append(f'<rect class="{style}" x="{x}" y="{y:g}" width="12" height="12"{fill}/>')
        parts.append(f'<text class="small" x="{x + 17}" y="{y + 10:g}">{words}</text>')
    return parts
