"""The ledger's clock: UTC, never running backwards within one book."""

from __future__ import annotations

import datetime

_FORMAT = "%Y-%m-%dT%H:%M:%S.%fZ"


def now() -> datetime.datetime:
    """The present moment in UTC."""
    return datetime.datetime.now(datetime.UTC)


def stamp(moment: datetime.datetime, *, not_before: str = "") -> str:
    """A moment as text that sorts in time order; a clock set back does not make a book run backwards."""
    return max(moment.strftime(_FORMAT), not_before)


def moment(text: str) -> datetime.datetime:
    """The moment of a stamp; refuses any other text."""
    return datetime.datetime.strptime(text, _FORMAT).replace(tzinfo=datetime.UTC)


def day(text: str) -> datetime.date:
    """The day of a stamp."""
    return datetime.date.fromisoformat(text[:10])
