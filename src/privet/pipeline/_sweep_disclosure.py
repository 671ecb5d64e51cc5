"""What a sweep itself gives away, and to whom its figures may be shown.

Trying many settings on private rows and keeping the best is a look at the data like any other (Papernot and Steinke 2022).
A sweep is therefore of one of four standings, and its result says which.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from fractions import Fraction

from privet.errors import BudgetExceeded
from privet.guarantee import Composed, Event
from privet.ledger import Ledger


class SweepStanding(enum.Enum):
    """On whose data a sweep ran, and what that means for its figures."""

    PUBLIC = "public"
    SURROGATE = "surrogate"
    BOOKED = "booked"
    OWNER_ONLY = "owner-only"

    def words(self, spent: str = "") -> str:
        """For people, in full."""
        if self is SweepStanding.BOOKED:
            return (
                f"Booked: every private model of this sweep was charged to the ledger, {spent}. The figures themselves "
                "(utility on the holdout, attacks scored with the truth, everything about anonymized tables) cannot "
                "be booked and are for the owner only."
            )
        return _WORDS[self]


_WORDS = {
    SweepStanding.PUBLIC: (
        "Public: this sweep ran on data that were declared public. Its figures give nobody away and may be shown; for "
        "other people's data they are a guess."
    ),
    SweepStanding.SURROGATE: (
        "Surrogate: this sweep ran on made-up data in place of the real ones. Its figures give nobody away and may be "
        "shown; they are as good a guess as the made-up data are alike the real ones."
    ),
    SweepStanding.OWNER_ONLY: (
        "For the owner only: this sweep ran on the private rows, and nothing of it was booked. Its figures, and a choice "
        "made by them, are derived from those rows: do not publish them, and count the choice as a look at the data."
    ),
}


def refuse_unpaid(ledger: Ledger, events: Sequence[Event], purpose: str | None) -> dict[str, Fraction]:
    """What all of these would cost together; an error, with nothing booked, if the budget does not hold them all."""
    quote = ledger.quote(Composed(list(events)), purpose=purpose)
    if not quote.admitted:
        raise BudgetExceeded(
            quote.reason,
            "Sweep fewer or smaller epsilons, or sweep on public or made-up data. Nothing was booked.",
        )
    return dict(quote.cost)


def amounts(cost: dict[str, Fraction]) -> str:
    """A cost in words: epsilon 3.6 and delta 6e-06."""
    return " and ".join(f"{name} {float(value):.6g}" for name, value in cost.items() if value)
