"""Which ledger the data set's key signs for: one, noted beside the key and signed by it when the first entry was made.

Budgets, approvals and anchors stand in the ledger, and the declaration says where that is. Whoever may edit the declaration
must not thereby get a second budget, or do without approval, under the same signature. So the key's own folder, which
others cannot write to, names the ledger by its identity; wherever it is moved to, it stays the same. What its newest entry is
stands beside that (`_ledger_head`), so that a copy from before is not taken for it.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from privet.artifact import Publishable, refuse_unwritable, written_whole
from privet.dataset._approvers import refuse_other_keys
from privet.dataset._ledger_head import HEAD, AcceptedHead, HeadNote, elsewhere, noted
from privet.dataset._signing_key import public_keys_of, signing_of
from privet.errors import EvidenceBroken, NoSigningKey, SecondLedger
from privet.evidence import FOLDER, read_json, record_bytes, standing_of
from privet.ledger import GENESIS, RESTORED, Anchor, Head, Ledger

NOTE, KIND = "ledger.json", "signed-ledger"
_LARGEST = 100_000


def bound_ledger(folder: Path) -> str | None:
    """The identity of the ledger that the data set's key signs for; None where none is noted yet."""
    record = _record(folder)
    if record is not None:
        return str(record["ledger"])
    # The first note is of the head: a kill may have come before the second.
    found = noted(folder)
    return None if found is None else found[0]


def _record(folder: Path) -> dict[str, Any] | None:
    place = folder / FOLDER / NOTE
    try:
        record = read_json(record_bytes(place, largest=_LARGEST), what=place.name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        record = None
    keys = public_keys_of(folder)
    known = (
        isinstance(record, dict) and record.get("artifact") == KIND and isinstance(record.get("ledger"), str)
    )
    if not known or keys is None or not standing_of(record, keys).believed:
        raise EvidenceBroken(
            f"{FOLDER}/{NOTE} is not as the data set's key signed it.",
            f"Put {FOLDER} back from your backup; nothing was read or spent.",
        )
    return dict(record)


def refuse_other_ledger(folder: Path, ledger: Ledger | None) -> None:
    """Refuse a ledger that is not the one the key signs for, a new one in its place, or an older copy of it."""
    bound = bound_ledger(folder)
    if bound is None:
        return
    if ledger is None or ledger.id != bound:
        raise _second()
    note = _head_note(folder, ledger, _record(folder))
    if note.newest() is not None:
        ledger.witnessed(note)


def bind_ledger(folder: Path, ledger: Ledger) -> None:
    """Note which ledger the data set's key signs for and how far it goes, where it has a key; any other is refused.

    What is booked from now on is noted as well, so that nothing is booked where nothing can be noted.
    """
    refuse_other_ledger(folder, ledger)
    signing = signing_of(folder)
    if signing is None:
        return
    record = _record(folder)
    note = _head_note(folder, ledger, record)
    for place in (note.place, note.second):
        if place is not None:
            refuse_unwritable(place)
    ledger.witnessed(note)
    if record is None or record.get("head") != HEAD:
        told = signing.signed({"schema": 1, "artifact": KIND, "ledger": ledger.id, "head": HEAD})
        text = json.dumps(told, indent=1) + "\n"
        written_whole(folder / FOLDER / NOTE, Publishable(text, "holds nothing from the data"))


def accept_ledger(folder: Path, ledger: Ledger, *, why: str) -> Anchor:
    """Take a ledger although it is older than was noted, or the note is lost: entered in it for ever, then noted anew."""
    record = _record(folder)
    if record is not None and record["ledger"] != ledger.id:
        raise _second()
    if signing_of(folder) is None:
        raise NoSigningKey(
            "the data set has no signing key, and nothing is noted.", "There is nothing to accept."
        )
    refuse_other_keys(ledger, public_keys_of(folder))
    lost = _last_noted(folder, ledger)
    ends = sum(1 for _ in ledger.history())
    said = {"noted": "unknown" if lost is None else str(lost.number), "found": str(ends)}
    entered = ledger.anchor(RESTORED, GENESIS if lost is None else lost.hash, why=why, said=said)
    ledger.witnessed(AcceptedHead(folder, ledger.id))
    return entered


def _last_noted(folder: Path, ledger: Ledger) -> Head | None:
    """The newest head that any note of this ledger tells of; notes that are broken tell nothing."""
    found = []
    for place in (None, elsewhere(public_keys_of(folder))):
        with contextlib.suppress(EvidenceBroken):
            found.append(noted(folder, at=place))
    known = [one[1] for one in found if one is not None and one[0] == ledger.id]
    return max(known, key=lambda head: head.number, default=None)


def _second() -> SecondLedger:
    return SecondLedger(
        "the data set's key signs for another ledger, and a second one would be a second budget.",
        "Put the ledger back, or say in privet.yaml where it is: nothing was read or spent.",
    )


def _head_note(folder: Path, ledger: Ledger, record: dict[str, Any] | None) -> HeadNote:
    """Ledgers that were bound before there were such notes have none yet."""
    return HeadNote(folder, ledger.id, expected=record is not None and record.get("head") == HEAD)
