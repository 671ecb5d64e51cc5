"""Batches that arrive at a collector: every report is checked against the specification before it is stored, in random order.

A batch is lines of JSON, each `{"id": "<32 hexadecimal digits>", "report": {…}}`. The id is random and chosen by the sender for
this one report, so that what is sent again is stored once; it names nobody. A line that does not fit is refused with a
code and counted; the others are taken.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet.artifact import is_there, new_file, opened
from privet.errors import DeviceProblem, ForeignReports, PrivetError
from privet.evidence import read_json
from privet.mechanism import WordStream, fresh_bytes
from privet.protect.collect._collection import Collection
from privet.protect.collect._report_tables import COLLECTION, NOT_PRIVATE
from privet.protect.collect._report_validation import read_reports

LARGEST_REPORT, MOST_IN_BATCH = 1 << 20, 10_000
# What is said and counted of a line that is not taken.
MALFORMED, FOREIGN, OUTSIDE = "malformed", "foreign", "outside"
_HEXADECIMAL = set("0123456789abcdef")
_TYPES: dict[str, Any] = {"uint64": str, "bits": str, "list": list}


@dataclass(frozen=True)
class Intake:
    """What a batch holds: reports by id, in random order, and how many lines were refused, by what was wrong with them."""

    reports: list[tuple[str, str]]
    refused: dict[str, int]


def intake(body: bytes, collection: Collection) -> Intake:
    """The reports of a batch that fit the specification; the order in which they were sent is gone."""
    refused = dict.fromkeys((MALFORMED, FOREIGN, OUTSIDE), 0)
    read: list[tuple[str, dict[str, Any]]] = []
    for line in body.split(b"\n"):
        if not line.strip():
            continue
        found = _read(line, collection)
        if isinstance(found, str):
            refused[found] += 1
        else:
            read.append(found)
    fitting = _fitting(read, collection)
    refused[OUTSIDE] += len(read) - len(fitting)
    lines = [(name, json.dumps(report, separators=(",", ":"))) for name, report in fitting]
    return Intake(_shuffled(lines), refused)


def _read(line: bytes, collection: Collection) -> tuple[str, dict[str, Any]] | str:
    """The id and the report of a line, in the columns' order; or what is wrong with it."""
    try:
        said = read_json(line, what="a report", largest=LARGEST_REPORT)
        name, report = said["id"], said["report"]
        if set(said) != {"id", "report"} or not _is_id(name) or not isinstance(report, dict):
            return MALFORMED
    except (PrivetError, KeyError, TypeError, ValueError, RecursionError):
        return MALFORMED
    stamp = report.get(COLLECTION)
    if stamp not in (collection.fingerprint, collection.fingerprint + NOT_PRIVATE):
        return FOREIGN
    shape = collection.protocol.columns()
    if set(report) - {COLLECTION, *shape}:
        return MALFORMED
    for column, value in report.items():
        wanted = str if column == COLLECTION else _TYPES.get(shape[column][0], int)
        inside = value if isinstance(value, list) else [value]
        if type(value) is not wanted or any(type(one) not in (int, str) for one in inside):
            return MALFORMED
        if any(type(one) is int and not 0 <= one < 2**32 for one in inside):
            return OUTSIDE
        if isinstance(value, list) and any(type(one) is str for one in value):
            return MALFORMED
    return name, {column: report[column] for column in (COLLECTION, *shape) if column in report}


def _is_id(name: object) -> bool:
    return isinstance(name, str) and len(name) == 32 and not set(name) - _HEXADECIMAL


def _fitting(
    read: Sequence[tuple[str, dict[str, Any]]], collection: Collection
) -> list[tuple[str, dict[str, Any]]]:
    """Those that the estimate would count. All are looked at once: whoever mixes wrong ones in takes no more time than others."""
    if not read:
        return []
    fits = read_reports(_table(read, collection), collection).fits
    return [one for one, fitting in zip(read, fits.tolist(), strict=True) if fitting]


def _table(part: Sequence[tuple[str, dict[str, Any]]], collection: Collection) -> Any:
    import pyarrow as pa

    types = {"uint64": pa.string(), "bits": pa.string(), "list": pa.list_(pa.int64())}
    columns = {COLLECTION: pa.string()} | {
        name: types.get(kind, pa.int64()) for name, (kind, _) in collection.protocol.columns().items()
    }
    return pa.table(
        {name: pa.array([report.get(name) for _, report in part], kind) for name, kind in columns.items()}
    )


def _shuffled(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    order = np.argsort(WordStream.fresh().words(len(lines)), kind="stable")
    return [lines[at] for at in order]


def deployment_key(path: Path) -> str:
    """The key that senders show: made where there is none, in a file for its owner alone."""
    if not is_there(path):
        new_file(path, fresh_bytes(32).hex().encode() + b"\n")
    with opened(path, os.O_RDONLY) as handle:
        if os.fstat(handle).st_mode & 0o077:
            raise DeviceProblem(
                f"{path.name} can be read by others than its owner: the key may be known.",
                "Remove it; the next start makes another one.",
            )
        key = os.read(handle, 200).decode("ascii", "replace").strip()
    if len(key) != 64 or set(key) - _HEXADECIMAL:
        raise ForeignReports(
            f"{path.name} is not the key of a collector.", "Name another file, or a new one."
        )
    return key
