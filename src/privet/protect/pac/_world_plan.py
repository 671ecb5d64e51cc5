"""The plan of a release that is computed on worlds: what functions and queries have in common before a row is read."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from privet.errors import BadFunction, OutOfRange
from privet.guarantee import PacPrivacy, PacRelease, Person, Promise, Unit, noun, unit_to_json
from privet.mechanism import Basis, SecretWorld, check_release
from privet.sealed import OutputGrid, SealedWorlds
from privet.source import Asked

Progress = Callable[[str], None]
_BASES = {
    "diagonal": "number by number",
    "eigen": "along the directions in which the output varies",
    "balanced": "each number with the same share of the nats",
}


@dataclass(frozen=True, eq=False)
class WorldPlan(ABC):
    """What will be computed on every world, its promise, and how the output is noised; all of it is public."""

    promise: PacPrivacy
    worlds: int
    basis: Basis
    shape: tuple[int, ...]
    grid: OutputGrid

    @property
    @abstractmethod
    def table(self) -> Asked:
        """The table that is read."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What the output is called."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """A name for each number of the output."""

    @property
    @abstractmethod
    def asked(self) -> str:
        """What is asked, for people."""

    @abstractmethod
    def depends_on(self) -> dict[str, Any]:
        """Everything else that the answer depends on, beside the table, the unit and how it is noised."""

    @abstractmethod
    def stages(self) -> tuple[str, ...]:
        """What is done, in order; the same words go into the released output."""

    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """What a reader must know beside the promise."""

    @abstractmethod
    def refuse_unreadable(self) -> None:
        """Refuse, before anything is booked, what the engine would refuse and files that are malformed."""

    @abstractmethod
    def sealed(
        self, secret: SecretWorld, report: Callable[[str], None], progress: Progress | None
    ) -> SealedWorlds:
        """The outputs of all worlds. Raises nothing that could depend on a row: `report` tells the owner."""

    @property
    def unit(self) -> Unit:
        """Whose membership is hidden."""
        return self.table.unit_or_refuse()

    @property
    def event(self) -> PacRelease:
        """What is booked."""
        return PacRelease(self.promise.mutual_information)

    def question(self, within: str = "") -> str:
        """Everything the answer depends on, as one text; `within` names the session it is asked in."""
        basis = (
            self.basis if isinstance(self.basis, str) else hashlib.sha256(self.basis.tobytes()).hexdigest()
        )
        said = {
            "table": self.table.fingerprint,
            "unit": unit_to_json(self.unit),
            "promise": self.promise.to_json(),
            "worlds": self.worlds,
            "basis": basis,
            "shape": list(self.shape),
            "clip": [self.grid.lower, self.grid.upper],
            "session": within,
            **self.depends_on(),
        }
        return json.dumps(said, sort_keys=True)

    def world_stages(self) -> list[str]:
        """How people are bounded and halves are drawn."""
        who = noun(self.unit)
        most = self.unit.max_rows if isinstance(self.unit, Person) else None
        found = (
            []
            if most is None
            else [f"Let each {who} count with at most {most} rows, chosen by a keyed hash."]
        )
        return [
            *found,
            f"Draw {self.worlds} worlds in pairs by {who}: each {who} is in exactly one of the two of every pair.",
        ]

    def noise_stages(self) -> list[str]:
        """How an output becomes a release."""
        how = _BASES[self.basis] if isinstance(self.basis, str) else "in the public basis given"
        return [
            f"Clip {self._clip()}, and round to a public grid with steps of at most {self.grid.steps.max():.3g}.",
            f"Take the output of one world, drawn in secret, and add the least Gaussian noise ({how}) under which it "
            f"carries at most {float(self.promise.mutual_information):.6g} nats about which world it is.",
        ]

    def _clip(self) -> str:
        if len(set(zip(self.grid.lower, self.grid.upper, strict=True))) > 1:
            return f"each of the {len(self.grid)} numbers to its own public bounds"
        return (
            f"every number to [{self.grid.lower[0]:.6g}, {self.grid.upper[0]:.6g}] ({len(self.grid)} in all)"
        )


def pac_promise(promise: Promise, what: str) -> PacPrivacy:
    """The promise, if it is one in nats."""
    if not isinstance(promise, PacPrivacy):
        raise BadFunction(
            f"{what} is released under PacPrivacy, not {type(promise).__name__}.",
            'Write PacPrivacy("1/16"); differential privacy needs a query whose sensitivity is known.',
            faults=[],
        )
    return promise


def check_worlds(worlds: object) -> None:
    """Refuse a number of worlds that no secret is drawn from."""
    number = worlds if isinstance(worlds, int) and not isinstance(worlds, bool) else 0
    if not 2 <= number <= SecretWorld.most or number % 2:
        raise BadFunction(
            f"worlds come in pairs: an even number from 2 to {SecretWorld.most:,}.",
            "Write worlds=128.",
            faults=[],
        )


def check_plan(plan: WorldPlan) -> None:
    """Refuse what the mechanism would refuse, before anything is booked."""
    plan.table.unit_or_refuse()
    try:
        check_release(plan.event, plan.worlds, len(plan.grid), plan.basis)
    except OutOfRange as problem:
        raise BadFunction(problem.fact, problem.hint, faults=[]) from None
