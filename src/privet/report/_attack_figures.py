"""The pictures of attacks as plain SVG: curves of true over false positives on log axes. Numbers and names only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

_WIDTH, _HEIGHT = 640, 460
_LEFT, _TOP, _RIGHT, _BOTTOM = 64, 16, 200, 56
_DECADES = 4  # down to one false positive in ten thousand
_DASHES = ("", "7 4", "2 4", "9 3 2 3", "4 2", "1 3")

Curve = tuple[str, Sequence[float], Sequence[float]]  # a name, false positives, true positives


def log_curves(curves: Sequence[Curve], bound: Curve | None = None) -> str:
    """Curves of true over false positives, both on log axes: only the left end says whether anybody is surely found."""
    told = "; ".join(
        f"{name}: {_at(x, y, 0.01):.1%} of members at 1 % false positives" for name, x, y in curves
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" '
        f'style="max-width:{_WIDTH}px"><title>True positives over false positives, log axes</title>'
        f"<desc>{escape(told)}</desc>"
    ]
    for power in range(-_DECADES, 1):
        share = 10.0**power
        label = f"{share:.0%}" if power >= -2 else f"{share * 100:g}%"
        parts.append(f'<path class="grid" d="M{_x(share):.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
        parts.append(f'<path class="grid" d="M{_LEFT} {_y(share):.1f}H{_WIDTH - _RIGHT}"/>')
        parts.append(
            f'<text x="{_x(share):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{label}</text>'
        )
        parts.append(f'<text x="{_LEFT - 8}" y="{_y(share) + 4:.1f}" text-anchor="end">{label}</text>')
    chance = [10.0 ** (-_DECADES), 1.0]
    parts.append(_line("guessing", chance, chance, "stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3"))
    if bound is not None:
        parts.append(_line(bound[0], bound[1], bound[2], "stroke:var(--risk);stroke-width:2"))
    for at, (name, false, true) in enumerate(curves):
        dash = _DASHES[at % len(_DASHES)]
        parts.append(
            _line(name, false, true, f"stroke:var(--leaf);stroke-width:2.5;stroke-dasharray:{dash or 'none'}")
        )
    legend = [(name, _DASHES[at % len(_DASHES)], "--leaf") for at, (name, _, _) in enumerate(curves)]
    legend += [("the promise allows", "", "--risk")] if bound is not None else []
    for at, (name, dash, colour) in enumerate([*legend, ("guessing", "3 3", "--soft")]):
        y = _TOP + 14 + 20 * at
        x = _WIDTH - _RIGHT + 12
        parts.append(
            f'<path d="M{x} {y}h24" style="fill:none;stroke:var({colour});stroke-width:2;'
            f'stroke-dasharray:{dash or "none"}"/><text x="{x + 30}" y="{y + 4}">{escape(name[:26])}</text>'
        )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{_HEIGHT - 12}" text-anchor="middle" class="axis">others taken for members</text>'
        f'<text transform="translate(16 {(_TOP + _HEIGHT - _BOTTOM) / 2}) rotate(-90)" text-anchor="middle" '
        'class="axis">members found</text></svg>'
    )
    return "".join(parts)


def _line(name: str, false: Sequence[float], true: Sequence[float], style: str) -> str:
    points = [(_x(x), _y(y)) for x, y in zip(false, true, strict=True)]
    steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{steps}" style="fill:none;{style}"><title>{escape(name)}</title></path>'


def _x(share: float) -> float:
    return _LEFT + _part(share) * (_WIDTH - _LEFT - _RIGHT)


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - _part(share) * (_HEIGHT - _TOP - _BOTTOM)


def _part(share: float) -> float:
    """Where a share lies between one in ten thousand and one, on a log scale."""
    return 1 + math.log10(min(1.0, max(share, 10.0**-_DECADES))) / _DECADES


def _at(false: Sequence[float], true: Sequence[float], rate: float) -> float:
    return max((y for x, y in zip(false, true, strict=True) if x <= rate + 1e-12), default=0.0)
