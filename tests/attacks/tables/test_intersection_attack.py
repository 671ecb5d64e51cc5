"""Two releases of the same people, each harmless alone."""

import json

import pyarrow as pa
import pytest
from tests.attacks.tables.classes import PUBLISHED, case

from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.tables._intersection_attack import intersection
from privet.errors import BadAttack, NoPower
from privet.guarantee._promise_registry import KAnonymity


def test_two_releases_isolate_people() -> None:
    """Both are 3-anonymous; each class of one meets each class of the other in one person."""
    ills = ["flu", "gout", "mumps", "ague", "rash", "burn", "cold", "cough", "fever"]
    people = pa.table(
        {"age": [20 + i for i in range(9)], "zip": [f"021{i % 3}{i}" for i in range(9)], "ill": ills}
    )
    first = pa.table({"age": ["[20, 23["] * 3 + ["[23, 26["] * 3 + ["[26, 29["] * 3, "ill": ills})
    order = sorted(range(9), key=lambda i: i % 3)
    second = pa.table({"zip": [f"021{i % 3}*" for i in order], "ill": [ills[i] for i in order]})
    given = Case(
        members=people,
        promise=KAnonymity(3),
        settings={"quasi": ["age"], "sensitive": "ill", "other": second, "other_quasi": ["zip"]},
    )
    found = intersection(first, given)
    assert found.baseline == 0
    assert found.success.value == pytest.approx(1.0)
    assert found.details["fewest_rows_in_one_release"] == 3
    assert found.details["fewest_rows_left"] == 1
    assert found.verdict is Verdict.NOT_PROMISED
    assert "flu" not in json.dumps(found.to_json())


def test_releases_of_different_people_are_refused() -> None:
    other = pa.table({"age": ["[80, 90["] * 3, "ill": ["flu"] * 3})
    with pytest.raises(NoPower):
        intersection(PUBLISHED, case(settings={"other": other}))


def test_the_same_release_twice_tells_no_more() -> None:
    found = intersection(PUBLISHED, case(settings={"other": PUBLISHED}))
    assert found.success.value == pytest.approx(found.baseline)
    assert found.details["fewest_rows_left"] == found.details["fewest_rows_in_one_release"] == 3


def test_releases_that_share_nothing_are_refused() -> None:
    other = pa.table({"age": ["[20, 30["], "wage": [1]})
    with pytest.raises(BadAttack, match="share no column"):
        intersection(PUBLISHED, case(settings={"other": other}))
    with pytest.raises(BadAttack, match="no column 'wage'"):
        intersection(PUBLISHED, case(settings={"other": PUBLISHED, "shared": "wage"}))
