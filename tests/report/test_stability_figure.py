"""The picture of stability: every budget has its mark on every number, and all of it stands in words too."""

from __future__ import annotations

import xml.dom.minidom

from privet.report._stability_figure import stability_figure

RECORD = {
    "name": "<means>",
    "labels": ["age", "<cost>"],
    "spread": [1.0, 20.0],
    "width": [100.0, 5_000.0],
    "noise": {"0.25": [2.0, 40.0], "0.0625": [4.0, 0.0]},
    "shares": [0.9, 0.1],
}


def test_every_number_has_a_mark_for_every_budget_that_noises_it() -> None:
    drawn = xml.dom.minidom.parseString(stability_figure(RECORD))
    said = [one.firstChild.data for one in drawn.getElementsByTagName("title")]
    assert "age, noise at 0.25: 0.02 of the bounds" in said
    assert "<cost>, between halves: 0.004 of the bounds" in said
    assert (
        sum("noise at 0.0625" in one for one in said) == 1
    )  # a number without noise has no place on the axis
    words = drawn.getElementsByTagName("desc")[0].firstChild.data
    assert "age: between halves 0.01, noise at 0.25 0.02, noise at 0.0625 0.04" in words
    assert not drawn.getElementsByTagName("script")


def test_a_function_that_never_moves_can_be_drawn() -> None:
    still = {**RECORD, "spread": [0.0, 0.0], "noise": {"0.25": [0.0, 0.0]}, "shares": [0.0, 0.0]}
    assert xml.dom.minidom.parseString(stability_figure(still))
