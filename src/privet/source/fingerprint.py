"""The name of a snapshot: which state of which source an answer was computed from.

A fingerprint stands in public receipts, so it must not depend on what the rows say: with a digest of the
contents anybody could check a guess about them ("is it this table, or the one without Jane?"). It names the
snapshot instead:

- with `version=` stated, the name and that version, always;
- for a file, a digest of its kind, its column names and types, its base name and its time of modification;
- for frames in memory, engines' tables and databases, a mark that is new every time: nothing observable says
  that such a source has not changed since it was last opened.

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
from pathlib import Path

from privet.errors import BadDeclaration

_opened = itertools.count()


def stated(name: str, version: object) -> str:
    """The fingerprint of a version that the caller names."""
    if not isinstance(version, str) or not version.strip():
        raise BadDeclaration("a version is a short text.", 'Write version="2026-11-01".')
    return f"{name}@{version.strip()}"


def of_file(kind: str, path: Path, columns: Mapping[str, str]) -> str:
    """The fingerprint of a file as it lies there now."""
    return _digest("file", kind, list(columns.items()), path.name, path.stat().st_mtime_ns)


def of_the_moment(kind: str, columns: Mapping[str, str]) -> str:
    """A fingerprint that no other opening shares, in this process or another."""
    mark = [platform.node(), os.getpid(), time.time_ns(), time.monotonic_ns(), next(_opened)]
    return _digest("moment", kind, list(columns.items()), *mark)


def _digest(*parts: object) -> str:
    return "snapshot:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()
