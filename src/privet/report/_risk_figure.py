"""Risks as plain SVG: what attacks reached beside what the promise allows, and risks before and after a protection.

Drawn narrow, with labels above the bars, so that they stay readable on a telephone. Every mark has its own shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from privet.audits import percent

_WIDTH, _LEFT, _RIGHT = 360, 8, 8
_NAME = 52  # characters of a label that fit


def drawable(evidence: Mapping[str, Any]) -> bool:
    """Whether a result lies on the scale from 0 to 1; others stand in the table only."""
    found = [evidence["success"]["high"], evidence["baseline"], evidence["bound"] or 0.0]
    if evidence["control"]:
        found.append(evidence["control"]["high"])
    return bool(evidence["success"]["low"] >= 0 and max(found) <= 1)


def evidence_figure(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """What each attack reached with its interval, what guessing reaches, and the most that the promise allows."""
    line = 42
    height = line * len(rows) + 62
    parts = [_open(height, f"Attacks on {name}", "; ".join(evidence_words(one) for one in rows))]
    for place, one in enumerate(rows):
        top = place * line
        y = top + 27
        low, high = _x(one["success"]["low"]), _x(one["success"]["high"])
        parts.append(
            f'<text x="{_LEFT}" y="{top + 13}">{escape(_cut(one["attack"]))}</text>'
            f'<rect class="room" x="{_LEFT}" y="{y - 5}" width="{_x(1) - _LEFT}" height="10" rx="2"/>'
        )
        if one["bound"] is not None:
            parts.append(f'<path class="allowed" d="M{_x(one["bound"]):.1f} {y - 10}v20"/>')
        parts.append(f'<path class="guess" d="M{_x(one["baseline"]):.1f} {y - 8}v16"/>')
        if one["control"]:
            parts.append(
                f'<rect class="control" x="{_x(one["control"]["value"]) - 4:.1f}" y="{y - 4}" width="8" height="8"/>'
            )
        parts.append(
            f'<path class="interval" d="M{low:.1f} {y}H{max(high, low + 0.5):.1f}"/>'
            f'<circle class="reached" cx="{_x(one["success"]["value"]):.1f}" cy="{y}" r="5"/>'
        )
    return "".join(
        [*parts, *_scale(line * len(rows) + 4), *_evidence_legend(line * len(rows) + 34), "</svg>"]
    )


def evidence_words(one: Mapping[str, Any]) -> str:
    """The same in words."""
    said = f"{one['attack']}, {one['measure']}: {interval(one['success'])}, guessing {one['baseline']:.3g}"
    if one["control"]:
        said += f", control {interval(one['control'])}"
    return said + ("" if one["bound"] is None else f", allowed {one['bound']:.3g}")


def interval(estimate: Mapping[str, Any]) -> str:
    """A figure with its interval, where it has one."""
    value = f"{estimate['value']:.3g}"
    if estimate["low"] == estimate["high"]:
        return value
    return f"{value} ({estimate['low']:.3g} to {estimate['high']:.3g})"


def before_and_after_figure(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Two bars for each risk: before and after; a line where the promise sets the most."""
    line = 62
    height = line * len(rows) + 62
    parts = [_open(height, f"Risk before and after: {name}", "; ".join(change_words(one) for one in rows))]
    for place, one in enumerate(rows):
        top = place * line
        parts.append(f'<text x="{_LEFT}" y="{top + 13}">{escape(_cut(one["measure"]))}</text>')
        for at, style in (("before", "was"), ("after", "is")):
            y = top + (19 if at == "before" else 36)
            wide = max(_x(one[at]) - _LEFT, 1.0)
            parts.append(f'<rect class="room" x="{_LEFT}" y="{y}" width="{_x(1) - _LEFT}" height="14"/>')
            parts.append(f'<rect class="{style}" x="{_LEFT}" y="{y}" width="{wide:.1f}" height="14"/>')
            inside = one[at] > 0.8
            x = _LEFT + wide + (-6 if inside else 6)
            parts.append(
                f'<text class="small{" on" if inside else ""}" x="{x:.1f}" y="{y + 11}"'
                f"{' text-anchor=' + chr(34) + 'end' + chr(34) if inside else ''}>{percent(one[at])}</text>"
            )
        if one["allowed"] is not None:
            parts.append(f'<path class="allowed" d="M{_x(one["allowed"]):.1f} {top + 17}v35"/>')
    y = line * len(rows) + 34
    parts += _scale(line * len(rows) + 4, ("0 %", "50 %", "100 %"))
    parts.append(
        f'<rect class="was" x="8" y="{y}" width="12" height="12"/><text class="small" x="25" y="{y + 10}">before</text>'
        f'<rect class="is" x="86" y="{y}" width="12" height="12"/><text class="small" x="103" y="{y + 10}">after</text>'
        f'<path class="allowed" d="M164 {y - 1}v14"/><text class="small" x="172" y="{y + 10}">allowed by the promise</text>'
    )
    return "".join([*parts, "</svg>"])


def change_words(one: Mapping[str, Any]) -> str:
    """The same in words."""
    allowed = "" if one["allowed"] is None else f", allowed {percent(one['allowed'])}"
    return f"{one['measure']}: {percent(one['before'])} before, {percent(one['after'])} after{allowed}"


def _scale(y: float, texts: tuple[str, str, str] = ("0", "0.5", "1")) -> list[str]:
    marks = zip((0.0, 0.5, 1.0), texts, ("start", "middle", "end"), strict=True)
    return [
        f'<text class="small axis" x="{_x(at):.1f}" y="{y + 12}" text-anchor="{anchor}">{text}</text>'
        for at, text, anchor in marks
    ]


def _evidence_legend(y: float) -> list[str]:
    return [
        f'<circle class="reached" cx="13" cy="{y + 6}" r="5"/><text class="small" x="23" y="{y + 10}">reached</text>'
        f'<path class="guess" d="M90 {y}v13"/><text class="small" x="97" y="{y + 10}">guessing</text>'
        f'<rect class="control" x="166" y="{y + 2}" width="8" height="8"/><text class="small" x="179" y="{y + 10}">control</text>'
        f'<path class="allowed" d="M244 {y - 1}v15"/><text class="small" x="251" y="{y + 10}">allowed</text>'
    ]


def _x(share: float) -> float:
    return _LEFT + max(0.0, min(1.0, share)) * (_WIDTH - _LEFT - _RIGHT)


def _open(height: float, title: str, said: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {_WIDTH} {height:g}" width="100%" '
        f'class="narrow"><title>{escape(title)}</title><desc>{escape(said)}</desc>'
    )


def _cut(text: str) -> str:
    return text if len(text) <= _NAME else f"{text[: _NAME - 1]}…"
