"""Limits and units as people type them: what is meant, and every other word refused."""

import pytest

import privet as pv
from privet.errors import BadAmount, BadUsage
from privet.guarantee import Change
from privet.verbs._limits import read_budget, read_limit, read_unit


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("3", pv.PureDP(3)),
        ("0.1", pv.PureDP("0.1")),
        ("3,1e-7", pv.ApproxDP(3, "1e-7")),
        ("epsilon=3", pv.PureDP(3)),
        (" epsilon = 3 , delta = 1e-7 ", pv.ApproxDP(3, "1e-7")),
        ("delta=1e-7,epsilon=3", pv.ApproxDP(3, "1e-7")),
        ("rho=2", pv.ZeroConcentratedDP(2)),
    ],
)
def test_budgets(text, limit):
    assert read_budget(text) == limit


@pytest.mark.parametrize(
    "text",
    [
        "",
        "much",
        "3,",
        "3,1e-7,5",
        "-1",
        "epsilon=",
        "rho=2,delta=1e-7",
        "delta=1e-7",
        "epsilon=1,epsilon=2",
        "eps=3",
        "epsilon=3,",
    ],
)
def test_what_is_no_budget_is_refused(text):
    with pytest.raises((BadUsage, BadAmount)):
        read_budget(text)


def test_single_options_are_a_limit_and_are_not_said_twice():
    assert read_limit(None, epsilon="3", delta="1e-7") == pv.ApproxDP(3, "1e-7")
    assert read_limit("delta=1e-7", epsilon="3") == pv.ApproxDP(3, "1e-7")
    for given in ({"epsilon": "1", "rho": "1"}, {}, {"delta": "1e-7"}):
        with pytest.raises(BadUsage):
            read_limit(None, **given)
    with pytest.raises(BadUsage, match="twice"):
        read_limit("epsilon=1", epsilon="1")


def test_units():
    change = Change.REPLACE
    assert read_unit(None, change) is None
    assert read_unit("row", change) == pv.Row(change)
    assert read_unit("person:patient:id", change) == pv.Person("patient:id", change=change)
    for text in ("", "person", "person:", "row:x", "Person:id", "household:id"):
        with pytest.raises(BadUsage):
            read_unit(text, change)
