"""The question that every protection asks first: do the terms of the rows allow this?"""

from __future__ import annotations

from collections.abc import Iterable

from privet.ledger import Ledger, Throwaway, clock
from privet.source import Asked


def admitted(
    tables: Iterable[Asked],
    makes: str,
    *,
    ledger: Ledger | None,
    purpose: str | None = None,
    recipient: str = "internal",
) -> str | None:
    """The purpose to charge; refuses, before anything is read or spent, what a data set does not allow.

    Args:
        tables: where the rows come from; tables that no data set gave out have no terms.
        makes: what is made of them: "answer", "hierarchy", "model", "records", "table" or "twin".
        ledger: where it will be booked, which must be the data set's own.
        purpose: what the caller says it is for.
        recipient: whom it is for.
    """
    # What is booked in a throwaway is seen by nobody, or is the whole of what a fit without a ledger promises.
    place = None if ledger is None or isinstance(ledger, Throwaway) else ledger.place
    today = clock.now().date()
    if place is not None and ledger is not None:
        ledger.refuse_unapproved()
    for terms in dict.fromkeys(one for table in tables for one in table.terms):
        purpose = terms.admit(makes, ledger=place, purpose=purpose, recipient=recipient, today=today)
    return purpose
