"""About how many units there are, where nobody may say so for free: a noisy count, booked before the rest."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from privet.artifact.receipt import Receipt
from privet.engine import Contribution, Measure, aggregate
from privet.errors import BudgetExceeded
from privet.guarantee.calibration import laplace_scale
from privet.guarantee.events import DiscreteLaplace, Opaque
from privet.guarantee.promises import ApproxDP, PureDP
from privet.guarantee.units import Change, Unit
from privet.ledger import Ledger
from privet.mechanism import discrete_laplace
from privet.source.table import Table

# Of epsilon: at epsilon 1 the count is off by about 20, at 0.1 by about 200.
SHARE = Fraction(1, 20)
_FEWEST = 50  # a noisy count below this is taken for this: noise alone could make it nothing


def counted(
    table: Table, unit: Unit, promise: ApproxDP, ledger: Ledger, booking: dict[str, Any]
) -> tuple[int, ApproxDP, Receipt]:
    """A noisy number of units, what is left of the promise, and the receipt. Refuses if the whole does not fit."""
    quote = ledger.quote(
        Opaque(promise.epsilon, promise.delta), purpose=booking.get("purpose"), analyst=booking.get("analyst")
    )
    if not quote.admitted:
        raise BudgetExceeded(
            quote.reason, "Ask for less, or open a budget that holds it. Nothing was booked."
        )
    count, rest = PureDP(promise.epsilon) * SHARE, ApproxDP(promise.epsilon, promise.delta)
    rest = ApproxDP(promise.epsilon - count.epsilon, promise.delta)
    sides = 2 if unit.change is Change.REPLACE else 1
    event = DiscreteLaplace(laplace_scale(count.epsilon, sides), sides)
    permit = ledger.charge(event, unit=unit, promise=count, data=table.fingerprint, **booking)
    bound = Contribution.for_unit(unit, grouped=False)
    sealed = aggregate(
        table.relation, keys=[], public_keys=None, measures={"n": Measure("persons")}, contribution=bound
    )
    noisy = int(discrete_laplace(sealed.answers["n"], permit)[0])
    return max(_FEWEST, noisy), rest, permit.receipt
