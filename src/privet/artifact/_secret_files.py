"""Files that hold a secret between two uses: for their owner alone, read whole, used by one process at a time.

They are written by `written_whole` with `OwnerOnly`. Who refuses, and with which words, is the caller's to say: an error is
handed in and raised here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from privet.artifact._atomic_write import is_there, private_file
from privet.artifact._confined_paths import opened
from privet.errors import PrivetError

LARGEST = 4 * 2**20  # bytes


def secret_content(path: Path, exposed: PrivetError) -> bytes | None:
    """What the file holds; None where there is none. Raises `exposed` where others than its owner can read it.

    Of a file that is too large to be one of ours the beginning comes back, which no reader takes for a record.
    """
    if not is_there(path):
        return None
    with opened(path, os.O_RDONLY) as handle:
        if os.fstat(handle).st_mode & 0o077:
            raise exposed
        content = b""
        while len(content) <= LARGEST and (part := os.read(handle, LARGEST)):
            content += part
    return content


@contextlib.contextmanager
def held_alone(path: Path, in_use: PrivetError) -> Iterator[None]:
    """Nobody else uses the file meanwhile; raises `in_use` where somebody does. A lock beside it is what is held."""
    lock = path.with_name(f"{path.name}.lock")
    private_file(lock)
    with opened(lock, os.O_RDWR) as handle:
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # not on this system: there the file is its owner's care
            pass
        except OSError:
            raise in_use from None
        yield
