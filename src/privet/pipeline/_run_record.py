"""What a run did: for each step what was read, left out, spent, made and found by attacks. For the owner alone.

The record is what reports are drawn from. It holds figures that were measured on the original rows (audits, risks
before, attacks scored with the truth), but no row and no value of one.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from privet.artifact import (
    OwnerOnly,
    Receipt,
    RiskEstimate,
    checked_name,
    outputs_around,
    written_whole,
)
from privet.dataset import signing_of
from privet.errors import UnknownRecord
from privet.evidence import KeyHistory, Signing, Standing, digest, read_json, record_bytes, standing_of
from privet.guarantee import Promise, Unit, promise_from_json, unit_in

SCHEMA = 1
KIND = "run-record"
RECORD_NAME = "run.json"


def report_signing(record: Path, *, public: bool = False) -> Signing | None:
    """What signs the report of a run whose record is the data set's own word; None where it has no key, or it is another's.

    A public report names the record alone: its digest tells nothing, since the record holds signatures nobody can guess.
    """
    place = record.absolute()
    signing = signing_of(outputs_around(place).parent)
    if signing is None:
        return None
    loaded = RunRecord.load(place, signing.keys)
    if loaded.standing is None or not loaded.standing.believed:
        return None  # what anybody may have written is not signed on
    written = hashlib.sha256(record_bytes(place)).hexdigest()
    plan = {name: value for name, value in loaded.plan.items() if name not in ("signature", "approvals")}
    if public:
        return signing.following(record=written)
    said = {"policy": str(loaded.policy.get("sha256", "")), "plan": digest(plan), "record": written}
    return signing.following(**said)


@dataclass(frozen=True, slots=True)
class Made:
    """What a step wrote: where (under the folder of the outputs), which bytes, what it promises, for whom and until when."""

    path: str
    kind: str  # "audit", "answer", "table", "model", …: the outputs that purposes speak of
    digest: str  # sha256 of the file, or of a folder's files in order
    promise: Promise | None = None
    recipient: str = "internal"
    expires: str | None = None  # ISO date: the end of the purpose it was made for

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "path": self.path,
            "kind": self.kind,
            "digest": self.digest,
            "promise": self.promise.to_json() if self.promise else None,
            "sentence": self.promise.sentence() if self.promise else None,
            "recipient": self.recipient,
            "expires": self.expires,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Made:
        """What a record describes; refused where its place does not lie among the outputs."""
        return cls(
            checked_name(record["path"], folders=True),
            str(record["kind"]),
            str(record["digest"]),
            promise_from_json(record["promise"]) if record["promise"] else None,
            str(record["recipient"]),
            None if record["expires"] is None else date.fromisoformat(record["expires"]).isoformat(),
        )


@dataclass(frozen=True)
class StepRecord:
    """One step of a run. Amounts are exact decimals by coin: {"epsilon": "0.5", "delta": "0"} or {"rho": …}."""

    name: str
    kind: str  # "audit", "anonymize", "release", "train", …
    purpose: str | None
    read: tuple[str, ...]  # columns that were read
    dropped: tuple[str, ...]  # columns of the source that were left behind before anything was loaded
    query: str = ""  # the SQL that the engine was asked for
    planned: dict[str, str] = field(default_factory=dict)
    spent: dict[str, str] = field(default_factory=dict)
    receipt: Receipt | None = None
    made: Made | None = None
    risks: tuple[RiskEstimate, ...] = ()
    untried: tuple[str, ...] = ()  # attacks that fit and were not run, with the reason
    facts: dict[str, Any] = field(default_factory=dict)  # the artifact's own record, without rows
    options: dict[str, Any] = field(default_factory=dict)  # what the step was told
    seconds: float = 0.0

    @property
    def unit(self) -> Unit | None:
        """Whose presence is hidden, where something was booked or recorded."""
        return None if self.receipt is None else unit_in(self.receipt.unit)

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "name": self.name,
            "kind": self.kind,
            "purpose": self.purpose,
            "read": list(self.read),
            "dropped": list(self.dropped),
            "query": self.query,
            "planned": self.planned,
            "spent": self.spent,
            "receipt": self.receipt.to_json() if self.receipt else None,
            "made": self.made.to_json() if self.made else None,
            "risks": [risk.to_json() for risk in self.risks],
            "untried": list(self.untried),
            "facts": self.facts,
            "options": self.options,
            "seconds": self.seconds,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> StepRecord:
        """The step that a record describes."""
        return cls(
            **{
                **record,
                "read": tuple(record["read"]),
                "dropped": tuple(record["dropped"]),
                "receipt": Receipt.from_json(record["receipt"]) if record["receipt"] else None,
                "made": Made.from_json(record["made"]) if record["made"] else None,
                "risks": tuple(RiskEstimate.from_json(risk) for risk in record["risks"]),
                "untried": tuple(record["untried"]),
            }
        )


@dataclass(frozen=True, slots=True)
class Book:
    """The extract of the ledger at the end of a run: balances, entries, and the head they hang on."""

    id: str
    place: str
    head: str
    accounting: str
    limit: dict[str, Any]
    unit: dict[str, Any] | None
    balances: tuple[dict[str, Any], ...]
    entries: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return asdict(self) | {"balances": list(self.balances), "entries": list(self.entries)}

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Book:
        """The extract that a record describes."""
        return cls(**{**record, "balances": tuple(record["balances"]), "entries": tuple(record["entries"])})


@dataclass(frozen=True)
class RunRecord:
    """Everything a run did, from the policy it obeyed to the head of the ledger it left.

    `policy` is the policy file as JSON; `plan` is the plan as it was written (`RunPlan.to_json`), with the digests it
    is bound to. `findings` says which limits were beaten or not tested, in words; a run with findings is made all
    the same.
    """

    policy: dict[str, Any]
    plan: dict[str, Any]
    steps: tuple[StepRecord, ...]
    ledger: Book | None
    versions: dict[str, str]
    findings: tuple[str, ...] = ()
    started: str = ""  # UTC, ISO 8601
    finished: str = ""
    # Of one that was read from a file: whether it is the data set's word.
    standing: Standing | None = field(default=None, compare=False)

    def step(self, name: str) -> StepRecord:
        """A step by its name."""
        for step in self.steps:
            if step.name == name:
                return step
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "policy": self.policy,
            "plan": self.plan,
            "steps": [step.to_json() for step in self.steps],
            "ledger": self.ledger.to_json() if self.ledger else None,
            "versions": self.versions,
            "findings": list(self.findings),
            "started": self.started,
            "finished": self.finished,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> RunRecord:
        """The run that a record describes; refuses versions it does not know."""
        if record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise UnknownRecord(
                "this is not the record of a run of a known version.", "Was it written by a newer version?"
            )
        try:
            return cls(
                policy=record["policy"],
                plan=record["plan"],
                steps=tuple(StepRecord.from_json(step) for step in record["steps"]),
                ledger=Book.from_json(record["ledger"]) if record["ledger"] else None,
                versions=record["versions"],
                findings=tuple(record["findings"]),
                started=record["started"],
                finished=record["finished"],
            )
        except (KeyError, TypeError, ValueError):
            raise UnknownRecord("this record of a run lacks a field.") from None

    def save(self, path: str | Path, signing: Signing | None = None) -> Path:
        """Write it as JSON, whole or not at all; signed where there is a signer."""
        record = self.to_json() if signing is None else signing.signed(self.to_json())
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        return written_whole(Path(path), OwnerOnly(text))

    @classmethod
    def load(cls, path: str | Path, keys: KeyHistory | None = None) -> RunRecord:
        """Read a saved record back; one whose signature is broken is refused."""
        try:
            record = read_json(record_bytes(path), what=Path(path).name)
        except (OSError, ValueError):
            raise UnknownRecord(
                f"{Path(path).name} is not the record of a run.",
                "`privet run` writes one beside its outputs.",
            ) from None
        if not isinstance(record, dict):
            raise UnknownRecord("this is not the record of a run.")
        return replace(cls.from_json(record), standing=standing_of(record, keys))
