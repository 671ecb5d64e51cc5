"""An adaptive run: one booking, from which rounds draw whose noise is chosen as one goes, under a filter.

What is measured in a round, and with how much noise, may depend on the noisy answers before it, so no plan of the
parts can be written down beforehand. What can be is the sum: the booking pays for delta-approximate rho-zCDP, and the
filter hands out permits while the costs of all that was handed out stay within it. If each round is
delta_k-approximately rho_k-zCDP whatever came before, and the run stops before either sum would pass its cap, the
whole is delta-approximately rho-zCDP (Whitehouse, Ramdas, Rogers, Wu: Fully-Adaptive Composition in Differential
Privacy, ICML 2023). A booking of (epsilon, delta) pays for the largest rho that implies epsilon at what is left of
delta (Canonne, Kamath and Steinke 2020, Proposition 12).
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from fractions import Fraction

from privet.errors import BadBooking, BudgetExceeded
from privet.guarantee import (
    Change,
    ConcentratedCost,
    Event,
    Number,
    Opaque,
    ZeroConcentrated,
    exact,
    readable,
    rho_within,
    zcdp_cost,
)
from privet.ledger._permit import Permit, issue


@dataclass(frozen=True, slots=True)
class DrawnEvent:
    """One draw that the filter let through, and what it cost."""

    event: Event
    rho: Fraction
    delta: Fraction


class AdaptiveRun:
    """Hands out permits for events chosen one after another, until what was booked is used up.

    Args:
        permit: for `ZeroConcentrated(rho)` or `Opaque(epsilon, delta)`, or a composition of the former with events
            that have a cost of their own; it is used up here.
        change: what the ledger's unit says of neighbours.
        spare: of an `Opaque` booking, the part of delta that is kept for events with a delta of their own.

    Guarantee:
        Everything drawn with its permits together costs no more than the booking, however they were chosen.
    """

    __slots__ = ("_cap", "_change", "_drawn", "_lock", "_receipt")

    def __init__(self, permit: Permit, change: Change, *, spare: Number = 0) -> None:
        self._cap = run_budget(permit.event, change, spare=spare)
        permit.use()
        self._receipt, self._change = permit.receipt, change
        self._drawn: list[DrawnEvent] = []
        self._lock = threading.Lock()

    @property
    def cap(self) -> ConcentratedCost:
        """What was booked."""
        return self._cap

    @property
    def spent(self) -> ConcentratedCost:
        """The cost of all that was handed out."""
        return ConcentratedCost(
            sum((one.rho for one in self._drawn), Fraction(0)),
            sum((one.delta for one in self._drawn), Fraction(0)),
        )

    @property
    def remaining(self) -> Fraction:
        """How much rho is left."""
        return self._cap.rho - self.spent.rho

    @property
    def drawn(self) -> tuple[DrawnEvent, ...]:
        """All that was handed out, in order."""
        return tuple(self._drawn)

    def permit(self, event: Event) -> Permit:
        """Leave to draw this event; refuses, and hands out nothing, where it would pass what was booked."""
        cost = zcdp_cost(event, change=self._change)
        with self._lock:
            spent = self.spent
            if cost.rho <= 0:
                raise BadBooking(
                    f"a {event.kind} event with these parameters has no cost.", "Check its parameters."
                )
            if spent.rho + cost.rho > self._cap.rho or spent.delta + cost.delta > self._cap.delta:
                raise BudgetExceeded(
                    f"this draw costs rho {readable(cost.rho)}, and of the run's booking {readable(self.remaining)} is left.",
                    "Draw with more noise, or end the run.",
                )
            self._drawn.append(DrawnEvent(event, cost.rho, cost.delta))
        return issue(event, self._receipt)


def run_budget(event: Event, change: Change, *, spare: Number = 0) -> ConcentratedCost:
    """The rho and delta that a booking pays for."""
    kept = exact(spare, "spare")
    if isinstance(event, Opaque):
        if not 0 <= kept < event.delta:
            raise BadBooking("the spare part of delta must lie below the delta that is booked.", "Lower it.")
        return ConcentratedCost(rho_within(event.epsilon, event.delta - kept), kept)
    if kept:
        raise BadBooking("only a booking of epsilon and delta has a delta to spare.", "Leave it out.")
    if not _concentrated(event):
        raise BadBooking(
            f"a {event.kind} event is not the booking of an adaptive run.", "Charge ZeroConcentrated(rho)."
        )
    return zcdp_cost(event, change=change)


def _concentrated(event: Event) -> bool:
    from privet.guarantee import Composed

    parts = event.events if isinstance(event, Composed) else (event,)
    return any(isinstance(part, ZeroConcentrated) for part in parts)
