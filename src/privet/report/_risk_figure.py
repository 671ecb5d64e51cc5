"""Risks as plain SVG: what attacks reached beside what the promise allows, and risks before and after a protection.

Drawn narrow, with labels above the bars, so that they stay readable on a telephone. Every mark has its own shape.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from privet.audits import percent
from privet.report._chart import Scale, cut, dot, legend, path, picture, rect, short, text
from privet.report._danger import HIGH, LOW, RAISED, danger, level

_WIDTH, _LEFT, _RIGHT = 360, 8, 352
_X = Scale(0, 1, _LEFT, _RIGHT)
_ROW = 42
_OFTEN = 0.2  # a risk that is left: one in five, the usual k = 5, is not marked
_NAME = 52  # characters of a label that fit


def drawable(evidence: Mapping[str, Any]) -> bool:
    """Whether a result lies on the scale from 0 to 1; others stand in the table only."""
    found = [evidence["success"]["high"], evidence["baseline"], evidence["bound"] or 0.0]
    if evidence["control"]:
        found.append(evidence["control"]["high"])
    return bool(evidence["success"]["low"] >= 0 and max(found) <= 1)


def evidence_figure(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """What each attack reached with its interval, what guessing reaches, and the most that the promise allows.

    Each kind of measure has an axis of its own; the most dangerous stand first, in the colour of their danger.
    """
    groups = _by_measure(rows)
    parts, top = [], 0.0
    for measure, mine in groups:
        parts.append(text(_LEFT, top + 15, cut(measure, _NAME), kind="strong"))
        parts += [_evidence(one, top + 20 + place * _ROW) for place, one in enumerate(mine)]
        top += 20 + _ROW * len(mine)
        parts.append(_scale(top + 12, ("0", "0.5", "1")))
        top += 24
    symbols = [
        (dot(0, 0, 5, kind="reached low"), "reached"),
        (path("M0 -6v13", kind="guess"), "guessing"),
        (rect(-4, -4, 8, 8, kind="control"), "control"),
        (path("M0 -7v15", kind="allowed"), "allowed"),
    ]
    levels = [
        (dot(0, 0, 5, kind=f"reached {one}"), words)
        for one, words in ((LOW, "near guessing"), (RAISED, "better"), (HIGH, "over half way to certain"))
    ]
    parts.append(legend(symbols, [(x, top + 16) for x in (13, 90, 170, 244)], gap=9, kind="small"))
    parts.append(legend(levels, [(x, top + 36) for x in (13, 116, 180)], gap=9, kind="small"))
    said = "; ".join(evidence_words(one) for _, mine in groups for one in mine)
    return picture(_WIDTH, top + 54, f"Attacks on {name}", said, parts, kind="narrow")


def _by_measure(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Attacks by what they measure, the most dangerous attack and its measure first."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for one in sorted(rows, key=danger, reverse=True):
        groups.setdefault(one["measure"], []).append(one)
    return list(groups.items())


def _evidence(one: Mapping[str, Any], top: float) -> str:
    y = top + 27
    low, high = _X(one["success"]["low"]), _X(one["success"]["high"])
    control, how = one["control"], level(danger(one))
    parts = [
        text(_LEFT, top + 13, cut(one["attack"], _NAME - 12)),
        text(_RIGHT, top + 13, f"{one['success']['value']:.3g}", anchor="end", kind="strong"),
        rect(_LEFT, y - 5, _RIGHT - _LEFT, 10, kind="room", rx=2),
        "" if one["bound"] is None else _upright(one["bound"], y - 10, 20, "allowed"),
        _upright(one["baseline"], y - 8, 16, "guess"),
        rect(_X(control["value"]) - 4, y - 4, 8, 8, kind="control") if control else "",
        path(f"M{short(low)} {y}H{short(max(high, low + 0.5))}", kind=f"interval {how}"),
        dot(_X(one["success"]["value"]), y, 5, kind=f"reached {how}"),
    ]
    return "".join(parts)


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
    """Two bars for each risk: before and after; a line where the promise sets the most. The largest risk left is first."""
    row = 62
    bottom = row * len(rows) + 40
    symbols = [
        (rect(-6, -6, 12, 12, kind="was"), "before"),
        (rect(-6, -6, 12, 12, kind="is low"), "after"),
        (path("M0 -7v14", kind="allowed"), "allowed by the promise"),
    ]
    parts = []
    ordered = sorted(rows, key=lambda one: one["after"], reverse=True)
    for place, one in enumerate(ordered):
        top = place * row
        broken = one["allowed"] is not None and one["after"] > one["allowed"]
        how = HIGH if broken else level(one["after"], raised=_OFTEN)
        parts.append(text(_LEFT, top + 13, cut(one["measure"], _NAME)))
        parts += [_bar(one["before"], top + 19, "was"), _bar(one["after"], top + 36, f"is {how}")]
        parts.append("" if one["allowed"] is None else _upright(one["allowed"], top + 17, 35, "allowed"))
    parts.append(_scale(bottom - 24, ("0 %", "50 %", "100 %")))
    parts.append(legend(symbols, [(x, bottom) for x in (14, 92, 164)], gap=10, kind="small"))
    said = "; ".join(change_words(one) for one in ordered)
    return picture(_WIDTH, bottom + 22, f"Risk before and after: {name}", said, parts, kind="narrow")


def _bar(share: float, y: float, kind: str) -> str:
    """A bar with its figure behind it, or in it where there is no room behind it."""
    wide = max(_X(share) - _LEFT, 1.0)
    said = (
        text(_LEFT + wide - 6, y + 11, percent(share), anchor="end", kind="small on")
        if share > 0.8
        else text(_LEFT + wide + 6, y + 11, percent(share), kind="small")
    )
    return rect(_LEFT, y, _RIGHT - _LEFT, 14, kind="room") + rect(_LEFT, y, wide, 14, kind=kind) + said


def change_words(one: Mapping[str, Any]) -> str:
    """The same in words."""
    allowed = "" if one["allowed"] is None else f", allowed {percent(one['allowed'])}"
    return f"{one['measure']}: {percent(one['before'])} before, {percent(one['after'])} after{allowed}"


def _scale(y: float, texts: tuple[str, str, str]) -> str:
    marks = zip((0.0, 0.5, 1.0), texts, ("start", "middle", "end"), strict=True)
    return "".join(text(_X(at), y, words, anchor=anchor, kind="small axis") for at, words, anchor in marks)


def _upright(share: float, y: float, tall: float, kind: str) -> str:
    return path(f"M{short(_X(share))} {short(y)}v{short(tall)}", kind=kind)
