"""How long things are kept, and what can be taken back: outputs end with their purpose; some things cannot be recalled."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from privet.artifact.confined_paths import inside
from privet.artifact.recognition import is_own_work
from privet.artifact.removal import remove_inside
from privet.errors import NotMadeHere
from privet.ledger import clock
from privet.pipeline.journal import REMOVED, Journal, alone, digest_of
from privet.pipeline.policy import Policy
from privet.pipeline.record import Made
from privet.protect.anonymize.pseudonyms.vault import data_sets_in

VAULT = "vault"
# What a run writes of itself, beside what its steps make.
RECORDS = ("run.json", "report.html", "report.json", "report-public.html", "report-public.json")
# Of each kind of output: whether one person can be taken out of it again, and what is to be known about that.
RECALL = {
    "answer": (
        False,
        "A noisy answer says almost the same with and without any one person; it cannot be recalled from those who have it.",
    ),
    "model": (
        False,
        "A model trained under differential privacy is almost the same with and without any one person; nothing in it "
        "can be taken out. Train again without the person if the law asks for it.",
    ),
    "hierarchy": (False, "Noisy totals cannot be recalled; they say almost the same without any one person."),
    "table": (
        False,
        "Nobody can say which rows are this person's any more. Run again without the person, and ask those who have the "
        "table to replace it.",
    ),
    "records": (
        False,
        "Rows of this person may be found in it by their pseudonym or by other columns. Run again without the person, and "
        "ask those who have it to replace it.",
    ),
    "audit": (
        True,
        "Figures about everybody, kept by the owner: run again without the person, or remove the file.",
    ),
    "report": (
        True,
        "Figures about everybody, kept by the owner: run again without the person, or remove the file.",
    ),
}


@dataclass(frozen=True)
class Kept:
    """An output or a vault, and the last day it may be kept."""

    path: str  # under the outputs, or beside the policy for a vault
    kind: str
    expires: str
    recipient: str

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def kept(out: Path, policy: Policy | None = None) -> list[Kept]:
    """Everything that stands and ends some day: outputs, and the vaults that the policy names."""
    found = [
        Kept(made.path, made.kind, made.expires, made.recipient)
        for made in Journal(out).standing().values()
        if made.expires is not None
    ]
    for place in policy.vaults if policy is not None else ():
        ends = policy.vault_ends(place) if policy is not None else None
        if ends is not None and os.path.lexists(out.parent / place):
            found.append(Kept(place, VAULT, ends.isoformat(), "internal"))
    return found


def expired(out: Path, policy: Policy | None = None, today: datetime.date | None = None) -> list[Kept]:
    """What stands though its last day has passed."""
    day = (today or clock.now().date()).isoformat()
    return [one for one in kept(out, policy) if one.expires < day]


def remove_expired(out: Path, policy: Policy | None = None, today: datetime.date | None = None) -> list[Kept]:
    """Remove it, and say so in the journal."""
    gone = expired(out, policy, today)
    refuse_foreign(out, gone, policy)
    if not gone:
        return []
    with alone(out):
        journal = Journal(out)
        gone = expired(out, policy, today)
        refuse_foreign(out, gone, policy)
        made = journal.standing()
        for one in gone:
            folder = out.parent if one.kind == VAULT else out
            remove_inside(folder, one.path, _recognising(one, made, policy), folders=one.kind == VAULT)
            journal.write(REMOVED, path=one.path, why=f"it was to be kept until {one.expires}")
    return gone


def refuse_foreign(out: Path, gone: Iterable[Kept], policy: Policy | None = None) -> None:
    """What is to go must be what was made, byte for byte; if one thing is not, nothing goes."""
    made = Journal(out).standing()
    foreign = []
    for one in gone:
        place = inside(out.parent if one.kind == VAULT else out, one.path, folders=one.kind == VAULT)
        if not _recognising(one, made, policy)(place):
            foreign.append(one.path)
    if foreign:
        raise NotMadeHere(
            f"{', '.join(foreign)} is not what was made, was changed since, or holds what belongs to another data set.",
            "Nothing was removed. Look at it, and remove it or move it away yourself.",
            files=foreign,
        )


def _recognising(one: Kept, made: dict[str, Made], policy: Policy | None) -> Callable[[Path], bool]:
    if one.kind == VAULT:
        own = policy.dataset.name if policy is not None else None
        return lambda place: (found := data_sets_in(place)) is not None and found <= {own}
    return lambda place: is_own_work(place) and digest_of(place) == made[one.path].digest


@dataclass(frozen=True)
class Recall:
    """Whether one person can be taken out of one thing, and why or why not."""

    what: str
    kind: str
    possible: bool
    why: str
    recipient: str = "internal"

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def recalls(out: Path, source: str, vaults: Iterable[str] = ()) -> list[Recall]:
    """What can and cannot be recalled for one person, for everything that stands; the subject is not looked up."""
    found = [
        Recall(
            source,
            "source",
            possible=True,
            why="Delete the person's rows there; Privet keeps no copy and changes no source.",
        )
    ]
    found += [_of(made) for made in Journal(out).standing().values()]
    found += [
        Recall(
            place,
            VAULT,
            possible=True,
            why="Erase the person's pseudonyms there: add --vault with its place.",
        )
        for place in vaults
        if (out.parent / place).is_file()
    ]
    found += [Recall(name, "report", *RECALL["report"]) for name in RECORDS if (out / name).is_file()]
    found.append(
        Recall(
            "the ledger",
            "ledger",
            possible=False,
            why="It holds no data about anybody, and budget that was spent stays spent.",
        )
    )
    return found


def _of(made: Made) -> Recall:
    possible, why = RECALL.get(made.kind, (False, "Nothing is known about recalling this."))
    return Recall(made.path, made.kind, possible, why, made.recipient)
