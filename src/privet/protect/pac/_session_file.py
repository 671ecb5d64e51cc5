"""Where a session's secret lies: one file for its owner alone, replaced whole, used by one process at a time.

Beside the secret stands at most one draw that is not known to have left: its question, a digest of the release, and the secret as
it is afterwards. It is written before the release is stored. Whoever opens the file after a crash asks the ledger whether
that very release was stored: if so, somebody may have seen it, and what it tells counts; if not, nobody has, and it is forgotten.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privet.artifact import OwnerOnly, held_alone, secret_content, written_whole
from privet.errors import SessionProblem, UnknownRecord
from privet.evidence import read_json
from privet.ledger import Ledger
from privet.mechanism import SecretWorld

SCHEMA = 1


@dataclass(frozen=True, eq=False)
class SessionState:
    """All that a session knows between releases."""

    terms: dict[str, Any]  # what it was begun with: ledger, data, unit, worlds, a name of its own
    secret: SecretWorld
    answered: int = 0
    pending: PendingDraw | None = None

    def content(self) -> bytes:
        """The file's content."""
        record: dict[str, Any] = {
            "schema": SCHEMA,
            "terms": self.terms,
            "answered": self.answered,
            "secret": json.loads(self.secret.content()),
            "pending": None,
        }
        if self.pending is not None:
            record["pending"] = {
                "question": self.pending.question,
                "release": self.pending.release,
                "secret": json.loads(self.pending.after.content()),
            }
        return json.dumps(record).encode()

    def commitment(self) -> str:
        """A digest of the session's name, of how often it answered, and of the secret with what was told of it."""
        said = json.dumps([self.terms.get("name"), self.answered, json.loads(self.secret.content())])
        return hashlib.sha256(said.encode()).hexdigest()

    def secret_digest(self) -> str:
        """A digest of who is in which world: what is told of one secret is told of it under any name."""
        return hashlib.sha256(f"the worlds of a session {self.secret.seed}".encode()).hexdigest()

    @property
    def untold(self) -> bool:
        """Whether every world is still as likely as every other."""
        weights = self.secret.weights()
        return bool((weights == weights[0]).all())

    @classmethod
    def read(cls, content: bytes, name: str) -> SessionState:
        """What `content` wrote."""
        try:
            record = read_json(content, what=name)
            if record["schema"] != SCHEMA:
                raise UnknownRecord("this session has an unknown schema version.")
            left = record["pending"]
            pending = (
                None
                if left is None
                else PendingDraw(
                    str(left["question"]), str(left["release"]), SecretWorld.read(left["secret"])
                )
            )
            return cls(
                dict(record["terms"]), SecretWorld.read(record["secret"]), int(record["answered"]), pending
            )
        except (KeyError, TypeError, ValueError):
            raise SessionProblem(
                f"{name} is not the file of a session.", "Give the path of another, or of a new one."
            ) from None

    def settled(self, ledger: Ledger) -> SessionState:
        """The state once it is known whether the pending draw left: what was stored counts, what was not is forgotten."""
        if self.pending is None:
            return self
        stored = ledger.recall(self.pending.question)
        if stored is not None and digest(stored[1]) == self.pending.release:
            return replace(self, secret=self.pending.after, answered=self.answered + 1, pending=None)
        return replace(self, pending=None)


@dataclass(frozen=True, eq=False)
class PendingDraw:
    """A draw that is not known to have left: its question, the digest of the release, and the secret after it."""

    question: str
    release: str
    after: SecretWorld


def digest(release: bytes) -> str:
    """What tells one release from another."""
    return hashlib.sha256(release).hexdigest()


def read_state(path: Path) -> SessionState | None:
    """The state in a file; None where there is none."""
    exposed = SessionProblem(
        f"{path.name} can be read by others than its owner: its secret may be known.",
        "Begin a session of another name.",
    )
    content = secret_content(path, exposed)
    return None if content is None else SessionState.read(content, path.name)


def write_state(path: Path | None, state: SessionState) -> None:
    """Replace the file, whole, and wait until it is on disk; a session without a file is kept in memory alone."""
    if path is not None:
        written_whole(path, OwnerOnly(state.content()))


def sole_user(path: Path | None) -> AbstractContextManager[None]:
    """Nobody else uses the session meanwhile; refuses where somebody does. One without a file has one user anyhow."""
    if path is None:
        return nullcontext()
    return held_alone(path, SessionProblem("this session is in use.", "Close it where it is open first."))
