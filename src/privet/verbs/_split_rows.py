"""The rows that a twin was made of and those kept apart from it, as files for their owner: what an attack is scored with."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from privet.artifact import OwnerOnly, written_folder
from privet.errors import BadUsage
from privet.guarantee import ApproxDP, readable

if TYPE_CHECKING:
    from privet.artifact import Content
    from privet.guarantee import Promise
    from privet.source import Table

USED, APART = "used.parquet", "kept-apart.parquet"


def refuse_parts(folder: Path, share: float | None) -> None:
    """What cannot be, before anything is spent: nothing is kept apart, or something else stands there."""
    if not share:
        raise BadUsage("no rows are kept apart.", "Add --holdout 0.2; nothing was spent.")
    if not folder.resolve().parent.is_dir():
        raise BadUsage(f"the folder of {folder.name} does not exist.", "Create it first; nothing was spent.")
    if folder.exists() and not folder.is_dir():
        raise BadUsage(f"{folder.name} is no folder.", "Name a new one; nothing was spent.")
    if folder.is_dir() and any(one.name not in (USED, APART) for one in folder.iterdir()):
        raise BadUsage(
            f"there is a folder {folder.name} already, with other things in it.",
            "Name a new one; nothing was spent.",
        )


def save_parts(used: Table, apart: Table, folder: Path) -> Path:
    """Write both parts whole, readable by nobody but their owner."""
    return written_folder(folder, OwnerOnly({USED: _writer(used), APART: _writer(apart)}))


def attack_words(twin: Path, folder: Path, promise: Promise) -> str:
    """The command that attacks a twin with these parts; the promise is said where the file does not carry it."""
    words = ["privet", "attack", str(twin), "--members", str(folder / USED), "--control", str(folder / APART)]
    if twin.suffix != ".parquet" and isinstance(promise, ApproxDP):
        words += ["--epsilon", readable(promise.epsilon), "--delta", readable(promise.delta)]
    return shlex.join(words)


def _writer(table: Table) -> Content:
    def write(path: Path) -> None:
        import pyarrow.parquet as pq

        from privet.engine import fetch

        pq.write_table(fetch(table.relation.table, table.relation.engine), path)

    return write
