"""What an embedded DuckDB may not do: reach a file that was not named, load an extension, or change a setting.

The settings are made in this order and the last one locks them, before any file of somebody else's is attached.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

AT_START = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}


def real(path: Path) -> str:
    """Where a file really is: without links, and never in a form that the engine takes for an address."""
    return os.path.realpath(path)


def escaped(path: Path) -> str:
    """The path as the engine must be told it, so that `*`, `?` and `[` in a name stand for themselves."""
    return re.sub(r"([*?\[])", r"[\1]", real(path))


def quoted(text: str) -> str:
    """A text as a constant of SQL."""
    return "'" + text.replace("'", "''") + "'"


def lock(connection: Any, files: Sequence[Path], spill_bytes: int = 0) -> None:
    """Close a fresh DuckDB connection to everything but these files and the folder that it spills to, if it has one."""
    allowed = [text for file in files for text in (real(file), escaped(file))]
    allowed += [f"{real(file)}.wal" for file in files]  # what a DuckDB file has not taken in yet
    for setting, value in (
        # Ibis sets these two for one conversation; there will be others with this engine.
        ("GLOBAL TimeZone", "'UTC'"),
        ("GLOBAL python_enable_replacements", "false"),
        *((("max_temp_directory_size", f"'{spill_bytes >> 10}KiB'"),) if spill_bytes else ()),
        ("allowed_paths", f"[{', '.join(map(quoted, allowed))}]"),
        ("enable_external_access", "false"),
        ("lock_configuration", "true"),
    ):
        connection.execute(f"SET {setting} = {value}")
