"""The report of a run in files: the page for people and the record for programs, each written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from privet.artifact import (
    OwnerOnly,
    Publishable,
    for_audience,
    inside,
    load_record,
    output_folders,
    output_place,
    written_whole,
)
from privet.errors import PrivetError, UnknownRecord
from privet.evidence import Signing
from privet.report._run_page import save_run_page

PAGE, DATA = "report.html", "report.json"
PUBLIC_PAGE, PUBLIC_DATA = "report-public.html", "report-public.json"

_NEEDED = ("target", "standing", "standing_words", "points", "knee", "notes")
_POINT = ("technique", "label", "utility", "risk", "on_frontier")


def save_report(report: Mapping[str, Any], out: Path, signing: Signing | None = None) -> tuple[Path, Path]:
    """Write a report's page and record among the outputs of a run: the owner's, or what may be given away."""
    public = report["audience"] == "public"
    names = (PUBLIC_PAGE, PUBLIC_DATA) if public else (PAGE, DATA)
    output_folders(out)
    page, data = (output_place(out, for_audience(name, public=public)) for name in names)
    return save_run_page(report, page, signing), save_report_data(report, data, signing)


def save_report_data(report: Mapping[str, Any], path: Path, signing: Signing | None = None) -> Path:
    """Write a report's record as JSON."""
    record = report if signing is None else signing.signed(report)
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    return written_whole(
        path,
        Publishable(text, "built from what may be told")
        if report["audience"] == "public"
        else OwnerOnly(text),
    )


def tradeoff_of(record: Mapping[str, Any], folder: Path) -> dict[str, Any] | None:
    """The trade-off that a step of the run wrote into the folder of its outputs, if it is still there."""
    for step in reversed(record["steps"]):
        if step["kind"] == "tradeoff" and step["made"]:
            try:
                return checked_tradeoff(
                    load_record(
                        inside(folder, step["made"]["path"], folders=True), "the record of a trade-off"
                    )
                )
            except PrivetError:  # gone, or not such a record, or elsewhere
                continue
    return None


def checked_tradeoff(record: Any) -> dict[str, Any]:
    """A trade-off's record as a report shows it; anything else is refused."""
    unknown = UnknownRecord(
        "this is not the record of a trade-off of a known version.", "`privet tradeoff` writes one."
    )
    if not isinstance(record, dict) or record.get("artifact") != "tradeoff" or record.get("schema") != 1:
        raise unknown
    points = record.get("points")
    if any(name not in record for name in _NEEDED) or not isinstance(points, list):
        raise unknown
    if not _proposal(record["knee"], len(points)) or not isinstance(record["notes"], list):
        raise unknown
    for point in points:
        if not isinstance(point, dict) or any(name not in point for name in _POINT):
            raise unknown
        if not all(isinstance(point[name], str) for name in ("technique", "label")):
            raise unknown
        if not all(_figure(point[name]) for name in ("utility", "risk")):
            raise unknown
    return record


def _figure(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), int | float) and isfinite(value[name])
        for name in ("value", "low", "high")
    )


def _proposal(knee: Any, points: int) -> bool:
    """Whether this is a proposal of one of the points, or of none."""
    return knee is None or (
        isinstance(knee, dict)
        and isinstance(knee.get("index"), int)
        and 0 <= knee["index"] < points
        and all(isinstance(knee.get(name), str) for name in ("reason", "policy_lines"))
    )
