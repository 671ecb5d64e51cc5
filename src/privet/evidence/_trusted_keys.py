"""Which public keys are trusted here: those that were named, or those of the data set one works in.

Keys are looked for from the folder one works in, never beside a file that is read: a file that comes with its own keys
would vouch for itself. A list that somebody else could have written is not trusted.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from privet.errors import EvidenceBroken, FileProblem
from privet.evidence._bounded_records import read_json, record_bytes
from privet.evidence._key_history import KeyHistory

TRUSTED = "PRIVET_TRUSTED_KEYS"  # the environment's: a file that `privet keys public` wrote
FOLDER, HISTORY = "privet.signing", "keys.json"
_LARGEST = 1_000_000


def read_keys(path: str | Path) -> KeyHistory:
    """The public keys in a file, each hand-over and the list itself checked."""
    file = Path(path)
    try:
        record = read_json(record_bytes(file, largest=_LARGEST), what=file.name)
    except OSError as problem:
        raise FileProblem(
            f"{file.name} cannot be read ({(problem.strerror or 'unreadable').lower()}).",
            "Name what `privet keys public` wrote.",
        ) from None
    except ValueError:
        raise EvidenceBroken(
            f"{file.name} holds no public keys.", "`privet keys public` writes them."
        ) from None
    return KeyHistory.from_json(record)


def trusted_keys() -> KeyHistory | None:
    """The keys that the environment names, else those of the data set in this folder or the nearest one above."""
    if os.environ.get(TRUSTED):
        return read_keys(os.environ[TRUSTED])
    here = Path.cwd()
    for folder in (here, *here.parents):
        file = folder / FOLDER / HISTORY
        if os.path.lexists(file):
            return read_keys(file) if is_own(file) else None
    return None


def is_own(file: Path) -> bool:
    """Whether nobody but oneself (and the system's administrator) could have written it."""
    if os.name != "posix":
        return True
    for place in (file, file.parent):
        found = place.lstat()
        if stat.S_ISLNK(found.st_mode) or found.st_uid not in (os.getuid(), 0) or found.st_mode & 0o022:
            return False
    return True
