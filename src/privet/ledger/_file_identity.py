"""Whether a path still names the very file that was opened there.

A file that is deleted, moved or replaced lives on for those who hold it open: they could go on booking where nobody will
ever look. So the file is compared by device and number, not by name, and so are the two files that SQLite keeps beside
it. A second name (a hard link) is refused as well: under it others would keep another log of the same file. Nothing is
opened here, since closing a file drops the locks that SQLite holds on it in this process.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from privet.errors import LedgerReplaced

_HINT = "Nothing was drawn. Find out what became of it, put it back, and open the ledger anew."
_BESIDE = ("-wal", "-shm")


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """One file as it was when it was opened."""

    path: Path
    device: int
    number: int

    @classmethod
    def of(cls, path: Path) -> FileIdentity:
        """The file that the path names now."""
        found = _stat(path)
        return cls(path, found.st_dev, found.st_ino)

    def require(self) -> None:
        """Refuse when the path names another file, none, or one that has another name as well."""
        found = _stat(self.path)
        if (found.st_dev, found.st_ino) != (self.device, self.number):
            raise LedgerReplaced(
                f"{self.path} is another file than the one that was opened: it was replaced while in use.",
                _HINT,
            )
        if found.st_nlink != 1:
            raise LedgerReplaced(
                f"{self.path} has a second name: what is booked under one is not seen under the other.",
                "Remove the other name (a hard link). Back a ledger up by copying it, with nobody writing.",
            )


def log_of(path: Path) -> tuple[FileIdentity, ...]:
    """The files that SQLite keeps beside an open database; they stay the same while anybody holds it open."""
    real = Path(os.path.realpath(path))
    return tuple(FileIdentity.of(real.with_name(real.name + suffix)) for suffix in _BESIDE)


def _stat(path: Path) -> os.stat_result:
    try:
        return path.stat()
    except OSError:
        raise LedgerReplaced(f"{path} is gone: it was deleted or moved while in use.", _HINT) from None
