"""Several ways to ask for the same answers: which are there, which is taken, and what it gives."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.hospital import open_stays

import privet as pv
from privet.errors import BadUsage
from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._composition import ACCOUNTANTS, certify, epsilon_for
from privet.guarantee._events import DiscreteGaussian, SealedPlan, ThresholdedKeys, TruncatedKeys
from privet.protect.query.noise_plan import make_plan
from privet.protect.query.noise_plan._vector_candidates import PERSONS, sketched

APPROX = pv.ApproxDP(1, "1e-6")


def plan(aggregates, promise, *, keys=False, max_rows=8, max_groups=4, accounting="basic", selection=None):
    unit = pv.Person("id", max_rows=max_rows, max_groups=max_groups)
    query = open_stays(keys=keys, unit=unit).group_by("ward").agg(**aggregates)
    return make_plan(query, promise, accounting=accounting, selection=selection)


def kinds(found):
    return [measure.kind for measure in found.measures.values()]


def test_gaussian_noise_stays_on_vectors_of_their_own():
    found = plan({"m": pv.mean("days")}, pv.ZeroConcentratedDP("0.1"), keys=True, accounting="zcdp")
    assert sorted(kinds(found)) == ["sum", "valid"]
    assert all(isinstance(event, DiscreteGaussian) for event in found.noise.values())


@pytest.mark.parametrize("accounting", ["basic", "zcdp"])
@pytest.mark.parametrize("asked", [{"n": pv.count()}, {"m": pv.mean("days")}, {"s": pv.sum("days")}])
def test_unknown_keys_are_selected_by_what_is_asked_for_anyway(asked, accounting):
    found = plan(asked, APPROX, accounting=accounting)
    ((name, event),) = found.noise.items()
    assert isinstance(event, ThresholdedKeys)
    assert (event.keys, event.parts) == (4, 1 if "n" in asked else 2)
    assert name != PERSONS
    assert found.unknown_keys
    assert certify(SealedPlan(event, APPROX.delta)).epsilon <= 1
    assert pure_cost(event).epsilon <= 1


def test_every_accountant_prices_keys_of_many_rows():
    event = ThresholdedKeys(40, 700, 2, 4, 2)
    basic = pure_cost(event)
    assert basic.epsilon == Fraction(8, 40)
    losses = {one: epsilon_for(event, Fraction(1, 10**4), accountant=one).epsilon for one in ACCOUNTANTS}
    assert losses["pure"] == pytest.approx(0.2)
    assert losses["pld"] <= 0.2 + 1e-4
    assert 0.1 < losses["rdp"] <= losses["zcdp"]
    assert epsilon_for(event, basic.delta / 2, accountant="pure").epsilon == math.inf


def test_persons_select_where_they_are_asked_for_or_rows_would_hide_more():
    assert PERSONS in plan({"who": pv.persons(), "n": pv.count()}, APPROX).noise
    assert PERSONS in plan({"typical": pv.median("days")}, APPROX).noise
    # Rows altogether: one group may hold all of them.
    assert PERSONS in plan({"n": pv.count()}, APPROX, max_groups=None).noise
    # With many rows in a group, persons of few rows would have to be far more.
    assert PERSONS in plan({"n": pv.count()}, APPROX, max_rows=400).noise
    assert PERSONS not in plan({"n": pv.count()}, APPROX, max_rows=8).noise


def test_the_way_keys_are_selected_can_be_named():
    by_persons = plan({"n": pv.count()}, APPROX, selection="truncated")
    assert isinstance(by_persons.noise[PERSONS], TruncatedKeys)
    assert list(plan({"n": pv.count()}, APPROX, selection="rows").noise) == ["rows"]
    with pytest.raises(BadUsage, match="numbers of rows"):
        plan({"who": pv.persons()}, APPROX, selection="rows")


def test_rows_of_one_each_are_selected_like_persons():
    found = plan({"n": pv.count()}, APPROX, max_rows=4)
    (event,) = found.noise.values()
    assert isinstance(event, TruncatedKeys)


def test_the_same_way_twice_is_tried_once():
    query = open_stays().group_by("ward").agg(n=pv.count())
    assert len(sketched([query], None)) == 1


def test_groups_selected_by_rows_come_with_their_answers(no_noise, ledger):
    query = open_stays(keys=False).group_by("ward").agg(n=pv.count("cost"), cost=pv.mean("cost"))
    answer = pv.release(query, pv.ApproxDP(8, 1e-3), ledger=ledger, why="test", selection="rows")
    assert answer["ward"] == ("A", "B")
    assert answer["n"] == (400, 100)
    assert answer["cost"][0] == pytest.approx(np.mean([100.0 + p for p in range(200)]), abs=0.1)
    said = str(answer.notes)
    assert "too high on average in groups that are barely shown" in said
    stages = " ".join(answer.provenance.stages)
    assert "Show a group only if the sum of its distances" in stages


def test_a_group_without_values_is_not_shown_by_distances(no_noise, ledger):
    table = pa.table(
        {"id": range(300), "ward": ["A"] * 150 + ["B"] * 150, "days": [1.0] * 150 + [None] * 150}
    )
    opened = pv.open_table(table, unit=pv.Person("id", max_rows=1, max_groups=1), bounds={"days": (0, 10)})
    query = opened.group_by("ward").agg(days=pv.mean("days"))
    answer = pv.release(query, pv.ApproxDP(8, 1e-3), ledger=ledger, why="test", selection="rows")
    assert answer["ward"] == ("A",)
