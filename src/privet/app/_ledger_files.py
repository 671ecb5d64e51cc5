"""Ledger exports and receipts as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from privet._outgoing_text import for_csv
from privet.artifact import Receipt
from privet.errors import FileProblem, UnknownRecord
from privet.evidence import read_json, record_bytes

_COLUMNS = (
    "number", "at", "kind", "why", "purpose", "analyst", "data", "accounting", "composition",
    "epsilon", "rho", "delta", "event", "promise", "previous", "hash",
)  # fmt: skip


def read_receipts(path: Path) -> list[Receipt]:
    """The receipts in a JSON file: one, a list of them, or a document with a receipt (or several) inside."""
    try:
        document = read_json(record_bytes(path), what=path.name)
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {(error.strerror or 'unknown').lower()}.") from None
    except ValueError:
        raise UnknownRecord(f"{path} is not JSON.", "Give a file with a receipt in it.") from None
    found = [Receipt.from_json(record) for record in _records(document)]
    if not found:
        raise UnknownRecord(f"{path} holds no receipt.", "Give the receipt that came with a release.")
    return found


def _records(document: Any) -> Iterator[dict[str, Any]]:
    if isinstance(document, list):
        for item in document:
            yield from _records(item)
    elif isinstance(document, dict) and {"ledger", "head", "entry"} <= document.keys():
        yield document
    elif isinstance(document, dict):
        for name in ("receipt", "receipts"):
            yield from _records(document.get(name))


def as_text(book: dict[str, Any], *, ascii_only: bool = False) -> str:
    """An export as JSON; in ASCII alone where a terminal may be at the other end."""
    return json.dumps(book, ensure_ascii=ascii_only, indent=2) + "\n"


def as_csv(book: dict[str, Any]) -> str:
    """An export as one line for each entry; records inside stay JSON."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, extrasaction="ignore", restval="")
    writer.writeheader()
    for entry in book["entries"]:
        writer.writerow({name: _cell(value) for name, value in {**entry, **entry.get("cost", {})}.items()})
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    text = "" if value is None else str(value)
    return for_csv(text)
