"""How large, deep, wide and tightly packed a file may be before it is refused.

The limits are about files, not about rows: they are checked when a source is opened, never while a question is
answered. They are raised by whoever trusts a file, in the environment: `PRIVET_LIMITS="columns=20000,ratio=500"`.
"""

from __future__ import annotations

import dataclasses
import os
import re
from dataclasses import dataclass

from privet.errors import BadSpeed, SourceTooLarge

VARIABLE = "PRIVET_LIMITS"
_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30
_PAIR = re.compile(r"\s*([a-z_]+)\s*=\s*(\d+)\s*")
_SAID = {
    "file_bytes": "the file has {found:,} bytes, and {limit:,} are allowed.",
    "unpacked_bytes": "the file may unpack to {found:,} bytes, and {limit:,} are allowed.",
    "ratio": "the file unpacks to {found:,} times its size, and {limit:,} times are allowed.",
    "columns": "the table has {found:,} columns, and {limit:,} are allowed.",
    "name_letters": "a column's name has {found:,} letters, and {limit:,} are allowed.",
    "depth": "values are nested {found:,} deep, and {limit:,} are allowed.",
    "tables": "the file has {found:,} tables, and {limit:,} are allowed.",
    "rows": "the file says that it has {found:,} rows, and {limit:,} are allowed.",
    "cell_bytes": "a value has more than the {limit:,} bytes that are allowed.",
    "seconds": "opening the file took more than the {limit:,} seconds that are allowed.",
}


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """What a file may be. Each number is named in the refusal that it causes."""

    file_bytes: int = 256 * _GIB
    unpacked_bytes: int = 1024 * _GIB
    ratio: int = 250  # how many times a file may grow when it is unpacked, beyond `ratio_from` bytes
    ratio_from: int = 64 * _MIB
    columns: int = 10_000
    name_letters: int = 1_000
    depth: int = 32  # of lists and objects in each other
    tables: int = 10_000
    rows: int = 100_000_000_000
    cell_bytes: int = 64 * _MIB
    seconds: int = 120  # for opening, not for reading all rows
    memory_bytes: int = 8 * _GIB  # of the process without rights
    spill_bytes: int = 256 * _GIB  # of the embedded engine, on disk

    def within(self, limit: str, found: int) -> None:
        """Refuse what is more than a limit allows, and say how the limit is raised."""
        allowed: int = getattr(self, limit)
        if found > allowed:
            raise exceeded(limit, found, allowed)

    def record(self) -> dict[str, int]:
        """The limits as plain data."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}


DEFAULTS = ReaderLimits()


def exceeded(limit: str, found: int, allowed: int) -> SourceTooLarge:
    """The refusal of a file that is beyond a limit."""
    wanted = max(found, allowed + 1)
    return SourceTooLarge(
        _SAID[limit].format(found=found, limit=allowed),
        f"If you trust the file, raise the limit: {VARIABLE}={limit}={wanted} in the environment.",
        limit=limit,
        allowed=allowed,
    )


def in_force() -> ReaderLimits:
    """The limits as the environment states them; the defaults where it states none."""
    said = os.environ.get(VARIABLE, "").strip()
    return _parsed(said) if said else DEFAULTS


def _parsed(said: str) -> ReaderLimits:
    known = {one.name for one in dataclasses.fields(ReaderLimits)}
    pairs = [_PAIR.fullmatch(part) for part in said.split(",")]
    found = {pair[1]: int(pair[2]) for pair in pairs if pair is not None}
    if None in pairs or not set(found) <= known or len(found) < len(pairs) or not all(found.values()):
        raise BadSpeed(
            f"{VARIABLE} in the environment cannot be understood.",
            f"Write {VARIABLE}=columns=20000,ratio=500. Known are {', '.join(sorted(known))}.",
        )
    return ReaderLimits(**found)
