"""Events in, loss out: the tightest of the accountants that are valid for what was asked.

All four are valid for a composition whose parameters are fixed beforehand, which is what an event written down
as one tree is. Which of them may guard a budget that is spent step by step is the ledger's concern.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privet.errors import BadAmount, UnsupportedEvent
from privet.guarantee import _basic_composition as basic_composition
from privet.guarantee._events import (
    Composed,
    Event,
    NonPrivate,
    PoissonSampled,
    Repeated,
    SealedPlan,
    Selected,
    TruncatedPoissonSampled,
    Unsupported,
)
from privet.guarantee._loss_distribution import GRID, distribution_delta, distribution_epsilon
from privet.guarantee._privacy_units import Change
from privet.guarantee._renyi import renyi_delta, renyi_epsilon
from privet.guarantee._zero_concentrated import delta_of_rho, epsilon_of_rho, zcdp_cost
from privet.guarantee.exact_amounts import LOSS_UNIT, Number, exact, float_up, units_up

ACCOUNTANTS = ("pure", "zcdp", "rdp", "pld")


@dataclass(frozen=True)
class PrivacyLoss:
    """An (epsilon, delta) that holds: epsilon is an upper bound. `grid` is that of the loss distribution, if used."""

    epsilon: float
    delta: Fraction
    accountant: str
    grid: float | None = None


def epsilon_for(
    event: Event,
    delta: Number,
    *,
    accountant: str | None = None,
    change: Change = Change.ADD_OR_REMOVE,
    grid: float = GRID,
) -> PrivacyLoss:
    """The smallest epsilon known to hold at `delta`, by the accountant named or by the best one.

    A delta of zero leaves only basic composition. A loss that is infinite for this delta is returned as such;
    `UnsupportedEvent` means that no accountant asked covers the event.
    """
    target = _delta(delta)
    if _holds(event, NonPrivate):
        return PrivacyLoss(math.inf, target, "none")
    _refuse_unsupported(event)

    def ask(name: str) -> float:
        return _EPSILON[name](event, target, change, grid)

    if target == 0 and accountant is None:
        accountant = "pure"
    epsilon, name = _least(ask, accountant)
    return PrivacyLoss(epsilon, target, name, grid if name == "pld" else None)


def delta_for(
    event: Event,
    epsilon: Number,
    *,
    accountant: str | None = None,
    change: Change = Change.ADD_OR_REMOVE,
    grid: float = GRID,
) -> float:
    """The smallest delta known to hold at `epsilon`; 1 where nothing is promised."""
    target = exact(epsilon, "epsilon")
    if target < 0:
        raise BadAmount("epsilon must not be negative.", "Give epsilon a positive value.")
    if _holds(event, NonPrivate):
        return 1.0
    _refuse_unsupported(event)

    def ask(name: str) -> float:
        return _DELTA[name](event, target, change, grid)

    return _least(ask, accountant)[0]


def curve(
    event: Event,
    deltas: Iterable[Number],
    *,
    accountant: str | None = None,
    change: Change = Change.ADD_OR_REMOVE,
    grid: float = GRID,
) -> list[PrivacyLoss]:
    """The losses at several deltas; the composition is computed once."""
    return [epsilon_for(event, d, accountant=accountant, change=change, grid=grid) for d in deltas]


@lru_cache(maxsize=64)
def certify(plan: SealedPlan, change: Change = Change.ADD_OR_REMOVE) -> PrivacyLoss:
    """What a sealed plan costs at its delta: by loss distributions, or by whatever is tighter still."""
    return epsilon_for(plan.event, plan.delta, change=change)


@basic_composition.leaf_cost.register(SealedPlan)
def _(event: SealedPlan, change: Change) -> basic_composition.BasicCost:
    """A sealed plan inside another composition is priced by its certificate."""
    loss = certify(event, change)
    if not math.isfinite(loss.epsilon):
        raise UnsupportedEvent("the sealed plan has no finite loss at its delta.", "Raise its delta.")
    spent = loss.delta
    if loss.accountant == "pure":
        spent = min(spent, basic_composition.pure_cost(event.event, change=change).delta)
    return basic_composition.BasicCost(units_up(Fraction(loss.epsilon), LOSS_UNIT) * LOSS_UNIT, spent)


# --- the accountants ---------------------------------------------------------------------------


def _pure_epsilon(event: Event, delta: Fraction, change: Change, grid: float) -> float:
    del grid
    cost = basic_composition.pure_cost(event, change=change)
    return float_up(cost.epsilon) if cost.delta <= delta else math.inf


def _pure_delta(event: Event, epsilon: Fraction, change: Change, grid: float) -> float:
    del grid
    cost = basic_composition.pure_cost(event, change=change)
    return float_up(cost.delta) if cost.epsilon <= epsilon else 1.0


def _zcdp_epsilon(event: Event, delta: Fraction, change: Change, grid: float) -> float:
    del grid
    cost = zcdp_cost(event, change=change)
    return epsilon_of_rho(cost.rho, delta - cost.delta) if cost.delta < delta else math.inf


def _zcdp_delta(event: Event, epsilon: Fraction, change: Change, grid: float) -> float:
    del grid
    cost = zcdp_cost(event, change=change)
    return min(1.0, math.nextafter(float_up(cost.delta) + delta_of_rho(cost.rho, epsilon), math.inf))


def _rdp_epsilon(event: Event, delta: Fraction, change: Change, grid: float) -> float:
    del grid
    return renyi_epsilon(event, delta, change=change)


def _rdp_delta(event: Event, epsilon: Fraction, change: Change, grid: float) -> float:
    del grid
    return renyi_delta(event, epsilon, change=change)


def _pld_epsilon(event: Event, delta: Fraction, change: Change, grid: float) -> float:
    return distribution_epsilon(event, delta, change=change, grid=grid)


def _pld_delta(event: Event, epsilon: Fraction, change: Change, grid: float) -> float:
    return distribution_delta(event, epsilon, change=change, grid=grid)


_Answer = Callable[[Event, Fraction, Change, float], float]
_EPSILON: dict[str, _Answer] = {
    "pure": _pure_epsilon,
    "zcdp": _zcdp_epsilon,
    "rdp": _rdp_epsilon,
    "pld": _pld_epsilon,
}
_DELTA: dict[str, _Answer] = {
    "pure": _pure_delta,
    "zcdp": _zcdp_delta,
    "rdp": _rdp_delta,
    "pld": _pld_delta,
}


def _least(ask: Callable[[str], float], accountant: str | None) -> tuple[float, str]:
    """The least answer with its accountant; refuses only when none of those asked covers the event."""
    if accountant is not None:
        if accountant not in ACCOUNTANTS:
            raise BadAmount(f"unknown accountant {accountant!r}.", f"Use one of: {', '.join(ACCOUNTANTS)}.")
        return _told(ask(accountant)), accountant
    answers: list[tuple[float, str]] = []
    refusals: list[UnsupportedEvent] = []
    for name in ACCOUNTANTS:
        try:
            answers.append((_told(ask(name)), name))
        except UnsupportedEvent as refusal:
            refusals.append(refusal)
    if not answers:
        raise refusals[-1]
    return min(answers, key=lambda answer: answer[0])


def _told(loss: float) -> float:
    """The loss; where floats have run out and say nothing, the worst that it can be."""
    return math.inf if math.isnan(loss) else loss


def _delta(value: Number) -> Fraction:
    number = exact(value, "delta")
    if not 0 <= number < 1:
        raise BadAmount("delta must be a probability from 0 and below 1.", "Write delta=1e-6, for example.")
    return number


def _holds(event: Event, kind: type[Event]) -> bool:
    """Whether an event of this kind occurs anywhere in the tree."""
    if isinstance(event, Composed | Selected):
        return any(_holds(part, kind) for part in event.events)
    if isinstance(event, Repeated | SealedPlan | PoissonSampled | TruncatedPoissonSampled):
        return _holds(event.event, kind)
    return isinstance(event, kind)


def _refuse_unsupported(event: Event) -> None:
    if _holds(event, Unsupported):
        raise UnsupportedEvent(
            "the composition holds an event that no accountant can bound.", "Replace it by one that can."
        )
