"""Privacy filters: which spend may still be admitted, when every choice may depend on earlier answers.

A budget that is open to questions one by one needs a *filter*: a stopping rule under which the whole
interaction keeps the limit although mechanisms and their parameters are chosen as one goes (Rogers, Roth,
Ullman, Vadhan: Privacy Odometers and Filters, NIPS 2016). Each filter here adds costs up and stops before
a sum passes its cap, so its running state is one number for each coin. Interleaving several interactive
questions changes nothing (Haney et al.: Concurrent Composition for Interactive Differential Privacy with
Adaptive Privacy-Loss Parameters, CCS 2023).

A running total computed from privacy-loss distributions is *not* a valid filter. A plan all of whose
parameters are fixed beforehand may be certified that way, and is then booked here whole, as the single
(epsilon, delta) mechanism its certificate makes it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from privet.errors import BadBooking, EventNotPriced, UnsupportedEvent
from privet.guarantee import (
    DELTA_UNIT,
    LOSS_UNIT,
    ApproxDP,
    Change,
    Composed,
    Event,
    PacPrivacy,
    PacRelease,
    PoissonSampled,
    Promise,
    PureDP,
    Repeated,
    SealedPlan,
    Selected,
    TruncatedPoissonSampled,
    ZeroConcentratedDP,
    leaves,
    units_down,
    units_up,
)
from privet.guarantee.mechanisms import Mechanism

COINS = {"epsilon": LOSS_UNIT, "rho": LOSS_UNIT, "delta": DELTA_UNIT, "nats": LOSS_UNIT}
# The coin that every event of a filter costs something of.
_MAIN = ("rho", "nats", "epsilon")
ADAPTIVE, SEALED = "adaptive filter", "sealed plan"


@dataclass(frozen=True, slots=True)
class Price:
    """What one event costs under a filter, in budget units, rounded up."""

    cost: dict[str, int]
    composition: str
    grid: str | None = None


class Filter(ABC):
    """A stopping rule that adds up coins."""

    name: ClassVar[str]
    theorem: ClassVar[str]

    @abstractmethod
    def caps(self, limit: Promise) -> dict[str, int]:
        """How many units of each coin a limit holds, rounded down; refuses limits it cannot keep."""

    @abstractmethod
    def _cost(self, event: Event, change: Change) -> dict[str, Fraction]:
        """The exact cost of an event."""

    def price(self, event: Event, change: Change) -> Price:
        """The cost of an event in whole units, rounded up; refuses what has no finite, positive cost."""
        grid = None
        _require_hidden(event, change)
        try:
            if _holds_plan(event):
                # Certificates need the loss-distribution library; simple events are priced without it.
                from privet.guarantee import certify

                if isinstance(event, SealedPlan):
                    grid = _grid_text(certify(event, change).grid)
            cost = self._cost(event, change)
        except UnsupportedEvent as error:
            raise EventNotPriced(error.fact, error.hint or f"Accounting here is {self.name!r}.") from None
        # Costs up and caps down: a rounded sum is never below the true one, and sums of whole units have no
        # rounding of their own.
        units = {coin: units_up(amount, COINS[coin]) for coin, amount in cost.items()}
        main = next(coin for coin in _MAIN if coin in units)
        # A free event could be asked for ever, and a negative one would refill the budget: either is a fault
        # of its pricing.
        if units[main] <= 0 or any(amount < 0 for amount in units.values()):
            raise EventNotPriced(
                f"a {event.kind} event with these parameters has no positive cost.", "Check its parameters."
            )
        return Price(units, SEALED if isinstance(event, SealedPlan) else ADAPTIVE, grid)


class PureFilter(Filter):
    """Epsilons add up; nothing with a delta is admitted.

    If the k-th mechanism is epsilon_k-differentially private whatever came before, and the process stops
    before the sum of the epsilons would pass epsilon, the whole is epsilon-differentially private: the
    privacy losses add on every transcript (Rogers et al. 2016, basic composition for filters, delta = 0).
    """

    name = "pure"
    theorem = "Rogers, Roth, Ullman, Vadhan 2016: sum of epsilons, delta = 0"

    def caps(self, limit: Promise) -> dict[str, int]:
        """The whole units of epsilon."""
        if not isinstance(limit, PureDP):
            raise _not_kept(self.name, "PureDP(epsilon)")
        return {"epsilon": units_down(limit.epsilon, LOSS_UNIT)}

    def _cost(self, event: Event, change: Change) -> dict[str, Fraction]:
        from privet.guarantee import pure_cost

        cost = pure_cost(event, change=change)
        # No delta is small enough to be dropped here: the limit says that there is none.
        if cost.delta != 0:
            raise EventNotPriced(
                f"a {event.kind} event has a delta, and this budget admits none (accounting is 'pure').",
                "Keep a ledger with an ApproxDP limit, or charge noise without a delta (and unsealed).",
            )
        return {"epsilon": cost.epsilon}


class BasicFilter(Filter):
    """Epsilons add up, and deltas add up.

    If the k-th mechanism is (epsilon_k, delta_k)-differentially private whatever came before, and the
    process stops before either sum would pass its cap, the whole is (epsilon, delta)-differentially private
    (Rogers et al. 2016, basic composition for filters).
    """

    name = "basic"
    theorem = "Rogers, Roth, Ullman, Vadhan 2016: sums of epsilons and of deltas"

    def caps(self, limit: Promise) -> dict[str, int]:
        """The whole units of epsilon and delta; a pure sub-limit is one with no delta."""
        if not isinstance(limit, ApproxDP | PureDP):
            raise _not_kept(self.name, "ApproxDP(epsilon, delta) or PureDP(epsilon)")
        delta = limit.delta if isinstance(limit, ApproxDP) else Fraction(0)
        return {"epsilon": units_down(limit.epsilon, LOSS_UNIT), "delta": units_down(delta, DELTA_UNIT)}

    def _cost(self, event: Event, change: Change) -> dict[str, Fraction]:
        from privet.guarantee import pure_cost

        cost = pure_cost(event, change=change)
        return {"epsilon": cost.epsilon, "delta": cost.delta}


class ConcentratedFilter(Filter):
    """Rhos add up, and deltas add up, at no loss against a plan fixed beforehand.

    If the k-th mechanism is delta_k-approximately rho_k-zCDP whatever came before, and the process stops
    before either sum would pass its cap, the whole is delta-approximately rho-zCDP (Whitehouse, Ramdas,
    Rogers, Wu: Fully-Adaptive Composition in Differential Privacy, ICML 2023, filter for approximate zCDP).

    For a limit ApproxDP(epsilon, delta), delta is split when the ledger is opened: one half is the cap on
    the events' own deltas; the other half is spent in turning rho into epsilon (Canonne, Kamath, Steinke
    2020), so the cap on rho is the largest rho that gives epsilon at delta / 2. Both caps are stored.
    """

    name = "zcdp"
    theorem = "Whitehouse, Ramdas, Rogers, Wu 2023: sums of rhos and of deltas (approximate zCDP)"

    def caps(self, limit: Promise) -> dict[str, int]:
        """The whole units of rho, and of delta for the events themselves."""
        if isinstance(limit, ZeroConcentratedDP):
            # Such a limit has no delta to spend, so events that bring one are refused by the cap itself.
            return {"rho": units_down(limit.rho, LOSS_UNIT), "delta": 0}
        if not isinstance(limit, ApproxDP):
            raise _not_kept(self.name, "ApproxDP(epsilon, delta) or ZeroConcentratedDP(rho)")
        from privet.guarantee import rho_within

        rho = units_down(rho_within(limit.epsilon, limit.delta / 2), LOSS_UNIT)
        return {"rho": rho, "delta": units_down(limit.delta / 2, DELTA_UNIT)}

    def _cost(self, event: Event, change: Change) -> dict[str, Fraction]:
        from privet.guarantee import zcdp_cost

        cost = zcdp_cost(event, change=change)
        return {"rho": cost.rho, "delta": cost.delta}


class PacFilter(Filter):
    """Nats of mutual information add up; nothing but PAC releases is admitted, and no epsilon follows from them.

    If the k-th release tells at most b_k nats about its secret world given all releases before, whatever these were, and
    the process stops before the sum of the b_k would pass b, then all releases together tell at most b nats about all
    secrets together: by the chain rule, I(K; Y_1 … Y_n) = Σ E[I(K; Y_k | Y_1 … Y_{k-1} = y)], and each term is at most
    the b_k that was chosen after y (Xiao and Devadas 2023, Theorem 7; Zhu et al. 2026 for one secret that is tracked).
    """

    name = "pac"
    theorem = "chain rule of mutual information: sum of nats"

    def caps(self, limit: Promise) -> dict[str, int]:
        """The whole units of mutual information."""
        if not isinstance(limit, PacPrivacy):
            raise _not_kept(self.name, "PacPrivacy(mutual_information)")
        return {"nats": units_down(limit.mutual_information, LOSS_UNIT)}

    def _cost(self, event: Event, change: Change) -> dict[str, Fraction]:
        del change  # a secret half has no neighbour
        total = Fraction(0)
        for leaf, count in leaves(event).items():
            if not isinstance(leaf, PacRelease):
                raise EventNotPriced(
                    f"a {leaf.kind} event is not counted in nats (accounting is 'pac').",
                    "Charge it to a ledger with a limit in differential privacy, and PAC releases to their own account.",
                )
            total += leaf.mutual_information * count
        return {"nats": total}


FILTERS: dict[str, Filter] = {
    kind.name: kind() for kind in (PureFilter, BasicFilter, ConcentratedFilter, PacFilter)
}


def filter_of(event: Event, own: str) -> Filter:
    """Which filter admits an event: that of nats for PAC releases, and the ledger's own for everything else.

    A mixture of both kinds is left to the ledger's own filter, which knows no price for the other: they never add up.
    """
    only_nats = all(isinstance(leaf, PacRelease) for leaf in leaves(event))
    return FILTERS[PacFilter.name if only_nats else own]


def filter_for(limit: Promise, accounting: str | None) -> Filter:
    """The filter that guards a data set's limit; each kind of limit has its default."""
    allowed = {
        PureDP: ("pure",),
        ApproxDP: ("basic", "zcdp"),
        ZeroConcentratedDP: ("zcdp",),
        PacPrivacy: ("pac",),
    }.get(type(limit), ())
    if not allowed:
        raise BadBooking(
            "a ledger's limit must be differentially private, or a bound in nats.",
            "Use PureDP(epsilon), ApproxDP(epsilon, delta), ZeroConcentratedDP(rho) or PacPrivacy(mutual_information).",
        )
    # Which is the default is written into the first entry: another default later changes no ledger that
    # exists.
    name = allowed[0] if accounting is None else accounting
    if name not in allowed:
        raise BadBooking(
            f"accounting {name!r} does not keep a limit of this kind.",
            f"Use {' or '.join(map(repr, allowed))}.",
        )
    return FILTERS[name]


