"""Files of a table that commands are asked to write: what is impossible is refused before any work."""

from __future__ import annotations

import os
from pathlib import Path

from privet.errors import BadUsage, FileProblem


def check_outputs(out: Path | None, page: Path | None, record: Path | None) -> None:
    """Refuse impossible outputs before any work."""
    if out is None and page is None and record is None:
        raise BadUsage("no output file given.", "Name one: -o safe.parquet.")
    endings = ((out, (".parquet", ".csv")), (page, (".html", ".htm")), (record, (".json",)))
    for path, known in endings:
        if path and path.suffix not in known:
            raise BadUsage(f"{path.name} cannot be written.", f"End the name in {' or '.join(known)}.")
        if path and not path.resolve().parent.is_dir():
            raise BadUsage(f"the folder of {path.name} does not exist.", "Create it first.")
        if path and (path.is_dir() or not os.access(path.resolve().parent, os.W_OK)):
            raise FileProblem(f"{path.name} could not be written.", "Name a file in a folder of your own.")
