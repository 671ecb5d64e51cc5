"""A trend as a picture: days in order, the largest values drawn, the others counted."""

import datetime
from xml.etree import ElementTree

import privet as pv
from privet.report._trend_figure import MOST, days_of, trend_figure

ASKED = pv.Collection("a", pv.OneOf([f"<v{number}>" for number in range(8)]), pv.LocalDP(3), "grr")


def trend(days: int):
    return pv.estimate_trend(
        {
            datetime.date(2026, 1, 1) + datetime.timedelta(7 * day): ASKED.randomize(
                [f"<v{number % 3}>" for number in range(300)], seed=day
            )
            for day in reversed(range(days))
        },
        ASKED,
    )


def test_days_are_in_order_and_slopes_are_no_days() -> None:
    found = days_of(trend(4))
    assert len(found) == 8
    for days in found.values():
        assert len(days) == 4
        assert days == sorted(days)
        assert all(low <= share <= high for _, share, low, high in days)


def test_the_picture_is_valid_and_says_what_it_leaves_out() -> None:
    for days in (2, 30):
        drawn = ElementTree.fromstring(trend_figure(trend(days)))
        words = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
        assert f"{8 - MOST:,} more values in the table" in words
        assert {"<v0>", "2026-01-01"} <= set(words)
        assert sum(one is not None and one.startswith("2026") for one in words) <= 8
        dots = list(drawn.iter("{http://www.w3.org/2000/svg}circle"))
        assert len(dots) == MOST * days
