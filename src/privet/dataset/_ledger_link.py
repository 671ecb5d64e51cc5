"""Which ledger a bare file is booked in: the one beside it, or the one that a small file beside it names.

A second ledger for the same rows would be a second budget. A file about which nothing is declared has its ledger beside
it, `patients.csv.ledger`; if it was booked elsewhere first, `patients.csv.ledger.link` says where.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

from privet._address_secrets import without_password
from privet.artifact import new_file
from privet.errors import FileProblem, UnsafePath
from privet.evidence import read_json, record_bytes

FORMAT = "privet-ledger-link/1"


def known(file: Path | None) -> str | None:
    """The place of the ledger that a file's rows are booked in; None where there is none yet."""
    if file is None:
        return None
    beside = Path(f"{file}.ledger")
    if beside.exists():
        return str(beside)
    try:
        record = read_json(record_bytes(_link(file)), what=_link(file).name)
    except (OSError, ValueError):
        return None
    place = record.get("ledger") if isinstance(record, dict) and record.get("format") == FORMAT else None
    if not isinstance(place, str):
        return None
    place = place if "://" in place else str(file.parent / place)
    if "://" not in place and not Path(place).is_file():
        raise UnsafePath(
            f"{_link(file).name} says where this file is booked, and there is no ledger there.",
            "Put the ledger back: a new one would be a new budget for the same people.",
        )
    return place


def remember(file: Path, place: str) -> None:
    """Note where a file's rows are booked, unless it is the place where anybody would look."""
    if "://" not in place and Path(place).resolve() == Path(f"{file}.ledger").resolve():
        return
    if _link(file).exists() or not file.exists():
        return
    # Relative where it can be: a folder that is moved or copied takes its ledger along.
    home, book = file.parent.resolve(), Path(place).resolve()
    near = book.relative_to(home) if book.is_relative_to(home) else book
    where = without_password(place) if "://" in place else str(near)
    # A folder that cannot be written to keeps no note; a declared data set needs none.
    with contextlib.suppress(FileProblem):
        new_file(_link(file), (json.dumps({"format": FORMAT, "ledger": where}) + "\n").encode())


def _link(file: Path) -> Path:
    return Path(f"{file}.ledger.link")
