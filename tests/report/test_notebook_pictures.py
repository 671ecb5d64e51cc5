"""Pictures for notebooks and files: whole, marked, and refused where there is nothing to draw."""

import xml.dom.minidom

import pytest
from tests.report.views import report, tradeoff

import privet as pv
from privet.artifact._released_answer import ReleasedAnswer
from privet.errors import NothingToDraw
from privet.report._notebook_html import OWNER
from privet.report._notebook_pictures import (
    _picture,
    answer_picture,
    attack_picture,
    ledger_picture,
    tradeoff_picture,
)


def test_whom_a_picture_is_for_travels_inside_the_file() -> None:
    made = _picture("t", "for <us> alone", '<svg xmlns="http://www.w3.org/2000/svg"><title>t</title></svg>')
    drawn = xml.dom.minidom.parseString(made.svg)
    assert drawn.getElementsByTagName("metadata")[0].firstChild.data == "for <us> alone"
    assert "<metadata>" not in _picture("t", "", "<svg></svg>").svg
    assert OWNER in attack_picture(report()).audience
    assert OWNER in tradeoff_picture(tradeoff()).audience


def test_attacks_on_another_scale_and_answers_without_groups_are_not_drawn() -> None:
    with pytest.raises(NothingToDraw, match="scale from 0 to 1"):
        attack_picture(report("epsilon", 3.0))
    with pytest.raises(NothingToDraw, match="no group"):
        answer_picture(ReleasedAnswer({"k": ()}, (), 0.95, pv.PureDP(1), None, None))


def test_an_unspent_budget_is_a_point_at_the_top() -> None:
    made = ledger_picture(pv.Ledger.in_memory(limit=pv.PureDP(3)))
    assert "from 1 after spend 0 to 1 after spend 0" in made.svg
