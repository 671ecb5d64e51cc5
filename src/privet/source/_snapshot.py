"""The name of a snapshot: which state of which source an answer was computed from.

A fingerprint stands in public receipts, so it must not depend on what the rows say: with a digest of the
contents anybody could check a guess about them ("is it this table, or the one without Jane?"). It names the
snapshot instead:

- with `version=` stated, the name and that version, always;
- for a file, a digest of its kind, its column names and types, its base name and its time of modification, and that of
  the log beside it where a database keeps what it has not taken in yet;
- for frames in memory, engines' tables and databases, a mark that is new every time: nothing observable says
  that such a source has not changed since it was last opened.

A file is read when a question is answered, so a table remembers when its file was last modified, and its
fingerprint is refused once that has changed: answers would come from other data than the receipt says.

Equal fingerprints mean "the same snapshot, as far as its keeper says": a file rewritten with its old time of
modification keeps its fingerprint. State a version where that matters.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import platform
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from privet.errors import BadDeclaration, SourceChanged

_opened = itertools.count()
# Of DuckDB, and the two of SQLite: rows that are not in the file itself, or are to be taken out of it again.
_LOGS = (".wal", "-wal", "-journal")
Times = int | list[int] | None  # nanoseconds


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The name of a state of the data, and the file it must still be in."""

    name: str
    file: Path | None = None
    modified: Times = None

    @classmethod
    def of(cls, name: str, file: Path | None) -> Snapshot:
        """A snapshot of what lies there now."""
        return cls(name, file, _modified(file))

    def name_or_refuse(self) -> str:
        """The name; an error if the file has been changed since."""
        if _modified(self.file) != self.modified:
            raise SourceChanged("the file has changed since the table was opened.", "Open the table again.")
        return self.name


def _modified(file: Path | None) -> Times:
    if file is None:
        return None
    times = [_time(file) or -1]
    times += [
        time
        for ending in _LOGS
        if (time := _time(file.with_name(file.name + ending), empty=False)) is not None
    ]
    return times[0] if len(times) == 1 else times


def _time(file: Path, *, empty: bool = True) -> int | None:
    """When a file was modified; None where there is none, or where it is empty and that is to count as none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns if found.st_size or empty else None


def stated(name: str, version: object) -> str:
    """The fingerprint of a version that the caller names."""
    if not isinstance(version, str) or not version.strip():
        raise BadDeclaration("a version is a short text.", 'Write version="2026-11-01".')
    return f"{name}@{version.strip()}"


def of_file(kind: str, path: Path, columns: Mapping[str, str]) -> str:
    """The fingerprint of a file as it lies there now."""
    return _digest("file", kind, list(columns.items()), path.name, _modified(path))


def of_the_moment(kind: str, columns: Mapping[str, str]) -> str:
    """A fingerprint that no other opening shares, in this process or another."""
    mark = [platform.node(), os.getpid(), time.time_ns(), time.monotonic_ns(), next(_opened)]
    return _digest("moment", kind, list(columns.items()), *mark)


def memory_snapshot(kind: str, version: str | None) -> str:
    """The fingerprint of something in memory that is no table: the version that is named, or this moment."""
    return of_the_moment(kind, {}) if version is None else stated(kind, version)


def _digest(*parts: object) -> str:
    return "snapshot:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()
