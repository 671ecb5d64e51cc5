"""Writing files whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from privet.artifact.removal import refuse_ledgers
from privet.errors import FileProblem


def written_whole(target: Path, write: Callable[[Path], object]) -> Path:
    """Let `write` fill a temporary file beside `target`, then rename it: a failure leaves what was there before."""
    refuse_ledgers(target)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        write(partial)
        with partial.open("rb") as done:
            os.fsync(done.fileno())
        partial.replace(target)
    except OSError as problem:
        raise FileProblem(
            f"{target.name} could not be written ({problem.strerror or type(problem).__name__}).",
            "Check that the folder exists, is writable and has room.",
        ) from None
    finally:
        partial.unlink(missing_ok=True)
    return target
