"""A trade-off as one HTML page: the picture, the proposal with its reason, and every point as a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, Publishable
from privet.report._page import rendered, saved_page
from privet.report._tradeoff_figure import tradeoff_figure

# How one was made that anybody may see: not on the rows.
SHOWN = ("public", "surrogate")


def tradeoff_page(tradeoff: Mapping[str, Any]) -> str:
    """The page of a trade-off's record: no script, no network."""
    points = list(tradeoff["points"])
    knee = tradeoff.get("knee")
    first = points[0] if points else {}
    shown = tradeoff["standing"] in SHOWN
    return rendered(
        "tradeoff.html",
        audience="public" if shown else "owner",
        title=f"Use against risk: predicting {tradeoff['target']}",
        target=tradeoff["target"],
        standing=tradeoff["standing_words"],
        shown=shown,
        knee=None
        if knee is None
        else {
            "label": f"{points[knee['index']]['technique']}, {points[knee['index']]['label']}",
            "reason": knee["reason"],
            "words": points[knee["index"]]["words"],
            "lines": knee["policy_lines"],
        },
        confidence=f"{tradeoff.get('confidence', 0.95):.0%}",
        figure=tradeoff_figure(tradeoff),
        utility_name=first.get("utility_name", "utility"),
        risk_name=first.get("risk_name", "risk"),
        guess=f"{tradeoff.get('guess', 0):.3g}",
        rows=[_row(at, point, knee) for at, point in enumerate(points)],
        used=f"{tradeoff['people']['used']:,}",
        apart=f"{tradeoff['people']['kept_apart']:,}",
        unit=f"by {tradeoff['unit']}" if tradeoff["unit"] != "row" else "a row each",
        notes=tradeoff.get("notes", []),
    )


def save_tradeoff_page(tradeoff: Mapping[str, Any], path: str | Path) -> Path:
    """Write the page, whole or not at all."""
    page = tradeoff_page(tradeoff)
    if tradeoff["standing"] in SHOWN:
        return saved_page(Publishable(page, "made from public rows"), path)
    return saved_page(OwnerOnly(page), path)


def _row(at: int, point: Mapping[str, Any], knee: Mapping[str, Any] | None) -> dict[str, Any]:
    marks = [
        "proposed" if knee is not None and knee["index"] == at else "",
        "on the frontier" if point.get("on_frontier") else "",
        "says nothing" if point.get("meaningless") else "",
    ]
    allowed = point.get("allowed")
    return {
        "technique": point["technique"],
        "label": point["label"],
        "utility": _three(point["utility"]),
        "risk": _three(point["risk"]),
        "attack": point.get("attack", ""),
        "allowed": "" if allowed is None else f"{allowed:.3g}",
        "standing": point.get("standing", ""),
        "mark": ", ".join(mark for mark in marks if mark),
        "words": point.get("words", ""),
        "notes": point.get("notes", []),
    }


def _three(estimate: Mapping[str, float]) -> str:
    return f"{estimate['value']:.3f} [{estimate['low']:.3f}, {estimate['high']:.3f}]"
