"""Checklists as plain records, and how many of their points are left open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from privet.report._regulator_checklists import Item, ItemStanding


def listed(items: Iterable[Item]) -> list[dict[str, str]]:
    """Items as records."""
    return [item.to_json() for item in items]


def sections(groups: Iterable[tuple[str, Iterable[Item]]]) -> list[dict[str, Any]]:
    """Groups of items as records."""
    return [{"title": title, "items": listed(items)} for title, items in groups]


def open_points(lists: Any) -> int:
    """How many points only a person can settle."""
    if isinstance(lists, Mapping):
        if "standing" in lists:
            return int(lists["standing"] == ItemStanding.OPEN.value)
        return sum(open_points(part) for part in lists.values())
    return sum(open_points(part) for part in lists) if isinstance(lists, list) else 0
