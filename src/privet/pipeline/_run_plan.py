"""The plan of a run as a record: what each step will do, bound to the state that it was made for.

A plan lies in a file until it is run, and anybody may have written that file: it is read back field by field, and the
keys by which work is found again are computed from what it says, never taken from it. The plan of a data set with a key is
signed, and those who approve it sign it too.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from privet.artifact import (
    OwnerOnly,
    is_output_name,
    written_whole,
)
from privet.errors import RecordAltered, UnknownRecord
from privet.evidence import FIELD, Signature, Signing, read_json, record_bytes
from privet.ledger import APPROVAL_DOMAIN, approval_record

SCHEMA, KIND = 2, "run-plan"
APPROVALS, LARGEST_PLAN = "approvals", 50_000_000
PLAN_DOMAIN = f"privet/{KIND}"
_NAMES = {"schema", "artifact", "policy", "data", "ledger", "made", "steps", FIELD, APPROVALS}
# What will happen with a step: done afresh; shown again, from an earlier run or from the ledger, at no cost; or drawn at
# no cost under the entry of a run that was killed after its answer was booked and before it was kept.
NEW, KEPT, STORED, PAID = "new", "kept", "stored", "paid"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_UNKNOWN = UnknownRecord("this is not a plan of a known version.", "`privet plan` makes one.")


@dataclass(frozen=True)
class PlannedStep:
    """What one step will do. Amounts are exact decimals by coin; nothing here was measured on a row."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    name: str
    kind: str
    purpose: str
    read: list[str]
    dropped: list[str]
    query: str
    to: str  # under the folder of the outputs: owner/… or public/…
    recipient: str
    expires: str
    promise: str | None
    state: str
    inputs: str  # a digest of everything its result depends on
    cost: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] = field(default_factory=dict)  # left of the data set's budget
    after: dict[str, str] = field(default_factory=dict)
    purpose_before: dict[str, str] = field(default_factory=dict)
    purpose_after: dict[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @cached_property
    def key(self) -> str:
        """What the step's work is known by: of what it makes, for whom and until when, and of all that it depends on."""
        known = [self.name, self.kind, self.purpose, self.to, self.recipient, self.expires, self.inputs]
        return hashlib.sha256(json.dumps(known).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {**asdict(self), "key": self.key}

    @classmethod
    def from_json(cls, record: Any) -> PlannedStep:
        """The step that a record describes; refused where its key is not that of what it says."""
        if not isinstance(record, dict):
            raise _UNKNOWN
        said = dict(record)
        key = said.pop("key", None)
        try:
            step = _steps().validate_python(said)
        except ValidationError:
            raise _UNKNOWN from None
        if key != step.key or not _DIGEST.fullmatch(step.inputs) or not is_output_name(step.to):
            raise altered("the plan")
        if step.state not in (NEW, KEPT, STORED, PAID):
            raise _UNKNOWN
        return step


@cache
def _steps() -> TypeAdapter[PlannedStep]:
    return TypeAdapter(PlannedStep)  # dear to make, and plans have thousands of steps


@dataclass(frozen=True)
class RunPlan:
    """A run before it is made, bound to the state that it was made for."""

    policy: str  # sha256 of the policy file
    data: str  # the snapshot's fingerprint
    ledger: str  # the head of the ledger; zeros where there is none yet
    made: str
    steps: tuple[PlannedStep, ...]
    # Who stands for it: the data set's key, and the people who approved it. Not part of what the plan says.
    signature: Signature | None = field(default=None, compare=False)
    approvals: tuple[Signature, ...] = field(default=(), compare=False)

    @cached_property
    def digest(self) -> str:
        """What the plan is known by in the journal and in the ledger's reasons."""
        # Kept: every entry of a ledger is held against it, and it is as long to make as the plan is.
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def signed_by(self, signing: Signing | None) -> RunPlan:
        """The same plan with the data set's signature, where it has a key."""
        if signing is None:
            return self
        made = signing.following(policy=self.policy).signature(self.to_json(), PLAN_DOMAIN)
        return replace(self, signature=made)

    def approved_by(self, signing: Signing) -> RunPlan:
        """The same plan with one more approval; approving twice changes nothing."""
        if signing.signer.public in {one.key for one in self.approvals}:
            return self
        record = approval_record(self.digest, self.ledger)
        made = signing.following(plan=self.digest).signature(record, APPROVAL_DOMAIN)
        return replace(self, approvals=(*self.approvals, made))

    def step_of(self, key: str) -> PlannedStep | None:
        """The step that has this key."""
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> dict[str, PlannedStep]:
        return {step.key: step for step in reversed(self.steps)}  # the first that has it

    def signed_json(self) -> dict[str, Any]:
        """The record with its signatures, as files hold it."""
        found = self.to_json()
        if self.signature is not None:
            found[FIELD] = self.signature.to_json()
        if self.approvals:
            found[APPROVALS] = [one.to_json() for one in self.approvals]
        return found

    def to_json(self) -> dict[str, Any]:
        """What the plan says, as a stable record with its schema version; signatures are on it, not in it."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "policy": self.policy,
            "data": self.data,
            "ledger": self.ledger,
            "made": self.made,
            "steps": [step.to_json() for step in self.steps],
        }

    @classmethod
    def from_json(cls, record: Any) -> RunPlan:
        """The plan that a record describes; refuses versions it does not know, and what contradicts itself."""
        if not isinstance(record, dict) or record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise _UNKNOWN
        bound = [record.get(name) for name in ("policy", "data", "ledger", "made")]
        listed, approvals = record.get("steps"), record.get(APPROVALS, [])
        if not all(isinstance(one, str) for one in bound) or not isinstance(listed, list):
            raise _UNKNOWN
        if not isinstance(approvals, list) or set(record) - _NAMES:
            raise altered("the plan")
        steps = tuple(PlannedStep.from_json(step) for step in listed)
        for part in ("name", "to", "key"):
            if len({getattr(step, part).casefold() for step in steps}) < len(steps):
                raise altered("the plan")
        policy, data, ledger, made = map(str, bound)
        signature = Signature.from_json(record[FIELD]) if FIELD in record else None
        approved = tuple(Signature.from_json(one) for one in approvals)
        return cls(policy, data, ledger, made, steps, signature, approved)

    def save(self, path: Path) -> Path:
        """Write it as JSON, whole or not at all."""
        text = json.dumps(self.signed_json(), indent=1, ensure_ascii=False) + "\n"
        return written_whole(path, OwnerOnly(text))

    @classmethod
    def load(cls, path: Path) -> RunPlan:
        """Read a saved plan back."""
        try:
            record = read_json(record_bytes(path, largest=LARGEST_PLAN), what=path.name)
        except (OSError, ValueError):
            raise UnknownRecord(f"{path.name} is not a plan.", "`privet plan` makes one.") from None
        return cls.from_json(record)


def altered(what: str, hint: str = "Make a new one with `privet plan`, and look at it.") -> RecordAltered:
    """A record that contradicts itself, or what it was made from."""
    return RecordAltered(
        f"{what} is not as Privet wrote it. Nothing was read, written, spent or removed.", hint
    )
