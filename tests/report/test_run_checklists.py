"""Checklists as records, and how many points are open."""

from privet.report._regulator_checklists import Item, ItemStanding
from privet.report._run_checklists import listed, open_points, sections


def item(standing: ItemStanding) -> Item:
    return Item("asked?", standing, "seen")


def test_open_points_are_counted_wherever_they_stand() -> None:
    open_, met = item(ItemStanding.OPEN), item(ItemStanding.MET)
    lists = {
        "a": listed([open_, met]),
        "b": sections([("t", [open_]), ("u", [met])]),
        "c": [{"of": "x", "items": listed([open_])}],
    }
    assert open_points(lists) == 3
    assert open_points({}) == open_points([]) == open_points("open") == 0


def test_only_open_is_open() -> None:
    others = [one for one in ItemStanding if one is not ItemStanding.OPEN]
    assert open_points(listed(map(item, others))) == 0
