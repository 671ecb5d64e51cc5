"""The story of a verification: each link of the chain that was looked at, what came of it, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from privet.errors import PrivetError
from privet.evidence import FIELD, KeyHistory, Signature, short

LEDGER = "ledger"  # what can be told with the book alone: that it was not looked at proves and breaks nothing


class Finding(Enum):
    """What came of one check."""

    FAILS = "fails"
    OPEN = "cannot be told"
    HOLDS = "holds"


@dataclass(frozen=True, slots=True)
class Check:
    """One link of the chain: what it is about, what came of it, and why."""

    of: str
    finding: Finding
    says: str


@dataclass(frozen=True)
class VerifiedEvidence:
    """The story of a verification: failures first."""

    of: str
    checks: tuple[Check, ...]
    key: str | None = None  # the current public key that it was checked with

    @property
    def broken(self) -> tuple[Check, ...]:
        """What fails."""
        return tuple(one for one in self.checks if one.finding is Finding.FAILS)

    @property
    def proven(self) -> bool:
        """Whether something was looked at, and every link of it holds, by a key that is trusted."""
        held = any(one.finding is Finding.HOLDS and one.of != LEDGER for one in self.checks)
        return held and not self.broken and not self.unproven

    @property
    def unproven(self) -> tuple[Check, ...]:
        """What lacks a signature or a trusted key."""
        return tuple(one for one in self.checks if one.finding is Finding.OPEN and one.of != LEDGER)

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "schema": 1,
            "of": self.of,
            "proven": self.proven,
            "key": self.key,
            "checks": [{"of": one.of, "finding": one.finding.value, "says": one.says} for one in self.checks],
        }

    def __str__(self) -> str:
        verdict = (
            f"{self.of}: {len(self.broken)} of {len(self.checks)} checks fail. Do not rely on it."
            if self.broken
            else f"{self.of}: all holds, signed by {short(self.key or '')}."
            if self.proven
            else f"{self.of}: nothing fails, and nothing proves it: what it promises is a claim."
        )
        order = list(Finding)
        told = sorted(self.checks, key=lambda one: order.index(one.finding))
        return "\n".join([verdict, *(f"  {one.finding.value}: {one.of}: {one.says}" for one in told)])


@dataclass
class VerificationStory:
    """What was found so far, with the keys that are trusted."""

    keys: KeyHistory | None
    checks: list[Check] = field(default_factory=list)

    def holds(self, of: str, says: str) -> None:
        """A link that holds."""
        self.checks.append(Check(of, Finding.HOLDS, says))

    def fails(self, of: str, says: str) -> None:
        """A link that is broken."""
        self.checks.append(Check(of, Finding.FAILS, says))

    def open(self, of: str, says: str) -> None:
        """A link of which nothing can be told."""
        self.checks.append(Check(of, Finding.OPEN, says))

    def trying(self, of: str, act: Callable[[], Any]) -> Any:
        """What an act gives; what it refuses is a check that fails."""
        try:
            return act()
        except PrivetError as problem:
            self.fails(of, problem.fact)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self.fails(of, "it cannot be read as what it should be: it was cut short, or changed.")
        return None

    def signed(self, of: str, record: dict[str, Any], domain: str) -> Signature | None:
        """The signature of a record, where it is valid and of a key that is trusted; the story says which it is."""
        if FIELD not in record:
            self.open(of, "it carries no signature, so anybody may have written it.")
            return None
        found: Signature | None = self.trying(of, lambda: Signature.from_json(record[FIELD]))
        if found is None:
            return None
        if not found.covers(record, domain):
            self.fails(
                of,
                "it is not what was signed: it was changed afterwards, or the signature is of another file.",
            )
            return None
        key = None if self.keys is None else self.keys.find(found.key)
        if self.keys is None:
            self.open(
                of, f"it is signed by {found.key}; nobody has said whose key that is. Name it with --key."
            )
        elif key is None:
            self.fails(
                of,
                f"it is signed by {short(found.key)}, which is none of the data set's keys: the key was replaced.",
            )
            return None
        elif not key.signs_at(found.at):
            self.fails(
                of,
                f"key {short(found.key)} was rotated out on {(key.until or '')[:10]} and signed this after that.",
            )
            return None
        else:
            self.holds(of, f"signed by {short(found.key)} on {found.at[:10]}, and unchanged since.")
        return found
