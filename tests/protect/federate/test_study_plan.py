"""Every site makes the same plan, or does not take part; shares add up to the noise of the plan."""

from fractions import Fraction

import pyarrow as pa
import pytest
from tests.protect.federate.hospitals import study, tables

from privet.errors import BadStudy, StudyRefused
from privet.guarantee import Person, Row
from privet.protect.federate._study_plan import plan_study, seen_noise, share_of, whole_steps
from privet.sealed import Sensitivity
from privet.source import open_table


def test_every_site_makes_the_plan_of_the_study() -> None:
    one = study()
    plan = plan_study(one, one.schema)
    assert all(plan_study(one, table).vectors == plan.vectors for table in tables())
    assert [vector.start for vector in plan.vectors] == [0, 3]
    assert plan.length == 9
    assert plan.keys[0] == {"ward": ("heart", "lung", "skin")}


def test_what_all_vectors_cost_is_within_the_promise_and_close_to_it() -> None:
    for question in (
        "SELECT COUNT(*) AS n FROM patients",
        "SELECT ward, SUM(age) AS s, COUNT(*) AS n FROM patients GROUP BY ward",
    ):
        one = study(question, rho="0.25")
        plan = plan_study(one, one.schema)
        rho = sum((vector.event.concentrated_cost().rho for vector in plan.vectors), Fraction(0))
        assert Fraction("0.2499") < rho <= Fraction("0.25")


def test_columns_may_be_counted_and_must_be_there() -> None:
    with pytest.raises(BadStudy, match="lacks the column"):
        plan_study(study(), open_table(pa.table({"age": [1.0]})))


def test_a_table_that_hides_another_unit_is_refused() -> None:
    table = open_table(pa.table({"id": ["a"], "age": [1.0], "ward": ["lung"]}), unit=Person("id", max_rows=3))
    with pytest.raises(StudyRefused, match="another unit"):
        plan_study(study(), table)
    assert plan_study(study(), open_table(pa.table({"age": [1.0], "ward": ["lung"]}))).length == 9


def test_what_is_no_sum_is_refused() -> None:
    one = study("SELECT MEDIAN(age) AS m FROM patients")
    with pytest.raises(BadStudy, match="no sum"):
        plan_study(one, one.schema)


def test_shares_that_are_guaranteed_have_the_variance_of_the_plan_and_a_hair_more() -> None:
    moved = Sensitivity.per_coordinate(3, 2)
    for rho, honest in ((Fraction(1, 2), 2), (Fraction(1, 10**6), 7), (Fraction(50), 3)):
        event = share_of(rho, moved, honest)
        wanted = moved.squares / (2 * rho)
        assert 1 < event.variance / event.steps**2 / wanted < 1 + Fraction(1, 10**5)
        assert event.variance > 2_000**2
        assert event.covers(moved)


def test_the_noise_that_is_seen_grows_with_the_survivors() -> None:
    one = study()
    (first, _) = plan_study(one, one.schema).vectors
    two, four = (float(seen_noise(first, survivors).sigma) ** 2 - 1 / 12 for survivors in (2, 4))
    assert four / two == pytest.approx(2, rel=1e-4)


def test_sums_in_fine_steps_are_rounded_to_the_nearest() -> None:
    import numpy as np

    one = study()
    (first, _) = plan_study(one, one.schema).vectors
    steps = first.event.steps
    total = np.array([5 * steps, 5 * steps + steps // 2 - 1, -5 * steps - 1, *[0] * 6])
    assert whole_steps(total, first).tolist() == [5, 5, -5]


def test_rows_have_the_study_s_unit() -> None:
    one = study()
    assert (
        plan_study(one, open_table(pa.table({"age": [1.0], "ward": ["x"]}))).plans[0].query.table.unit
        == Row()
    )
