"""How long things are kept, and what can be taken back: outputs end with their purpose; some things cannot be recalled."""

from __future__ import annotations

import datetime
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from privet.errors import FileProblem
from privet.ledger import clock
from privet.pipeline.journal import REMOVED, Journal, alone
from privet.pipeline.record import Made

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
class Expired:
    """An output whose purpose has ended."""

    path: str
    kind: str
    expires: str
    recipient: str

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def expired(out: Path, today: datetime.date | None = None) -> list[Expired]:
    """The outputs in a folder whose last day has passed."""
    day = (today or clock.now().date()).isoformat()
    return [
        Expired(made.path, made.kind, made.expires, made.recipient)
        for made in Journal(out).standing().values()
        if made.expires is not None and made.expires < day
    ]


def remove_expired(out: Path, today: datetime.date | None = None) -> list[Expired]:
    """Remove them, and say so in the journal."""
    if not expired(out, today):
        return []
    with alone(out):
        journal = Journal(out)
        gone = expired(out, today)
        for one in gone:
            place = out / one.path
            try:
                shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
            except OSError as problem:
                raise FileProblem(
                    f"{one.path} could not be removed ({(problem.strerror or 'unknown reason').lower()}).",
                    "Check the rights of the outputs' folder.",
                ) from None
            journal.write(REMOVED, path=one.path, why=f"its purpose ended on {one.expires}")
    return gone


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


def recalls(out: Path, source: str) -> list[Recall]:
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
