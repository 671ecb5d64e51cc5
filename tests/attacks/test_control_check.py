"""A control with members in it is refused; one of other people makes every verdict inconclusive; a fair one changes nothing."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import privet as pv
from privet import examples
from privet.artifact._risk_estimate import Verdict
from privet.attacks._control_check import apart, refuse_overlap
from privet.errors import BadAttack


def people(number: int, seed: int, older: float = 0.0) -> pa.Table:
    draw = np.random.default_rng(seed)
    ward = draw.choice(list("abc"), number)
    return pa.table({"age": draw.normal(50 + older, 10, number).round(2), "ward": ward})


def test_members_in_the_control_are_refused() -> None:
    members, control = people(300, 1), people(300, 2)
    mixed = pa.concat_tables([control.slice(0, 260), members.slice(0, 40)])
    published = people(300, 3)
    for held in (members, mixed):
        with pytest.raises(BadAttack, match="also among the members"):
            pv.attack(published, members=members, control=held, attacks=["exact-match"])
    pv.attack(published, members=members, control=control, attacks=["exact-match"])


def test_people_who_are_alike_by_chance_are_no_overlap() -> None:
    for seed in range(20):
        draw = np.random.default_rng(seed)
        refuse_overlap(*(draw.integers(0, 3, (400, 3)).astype(float) for _ in "ab"), seed=seed)
    rows = np.arange(80.0).reshape(40, 2)
    with pytest.raises(BadAttack, match="40 records"):
        refuse_overlap(rows, rows)


def test_other_people_are_told_apart_and_the_same_are_not() -> None:
    draw = np.random.default_rng(1)
    same = [apart(draw.normal(size=(200, 4)), draw.normal(size=(200, 4)), seed) for seed in range(12)]
    assert all(one.low <= 0.5 for one in same)  # each errs less than once in a thousand times
    other = apart(draw.normal(size=(200, 4)), draw.normal(0.7, 1, (200, 4)))
    assert other.low > 0.5
    assert apart(draw.normal(size=(20, 4)), draw.normal(5, 1, (20, 4))) is None


def test_nothing_follows_from_a_control_of_other_people() -> None:
    """The model knows nobody; it answers by age, and the control is older. No leak, whatever the curve says."""

    class ByAge:
        def predict_proba(self, records: np.ndarray) -> np.ndarray:
            sure = 1 / (1 + np.exp((records[:, 0] - 50) / 5))
            return np.column_stack([sure, 1 - sure])

    draw = np.random.default_rng(4)
    members, control = draw.normal(50, 10, (300, 2)), draw.normal(70, 10, (300, 2))
    labels = np.zeros(300, int)
    found = pv.attack(
        ByAge(),
        members=(members, labels),
        control=(control, labels),
        promise=pv.PureDP("0.5"),
        attacks=["membership-loss"],
    )
    one = found["membership-loss"]
    assert one.success.low > one.bound
    assert one.verdict is Verdict.INCONCLUSIVE
    assert not one.found_something
    assert found.contradicted == ()
    assert "told apart without what is attacked" in one.sentence()
    assert "told apart without what is attacked" in str(found)
    assert type(one).from_json(one.to_json()).unfair == one.unfair


def test_kinds_of_values_that_differ_are_named() -> None:
    text = people(60, 1).set_column(0, "age", pa.array(["x"] * 60))
    with pytest.raises(BadAttack, match="different kinds of values in age"):
        pv.attack(people(60, 3), members=text, control=people(60, 2), attacks=["exact-match"])


def test_several_records_of_a_person_do_not_give_the_side_away() -> None:
    stays = examples.hospital(1500)
    held = pc.equal(pc.bit_wise_and(stays["patient_id"], 3), 0)
    columns = ["patient_id", "sex", "days", "cost"]
    members, control = (
        pv.open_table(
            stays.filter(mask).select(columns), unit=pv.Person("patient_id"), roles={"sex": "quasi"}
        )
        for mask in (pc.invert(held), held)
    )
    published = stays.filter(pc.invert(held)).select(columns[1:])
    (found,) = pv.attack(published, members=members, control=control, attacks=["exact-match"])
    assert found.unfair == ""
