"""Where published rows crowd: copies first, then what lies nearer than a reference."""

import numpy as np
import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

import privet as pv
from privet.attacks._attack_registry import Case
from privet.attacks.tables._membership_density import _copies_first, _nearer, density
from privet.attacks.tables._table_codes import coded
from privet.errors import BadAttack, NoPower
from privet.guarantee._promise_registry import PureDP


@pytest.fixture(scope="module")
def tables() -> tuple[pa.Table, pa.Table]:
    return world(1200, 1), world(1200, 2)


@pytest.mark.parametrize("how", ["neighbours", "classifier"])
def test_density_tells_members_of_a_copy(tables, how) -> None:
    members, control = tables
    case = Case(members=members, control=control, promise=PureDP(1), settings={"density": how})
    copied = density(members, case)
    assert copied.success.low > (0.9 if how == "neighbours" else 0.55)
    if how == "neighbours":
        assert copied.verdict.value == "contradicts the promise"
    fresh = density(
        world(1200, 3), Case(members=members, control=control, confidence=0.999, settings={"density": how})
    )
    assert fresh.success.low < 0.5 < fresh.success.high


def test_a_reference_of_its_own_leaves_the_control_whole(tables) -> None:
    members, control = tables
    found = density(members, Case(members=members, control=control, auxiliary=world(1200, 4)))
    assert found.success.low > 0.95
    assert not found.notes


def test_scores_are_logs_of_distances() -> None:
    """Twice as far from the reference as from what was published; and no distance counts as less than the least."""
    published, reference = np.array([[1.0], [0.0]], np.float32), np.array([[2.0], [0.5]], np.float32)
    assert _nearer(published, reference, 0.25) == pytest.approx([np.log(2), np.log(2)])


def test_a_copy_that_the_reference_lacks_comes_before_all_others() -> None:
    people, others, published, reference = coded(
        [pa.table({"a": values}) for values in (["x", "y", "z"], ["v"], ["x", "y"], ["y"])], ["a"]
    )
    mine, theirs = _copies_first((np.zeros(3), np.array([5.0])), (people, others), published, reference)
    assert mine[0] > theirs[0]
    assert mine[1:].tolist() == [0, 0], "y may be anybody's, and z was not published"


def test_few_people_and_unknown_estimates_are_refused(tables) -> None:
    members, control = tables
    with pytest.raises(NoPower, match="people are left"):
        density(members, Case(members=members.slice(0, 5), control=control))
    with pytest.raises(BadAttack, match="no such estimate"):
        density(members, Case(members=members, control=control, settings={"density": "kernel"}))


def visits(people: int, seed: int) -> pa.Table:
    """Five rows of each person, which are nearly alike."""
    draw = np.random.default_rng(seed)
    person = np.repeat(np.arange(people), 5)
    home = draw.normal(size=(people, 4))[person] + draw.normal(size=(5 * people, 4)) / 100
    return pa.table({"who": [f"p{one}" for one in person], **{f"x{at}": home[:, at] for at in range(4)}})


@pytest.mark.parametrize("stated", ["setting", "table"])
def test_several_rows_of_a_person_do_not_pass_for_membership(stated) -> None:
    """What was published has nothing to do with either side. A person in the reference with one row and scored by another
    would be told for that: the area is then 0.98."""
    members, control, published = visits(200, 1), visits(200, 2), visits(200, 3).drop_columns(["who"])
    if stated == "table":
        case = Case(members=pv.open_table(members, unit=pv.Person("who", max_rows=5)), control=control)
    else:
        case = Case(members=members, control=control, settings={"unit": "who"})
    found = density(published, case)
    assert found.success.low < 0.5 < found.success.high
    assert density(published, Case(members=members, control=control)).success.low > 0.9
    same = density(members.drop_columns(["who"]), case)
    assert same.success.low > 0.9
    assert found.cost.records == 2 * 100  # half of the control is the reference, and people count once
