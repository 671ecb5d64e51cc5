"""The newest entry of the data set's ledger, noted beside its key and signed by it: a copy from before the last spends is told.

A ledger is one chain, and a copy of it from yesterday is as whole as today's, with a fuller budget. Whoever may write the ledger
but not the key's own folder cannot put the note back as well. It is written after the entry is on stable storage, so a kill
in between leaves it one behind, which is allowed; it is never ahead.

Ledger and key folder put back together, from one backup, agree with each other. Only what lies elsewhere can tell: a second copy
of the note in a folder that the environment names, on another machine's disk or wherever backups of this one do not reach.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from privet.artifact import OwnerOnly, written_whole
from privet.dataset._signing_key import public_keys_of, signing_of
from privet.errors import EvidenceBroken, LedgerRolledBack, NoSigningKey
from privet.evidence import FOLDER, KeyHistory, Signing, read_json, record_bytes, standing_of
from privet.ledger import Head

HEAD, KIND = "head.json", "ledger-head"
ELSEWHERE = (
    "PRIVET_LEDGER_HEADS"  # the environment's: a folder for second copies of notes, one for each data set
)
_LARGEST = 100_000
_ACCEPT = "`privet ledger accept --why …` takes the ledger that is there, and enters that it did."


class HeadNote:
    """The note of one ledger's newest head, in the folder of the data set's key.

    Args:
        folder: where the data set is declared.
        ledger: the ledger's identity.
        expected: whether one was written before, so that none is one that was lost.
    """

    def __init__(self, folder: Path, ledger: str, *, expected: bool = False) -> None:
        self.folder, self.ledger, self.expected = folder, ledger, expected
        self._signing: Signing | None = None
        self._read: dict[Path, tuple[bytes, Head]] = {}

    @property
    def place(self) -> Path:
        """The file."""
        return self.folder / FOLDER / HEAD

    @property
    def second(self) -> Path | None:
        """The file of the second copy, where there is to be one."""
        return elsewhere(public_keys_of(self.folder))

    def newest(self) -> Head | None:
        """The head that was noted last; None where none ever was. Refused where it is gone, of another ledger, or not signed."""
        found = [head for head in (self._own(), self._elsewhere()) if head is not None]
        return max(found, key=lambda head: head.number, default=None)

    def _elsewhere(self) -> Head | None:
        """What is noted in the folder that the environment names; nothing before the first booking that was noted there."""
        place = self.second
        if place is None:
            return None
        return self._of_this(noted(self.folder, at=place, seen=self._read.get(place)), place)

    def _own(self) -> Head | None:
        found = noted(self.folder, seen=self._read.get(self.place))
        if found is None:
            if self.expected:
                raise LedgerRolledBack(
                    f"{FOLDER}/{HEAD} is gone, so nobody knows whether the ledger is the newest one.",
                    f"Nothing was read or spent. Put {FOLDER} back from your backup; or {_ACCEPT}",
                )
            return None
        return self._of_this(found, self.place)

    def _of_this(self, found: tuple[str, Head, bytes] | None, place: Path) -> Head | None:
        if found is None:
            return None
        ledger, head, text = found
        if ledger != self.ledger:
            raise LedgerRolledBack(
                f"{place.parent.name}/{place.name} is about another ledger.",
                f"Nothing was read or spent. Put the right one back; or {_ACCEPT}",
            )
        self._read[place] = text, head
        return head

    def note(self, head: Head) -> None:
        """Sign this head and put it in the place of the one before."""
        keys = public_keys_of(self.folder)
        if self._signing is None or keys is None or keys.current.public != self._signing.signer.public:
            self._signing = signing_of(self.folder)  # once: opening a sealed key is work
        if self._signing is None:
            raise NoSigningKey("the data set has no signing key any more.", f"Put {FOLDER} back.")
        record = {"schema": 1, "artifact": KIND, "ledger": self.ledger, **head._asdict()}
        text = json.dumps(self._signing.signed(record), indent=1) + "\n"
        for place in (elsewhere(keys), self.place):
            if place is not None:
                written_whole(place, OwnerOnly(text))


def elsewhere(keys: KeyHistory | None) -> Path | None:
    """Where the second copy of a data set's note lies; None where the environment names no folder for them.

    It is named by the first key, which no renewal changes, so that a ledger that was begun anew finds it as well.
    """
    named = os.environ.get(ELSEWHERE)
    if not named or keys is None:
        return None
    if not Path(named).is_dir():
        raise LedgerRolledBack(
            f"the folder that {ELSEWHERE} names is not there, so nobody knows whether the ledger is the newest one.",
            "Nothing was read or spent. Connect it again, or name another.",
        )
    return Path(named) / f"{keys.keys[0].public}.json"


def noted(
    folder: Path,
    keys: KeyHistory | None = None,
    *,
    at: Path | None = None,
    seen: tuple[bytes, Head] | None = None,
) -> tuple[str, Head, bytes] | None:
    """The ledger and the head that the note in a folder is about, and its text; None where there is none.

    Args:
        folder: where the data set is declared.
        keys: the data set's public keys [default: those of the folder].
        at: where the note is, if not beside those keys.
        seen: a text that was found to be signed before, which need not be checked again.
    """
    place = at or folder / FOLDER / HEAD
    try:
        text = record_bytes(place, largest=_LARGEST)
        record = read_json(text, what=place.name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        text, record = b"", None
    if seen is not None and seen[0] == text and isinstance(record, dict):
        return str(record["ledger"]), seen[1], text
    known = keys if keys is not None else public_keys_of(folder)
    plain = (
        isinstance(record, dict)
        and record.get("artifact") == KIND
        and type(record.get("number")) is int
        and isinstance(record.get("hash"), str)
        and isinstance(record.get("ledger"), str)
    )
    if not plain or known is None or not standing_of(record, known).believed:
        raise EvidenceBroken(
            f"{place.parent.name}/{place.name} is not signed by a key of the data set: it was changed, or the key was replaced.",
            f"Nothing was read or spent. Put {FOLDER} back from your backup; or {_ACCEPT}",
        )
    return str(record["ledger"]), Head(record["number"], record["hash"]), text


class AcceptedHead(HeadNote):
    """A note that is begun anew, whatever stood there: what it said is accepted to be lost."""

    def newest(self) -> Head | None:
        """None."""
        return None
