"""The plan of a release: one event covers the noise of every vector, and of several ways the best is taken."""

from fractions import Fraction

import pyarrow as pa
import pytest

import privet as pv
from privet.guarantee import Composed, epsilon_for
from privet.guarantee.mechanisms import PartitionSelection
from privet.protect.query.noise_plan import Goals, make_plan, make_plans


def table(**unit):
    rows = pa.table({"id": [1, 2], "ward": ["a", "b"], "x": [1.0, 2.0]})
    return pv.open_table(rows, unit=pv.Person("id", max_rows=1, **unit), bounds={"x": (0, 10)})


def cost(event) -> Fraction:
    return Fraction(str(epsilon_for(event, 0).epsilon))


def test_the_event_covers_the_noise_of_all_vectors() -> None:
    plan = make_plan(table().agg(n=pv.count(), m=pv.mean("x")), pv.PureDP("0.5"), accounting="pure")
    assert set(plan.noise) == set(plan.measures)
    if len(plan.noise) > 1:
        assert isinstance(plan.event, Composed)
        assert list(plan.event.events) == list(plan.noise.values())
    assert 0.49 < float(cost(plan.event)) <= 0.5 + 1e-12


def test_questions_planned_together_have_one_event_and_one_budget() -> None:
    queries = [table().agg(n=pv.count()), table().agg(s=pv.sum("x"))]
    plans = make_plans(queries, pv.PureDP(1), accounting="pure")
    assert plans[0].event == plans[1].event
    assert float(cost(plans[0].event)) <= 1 + 1e-12
    alone = make_plan(queries[0], pv.PureDP(1), accounting="pure")
    (shared,), (own,) = plans[0].noise.values(), alone.noise.values()
    assert shared.scale > own.scale


def test_unknown_keys_are_selected_and_known_ones_are_not() -> None:
    asked = table(max_groups=1).group_by("ward")
    hidden = make_plan(asked.agg(n=pv.count()), pv.ApproxDP(1, "1e-6"), accounting="basic")
    assert hidden.unknown_keys
    assert any(isinstance(event, PartitionSelection) for event in hidden.noise.values())
    known = table(max_groups=1).group_by("ward", keys=["a", "b"])
    public = make_plan(known.agg(n=pv.count()), pv.PureDP(1), accounting="pure")
    assert not public.unknown_keys


@pytest.mark.parametrize("wanted", [("n", "s"), ("s", "n")])
def test_the_answer_that_must_be_good_gets_less_noise(wanted: tuple[str, str]) -> None:
    good, poor = wanted
    query = table().agg(n=pv.count(), s=pv.sum("x"))
    plans = [
        make_plan(query, pv.PureDP(1), accounting="pure", goals=Goals(weights=[{good: weight, poor: 1}]))
        for weight in (1, 1_000)
    ]
    widths = [
        {reading.name: reading.width(plan.noise, 0.95, 1_000) for reading in plan.readings} for plan in plans
    ]
    assert widths[1][good] < widths[0][good]
    assert widths[1][poor] > widths[0][poor]
