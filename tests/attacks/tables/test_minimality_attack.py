"""What is told by a table that was made no coarser than it had to be."""

import json

import numpy as np
import pyarrow as pa
import pytest
from tests.attacks.tables.classes import ROLES, TREE

from privet.attacks._attack_registry import Case
from privet.attacks.tables._minimality_attack import Class, Dealt, _dealt, _requirement, minimality
from privet.errors import BadAttack
from privet.guarantee._promise_registry import AlphaK, KAnonymity, LDiversity


def test_minimality_breaks_diversity() -> None:
    """Wong et al. 2007: the two in the small group must both be ill, or nothing would have been joined."""
    original = pa.table(
        {"age": ["21", "21", "22", "22", "22", "22"], "ill": ["hiv", "hiv", "flu", "gout", "ague", "flu"]}
    )
    published = original.set_column(0, "age", pa.array(["young"] * 6))
    settings = {**ROLES, "sensitive": "ill", "hierarchies": {"age": TREE}}
    found = minimality(published, Case(members=original, promise=LDiversity("ill", 2), settings=settings))
    # Two of six values to the pair: alike are hiv-hiv and flu-flu, each one of fifteen; both are as likely.
    assert found.success.value > found.baseline
    assert found.details["largest_gain"] == pytest.approx(0.5 - 2 / 6)
    one_pair = original.set_column(1, "ill", pa.array(["hiv", "hiv", "flu", "gout", "ague", "mumps"]))
    sure = minimality(
        one_pair.set_column(0, "age", pa.array(["young"] * 6)),
        Case(members=one_pair, promise=LDiversity("ill", 2), settings=settings),
    )
    assert sure.details["certain"] == pytest.approx(2 / 6)
    assert sure.details["certain_without"] == 0
    assert "hiv" not in json.dumps(sure.to_json())


def test_what_lacks_diversity() -> None:
    two = _requirement(LDiversity("ill", 2), "ill", Case())
    assert (two([2, 0]), two([1, 1])) == (True, False)
    half = _requirement(AlphaK("ill", 0.5, 2), "ill", Case())
    assert (half([2, 1]), half([2, 2]), half([1, 1, 1])) == (True, False, False)
    stated = _requirement(KAnonymity(2), "ill", Case(settings={"share": 0.7}))
    assert (stated([3, 1]), stated([2, 1])) == (True, False)
    with pytest.raises(BadAttack, match="what diversity"):
        _requirement(LDiversity("other", 2), "ill", Case())


def test_ways_to_deal_are_weighed_by_hand() -> None:
    """A pair and a lone person; values a, a, b. Alike in the pair: aa (1 order); differing: ab (2 orders)."""
    one = Class(np.array([0, 0, 1]), np.array([2, 1]), np.array([0, 0, 1]))
    found = _dealt(one, lambda counts: sum(counts) > 1 and max(counts) == sum(counts))
    assert (found.every, found.fine) == (pytest.approx(3), pytest.approx(2))
    after = found.belief(1.0)
    assert after == pytest.approx(np.array([[1, 0], [0, 1]])), "the pair must be alike, so all is known"
    assert found.belief(0.0) == pytest.approx(np.array([[2 / 3, 1 / 3], [2 / 3, 1 / 3]]))


def test_where_every_way_would_have_been_published_nothing_is_learned() -> None:
    values = np.array([[1.0, 1.0]])
    assert Dealt(2.0, 2.0, values, values).belief(1.0) == pytest.approx(values / 2)
