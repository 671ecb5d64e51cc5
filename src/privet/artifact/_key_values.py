"""Keys and amounts in records: written so that JSON holds them, and read back as what they were."""

from __future__ import annotations

import datetime
from fractions import Fraction
from typing import Any

from privet.guarantee import readable


def plain(value: Any) -> Any:
    """A key as JSON holds it; days and moments as text."""
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def time_kind(values: tuple[Any, ...]) -> str | None:
    """What the texts of a key column must be read back as, if they stand for days or moments."""
    found = next((value for value in values if value is not None), None)
    if isinstance(found, datetime.datetime):
        return "moment"
    return "day" if isinstance(found, datetime.date) else None


def read_back(value: Any, kind: str | None) -> Any:
    """A key as it was before `plain`."""
    if value is None or kind is None:
        return value
    reader = datetime.datetime if kind == "moment" else datetime.date
    return reader.fromisoformat(value)


def priced(amounts: dict[str, str]) -> str:
    """Amounts for people, epsilon or rho first; a delta that is not in play is left out."""
    exact = {name: Fraction(amount) for name, amount in sorted(amounts.items(), reverse=True)}
    return ", ".join(
        f"{name} {readable(amount)}" for name, amount in exact.items() if amount or name != "delta"
    )
