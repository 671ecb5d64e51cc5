"""How long things are kept: outputs end with their purpose, vaults on their day, and what goes is what was made here."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from privet.artifact import (
    OWNER,
    PUBLIC,
    Makings,
    clear_unfinished,
    content_digest,
    inside,
    remove_inside,
)
from privet.dataset import existing
from privet.errors import NotMadeHere
from privet.ledger import clock
from privet.pipeline._policy import NAME, Policy
from privet.pipeline._run_journal import REMOVED, RunJournal, alone, work_folder
from privet.protect.transform.pseudonyms import data_sets_in

VAULT = "vault"
# What a run writes of itself, beside what its steps make.
RECORDS = (
    *(f"{OWNER}/{name}" for name in ("run.json", "report.html", "report.json")),
    *(f"{PUBLIC}/{name}" for name in ("report-public.html", "report-public.json")),
)


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


_Recognising = Callable[[Kept], Callable[[Path], bool]]


def kept(out: Path, policy: Policy | None = None) -> list[Kept]:
    """Everything that stands and ends some day: outputs, and the vaults that the policy names.

    An output ends on the day that was stated when it was made, or with its purpose if that ends sooner by now.
    """
    return _kept(RunJournal(out), policy)


def _kept(journal: RunJournal, policy: Policy | None) -> list[Kept]:
    out, purposes = journal.folder, journal.purposes()
    found = [
        Kept(made.path, made.kind, _last_day(made.expires, purposes[made.path], policy), made.recipient)
        for made in journal.standing().values()
        if made.expires is not None
    ]
    for place in policy.vaults if policy is not None else ():
        ends = policy.vault_ends(place) if policy is not None else None
        if ends is not None and os.path.lexists(out.parent / place):
            found.append(Kept(place, VAULT, ends.isoformat(), "internal"))
    return found


def _last_day(stated: str, purpose: str, policy: Policy | None) -> str:
    now = policy.purposes.get(purpose) if policy is not None else None
    return stated if now is None else min(stated, now.expires.isoformat())


def expired(out: Path, policy: Policy | None = None, today: datetime.date | None = None) -> list[Kept]:
    """What stands though its last day has passed; a journal that was cut back, by what the ledger knows, tells nothing."""
    return _expired(RunJournal(out), policy, today)


def _expired(journal: RunJournal, policy: Policy | None, today: datetime.date | None) -> list[Kept]:
    if policy is not None:
        ledger = existing(policy, journal.folder.parent)
        with contextlib.nullcontext() if ledger is None else ledger:
            journal.refuse_rolled_back(ledger)
    day = (today or clock.now().date()).isoformat()
    return [one for one in _kept(journal, policy) if one.expires < day]


def remove_expired(out: Path, policy: Policy | None = None, today: datetime.date | None = None) -> list[Kept]:
    """Remove it, and say so in the journal."""
    journal = RunJournal(out)
    gone = _expired(journal, policy, today)
    _refuse_foreign(journal, gone, policy)
    if not gone and not _unsaid(journal, policy, today):
        return []
    with alone(out):
        journal = RunJournal(out)  # once more: another run may have written in it until now
        gone = _expired(journal, policy, today)
        recognising = _refuse_foreign(journal, gone, policy)
        for one in gone:
            folder = out.parent if one.kind == VAULT else out
            remove_inside(folder, one.path, recognising(one), folders=True)
            journal.write(REMOVED, path=one.path, why=f"it was to be kept until {one.expires}")
        unsaid = _unsaid(journal, policy, today)
        _clear_unfinished(out, unsaid)
        for path in unsaid:
            journal.write(REMOVED, path=path, why="its last day has passed, and it was gone already")
    return gone


def _nearer(folder: Path, place: Path) -> bool:
    """Whether another policy is nearer to a place than the one in the folder: then it is that one's to remove."""
    between = place.relative_to(folder).parents
    return any(os.path.lexists(folder / part / NAME) for part in between if part != Path())


def _unsaid(journal: RunJournal, policy: Policy | None, today: datetime.date | None) -> list[str]:
    """What has ended and is gone, and no line says so: it was removed by hand, or by somebody who was killed at it."""
    day, purposes = (today or clock.now().date()).isoformat(), journal.purposes()
    return [
        path
        for path, made in journal.kept().items()
        if made.expires is not None
        and _last_day(made.expires, purposes[path], policy) < day
        and not os.path.lexists(journal.folder / path)
    ]


def clear_rooms(out: Path, journal: RunJournal) -> None:
    """What killed processes left half-written, or half-removed, of records and outputs goes."""
    _clear_unfinished(out, (*RECORDS, *journal.facts()))


def _clear_unfinished(out: Path, names: Iterable[str]) -> None:
    """Each folder is looked through once, however many of the names lie in it."""
    places = [inside(out, name, folders=True) for name in names]
    for folder in dict.fromkeys(place.parent for place in places):
        clear_unfinished(folder, *(place.name for place in places if place.parent == folder))


def refuse_foreign(out: Path, gone: Iterable[Kept], policy: Policy | None = None) -> None:
    """What is to go must be what was made, byte for byte; if one thing is not, nothing goes."""
    _refuse_foreign(RunJournal(out), gone, policy)


def _refuse_foreign(journal: RunJournal, gone: Iterable[Kept], policy: Policy | None) -> _Recognising:
    out, recognising = journal.folder, _recognising(journal, policy)
    foreign = []
    for one in gone:
        place = inside(out.parent if one.kind == VAULT else out, one.path, folders=True)
        if not recognising(one)(place):
            foreign.append(one.path)
    if foreign:
        raise NotMadeHere(
            f"{', '.join(foreign)} is not what was made, was changed since, or holds what belongs to another data set.",
            "Nothing was removed. Look at it, and remove it or move it away yourself.",
            files=foreign,
        )
    return recognising


def _recognising(journal: RunJournal, policy: Policy | None) -> _Recognising:
    """What the journal says was made, and the file layer noted when it got its name: neither alone is enough."""
    out, made = journal.folder, journal.standing()
    makings = Makings(work_folder(out))
    own = policy.dataset.name if policy is not None else None

    def of(one: Kept) -> Callable[[Path], bool]:
        if one.kind == VAULT:
            return lambda place: (
                (found := data_sets_in(place)) is not None
                and found <= {own}
                and not _nearer(out.parent, place)
            )
        return lambda place: content_digest(place) == made[one.path].digest and makings.hold(one.path, place)

    return of
