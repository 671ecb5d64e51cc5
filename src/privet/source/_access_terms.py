"""The terms on which a data set gives its rows out: for which purpose, to make what, for whom, and in which ledger.

A table that comes from a data set carries its terms, and every verb that makes something from rows asks them first. So the
rule is written once, and holds through every door: a program, the command line, a policy, a notebook.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privet._address_secrets import same_address, without_password
from privet.errors import PolicyBreach, SecondLedger


@dataclass(frozen=True)
class AccessTerms:
    """What rows may be used for. None leaves a thing open: a file about which nothing is declared leaves all open."""

    dataset: str
    purpose: str | None = None
    outputs: tuple[str, ...] | None = None  # kinds of things that may be made
    recipients: tuple[str, ...] | None = None
    expires: datetime.date | None = None
    ledger: str | None = None  # the place of the data set's one ledger
    # Whether the person column may stand in a condition, a key or a computed column, or in rows that leave.
    person_named: bool = True
    withholds: bool = False  # whether columns that nobody has said may leave stay behind

    def admit(
        self,
        makes: str,
        *,
        ledger: str | None,
        purpose: str | None,
        recipient: str = "internal",
        today: datetime.date,
    ) -> str | None:
        """The purpose that is charged; refuses what these terms do not allow, before anything is read or spent."""
        self.admit_ledger(ledger)
        if self.purpose is None:
            return purpose
        if purpose is not None and purpose != self.purpose:
            raise self._breach(f"the rows were given out for {self.purpose!r}, not for {purpose!r}.")
        if self.expires is not None and self.expires < today:
            raise self._breach(f"purpose {self.purpose!r} ended on {self.expires}.")
        if self.outputs is not None and makes not in self.outputs:
            allowed = ", ".join(self.outputs) or "nothing"
            raise self._breach(f"purpose {self.purpose!r} allows {allowed}, and this makes: {makes}.")
        if self.recipients is not None and recipient not in self.recipients:
            allowed = ", ".join(self.recipients) or "nobody"
            raise self._breach(f"purpose {self.purpose!r} is for {allowed}, not for {recipient!r}.")
        return self.purpose

    def _breach(self, fact: str) -> PolicyBreach:
        return PolicyBreach(
            fact,
            "Nothing was read or spent. Ask for another purpose, or let somebody who may change this one.",
        )

    def admit_ledger(self, place: str | None) -> None:
        """Refuse a second ledger: it would be a second budget for the same people."""
        if self.ledger is None or place is None or _same_place(self.ledger, place):
            return
        raise SecondLedger(
            f"the data set {self.dataset!r} is booked in another ledger, and a second one would be a second budget.",
            f"Use its own: {without_password(self.ledger)}.",
        )


def admitted_by(table: Any, makes: str) -> None:
    """Refuse, before a row is read, what the terms of a table do not allow; for what is booked in no ledger."""
    today = datetime.datetime.now(datetime.UTC).date()
    for terms in getattr(table, "terms", ()):
        terms.admit(makes, ledger=None, purpose=None, today=today)


def _same_place(one: str, other: str) -> bool:
    if "://" in one or "://" in other:
        return same_address(one, other)
    return Path(one).resolve() == Path(other).resolve()
