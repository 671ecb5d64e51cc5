"""What a PAC release would run and promise, without reading a row or spending anything."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from privet._outgoing_text import for_terminal
from privet.artifact import Displayed
from privet.errors import NoSuchBudget
from privet.guarantee import noise_ratio, readable
from privet.ledger import Ledger, Quote
from privet.protect.pac._world_plan import WorldPlan


@dataclass(frozen=True)
class PacExplanation(Displayed):
    """What would happen. Prints as numbered stages, the promise in full, how much noise at most, and the cost."""

    plan: WorldPlan
    stages: tuple[str, ...]
    promise: tuple[str, ...]
    noise: str
    cost: str
    notes: tuple[str, ...]
    budget: str
    _drawn_as: ClassVar[str] = "pac explanation"

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        return {
            "stages": list(self.stages),
            "promise": list(self.promise),
            "noise": self.noise,
            "cost": self.cost,
            "notes": list(self.notes),
            "budget": self.budget,
            "posterior": self.plan.promise.posterior(),
            "worlds": self.plan.worlds,
            "numbers": len(self.plan.grid),
        }

    def __str__(self) -> str:
        lines = [f"{number}. {stage}" for number, stage in enumerate(self.stages, 1)]
        lines += ["", *self.promise, "", f"Noise: {self.noise}", f"Cost: {self.cost}"]
        lines += [f"Budget: {self.budget}"] if self.budget else []
        return for_terminal("\n".join([*lines, "", *(f"Note: {note}" for note in self.notes)]))


def explained_plan(plan: WorldPlan, ledger: Ledger | None) -> PacExplanation:
    """What a plan would do; with a ledger, what it would leave in it."""
    nats = float(plan.promise.mutual_information)
    most = math.sqrt(noise_ratio(nats, len(plan.grid)))
    return PacExplanation(
        plan,
        plan.stages(),
        plan.promise.sentences(),
        f"its standard deviation is at most {most:.4g} times that of the function between halves, over all numbers together",
        f"{readable(plan.promise.mutual_information)} nats of mutual information, which never add to an epsilon",
        plan.notes(),
        "" if ledger is None else _budget(plan, ledger),
    )


def _budget(plan: WorldPlan, ledger: Ledger) -> str:
    try:
        quote: Quote = ledger.quote(plan.event)
    except NoSuchBudget as missing:
        return f"it would be refused: {missing.fact} {missing.hint}"
    if not quote.admitted:
        return f"it would be refused: {quote.reason}"
    return f"nats {readable(quote.before['nats'])} → {readable(quote.after['nats'])}"