def _not_kept(name: str, kinds: str) -> BadBooking:
    return BadBooking(
        f"a limit of this kind cannot be kept under {name!r} accounting.", f"Write it as {kinds}."
    )


def _require_hidden(event: Event, change: Change) -> None:
    """A randomised response hides what a person answers, not that there is an answer of hers."""
    local = any(isinstance(leaf, Mechanism) and not leaf.hides_presence for leaf in _told(event))
    if local and change is not Change.REPLACE:
        raise EventNotPriced(
            "a randomised response hides a person's answer, not that the person takes part.",
            "Book it in a ledger whose unit has change=Change.REPLACE: Row(change=Change.REPLACE), for example.",
        )


def _told(event: Event) -> list[Event]:
    """The leaves, with those of the candidates of a selection in its place."""
    found: list[Event] = []
    for leaf in leaves(event):
        found += (
            [part for one in leaf.events for part in _told(one)] if isinstance(leaf, Selected) else [leaf]
        )
    return found


def _holds_plan(event: Event) -> bool:
    if isinstance(event, Composed | Selected):
        return any(_holds_plan(part) for part in event.events)
    if isinstance(event, Repeated | PoissonSampled | TruncatedPoissonSampled):
        return _holds_plan(event.event)
    return isinstance(event, SealedPlan)


def _grid_text(grid: float | None) -> str | None:
    return None if grid is None else repr(grid)
