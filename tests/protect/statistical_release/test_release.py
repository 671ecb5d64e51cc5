"""Releases: exact where the noise is off, booked before anything is drawn, honest about error."""

import datetime
import json
from fractions import Fraction

import pyarrow as pa
import pytest
from tests.protect.hospital import open_stays, stays

import privet as pv
from privet import errors
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    SealedPlan,
    ThresholdedKeys,
    TruncatedKeys,
)
from privet.protect.query.noise_plan import make_plan


def _question(table):
    return table.group_by("ward").agg(
        n=pv.count(), who=pv.persons(), days=pv.mean("days"), cost=pv.sum("cost")
    )


def test_without_noise_every_answer_is_the_exact_one(no_noise, ledger):
    answer = pv.release(_question(open_stays()), pv.PureDP(50), ledger=ledger, why="test")
    assert answer["ward"] == ("A", "B", "C", "Z")
    assert answer["n"] == (400, 100, 10, 0)
    assert answer["who"] == (200, 100, 10, 0)
    table = stays()
    for ward, mean, cost in zip(answer["ward"][:2], answer["days"], answer["cost"], strict=False):
        rows = table.filter(pa.compute.equal(table["ward"], ward))
        assert mean == pytest.approx(pa.compute.mean(rows["days"]).as_py(), abs=1e-4)
        assert cost == pytest.approx(pa.compute.sum(rows["cost"]).as_py(), abs=0.1)


def test_a_mean_of_few_rows_is_not_a_number_out_of_noise(no_noise, ledger):
    answer = pv.release(_question(open_stays()), pv.PureDP(1), ledger=ledger, why="test")
    assert answer["days"][3] is None
    assert "too few to tell" in str(answer)


def test_a_sum_alone_needs_one_vector_and_beside_a_mean_two(no_noise, ledger):
    table = open_stays()
    alone = make_plan(table.group_by("ward").agg(cost=pv.sum("cost")), pv.PureDP(1), accounting="basic")
    beside = make_plan(
        table.group_by("ward").agg(cost=pv.sum("cost"), mean=pv.mean("cost")),
        pv.PureDP(1),
        accounting="basic",
    )
    assert [len(alone.noise), len(beside.noise)] == [1, 1]
    for plan in (alone, beside):
        exact = pv.release(plan.query, pv.PureDP(1), ledger=ledger, why="test")
        assert exact["cost"][1] == pytest.approx(sum(100.0 + p for p in range(1, 200, 2)), abs=0.1)


def test_the_promise_is_spent_whole_and_never_exceeded(ledger):
    before = ledger.balance().remaining["epsilon"]
    answer = pv.release(_question(open_stays()), pv.PureDP("0.7"), ledger=ledger, why="test")
    spent = before - ledger.balance().remaining["epsilon"]
    assert Fraction("0.6999999") < spent <= Fraction("0.7")
    assert float(answer.receipt.cost["epsilon"]) == pytest.approx(0.7, abs=1e-9)


def test_unknown_keys_pass_a_threshold_on_persons(no_noise, ledger):
    table = open_stays(keys=False)
    answer = pv.release(_question(table), pv.ApproxDP(8, 1e-3), ledger=ledger, why="test")
    assert answer["ward"] == ("A", "B")
    assert answer["who"] == (200, 100)
    plan = make_plan(_question(table), pv.ApproxDP(8, 1e-3), accounting="basic")
    assert isinstance(plan.noise["persons"], TruncatedKeys)
    assert plan.noise["persons"].bound >= 10  # why C, with ten persons, is not shown
    named = make_plan(_question(table), pv.ApproxDP(8, 1e-3), accounting="basic", selection="thresholded")
    assert isinstance(named.noise["persons"], ThresholdedKeys)
    assert named.noise["persons"].threshold >= 10


def test_unknown_keys_need_a_delta(ledger):
    with pytest.raises(errors.PromiseUnmeetable, match="needs a delta"):
        pv.release(_question(open_stays(keys=False)), pv.PureDP(1), ledger=ledger, why="test")
    assert ledger.balance().remaining["epsilon"] == 1000


def test_gaussian_noise_is_sealed_in_a_basic_ledger_and_open_in_a_concentrated_one(tmp_path):
    table = open_stays()
    many = {f"n{i}": pv.sum("cost", bounds=(0, 400 + i)) for i in range(40)}
    query = table.group_by("ward").agg(**many)
    sealed = make_plan(query, pv.ApproxDP(1, 1e-6), accounting="basic")
    assert isinstance(sealed.event, SealedPlan)
    assert all(isinstance(event, DiscreteGaussian) for event in sealed.noise.values())
    opened = make_plan(query, pv.ZeroConcentratedDP("0.1"), accounting="zcdp")
    assert isinstance(opened.event, Composed)
    with pv.Ledger(tmp_path / "z.ledger", limit=pv.ZeroConcentratedDP("0.1")) as book:
        answer = pv.release(query, pv.ZeroConcentratedDP("0.1"), ledger=book, why="test")
    assert answer.receipt.composition == "adaptive filter"
    with pv.Ledger(tmp_path / "b.ledger", limit=pv.ApproxDP(1, 1e-6)) as book:
        answer = pv.release(query, pv.ApproxDP(1, 1e-6), ledger=book, why="test")
    assert answer.receipt.composition == "sealed plan"


def test_few_vectors_get_laplace_noise(ledger):
    plan = make_plan(open_stays().agg(n=pv.count()), pv.ApproxDP(1, 1e-6), accounting="basic")
    assert isinstance(plan.event, DiscreteLaplace)


def test_only_rows_cannot_be_promised_k_anonymity(ledger):
    with pytest.raises(errors.PromiseUnmeetable, match="KAnonymity"):
        pv.release(open_stays().agg(n=pv.count()), pv.KAnonymity(5), ledger=ledger, why="test")


def test_rows_as_units_need_no_caps(no_noise, ledger):
    table = open_stays(unit=pv.Row())
    answer = pv.release(table.group_by("ward").agg(n=pv.count()), pv.PureDP(1), ledger=ledger, why="test")
    assert answer["n"] == (400, 100, 10, 0)


def test_a_cap_on_rows_alone_is_spread_over_groups(no_noise, tmp_path):
    table = open_stays(unit=pv.Person("id", max_rows=1))
    with pv.Ledger(tmp_path / "x.ledger", limit=pv.PureDP(9)) as book:
        answer = pv.release(table.group_by("ward").agg(n=pv.count()), pv.PureDP(1), ledger=book, why="test")
    assert sum(answer["n"]) == 200


def test_an_answer_saves_and_loads_whole(tmp_path, ledger):
    answer = pv.release(_question(open_stays()), pv.PureDP(1), ledger=ledger, why="test")
    for name in ("a.json", "a.parquet"):
        answer.save(tmp_path / name)
        assert pv.ReleasedAnswer.load(tmp_path / name).to_json() == answer.to_json()
    assert answer.to_arrow().column_names[:4] == ["ward", "n", "n_low", "n_high"]
    with pytest.raises(errors.BadUsage):
        answer.save(tmp_path / "a.xlsx")
    with pytest.raises(errors.FileProblem):
        answer.save(tmp_path / "missing" / "a.json")
    assert sorted(path.name for path in tmp_path.iterdir() if "ledger" not in path.name) == [
        "a.json",
        "a.parquet",
    ]


def test_a_record_of_another_version_is_refused(ledger):
    record = pv.release(open_stays().agg(n=pv.count()), pv.PureDP(1), ledger=ledger, why="test").to_json()
    with pytest.raises(errors.UnknownRecord):
        pv.ReleasedAnswer.from_json({**record, "schema": 99})
    broken = json.loads(json.dumps(record))
    del broken["answers"]
    with pytest.raises(errors.UnknownRecord):
        pv.ReleasedAnswer.from_json(broken)


def test_bounds_that_read_alike_are_kept_apart(no_noise, ledger):
    table = pv.open_table(pa.table({"id": [1, 2], "x": [9.0, 9.0]}), unit=pv.Person("id", max_rows=1))
    question = table.agg(x=pv.sum("x", bounds=(0, 64)), y=pv.sum("x", bounds=(0, "64.0000000000001")))
    answer = pv.release(question, pv.PureDP(1), ledger=ledger, why="test")
    assert (answer["x"][0], answer["y"][0]) == pytest.approx((18, 18), abs=1e-3)


@pytest.mark.parametrize("bounds", [(10**6, 10**6 + 1), (-(10**6) - 1, -(10**6))])
def test_a_sum_far_from_zero_can_be_asked_for(bounds, no_noise, ledger):
    table = pv.open_table(
        pa.table({"id": [1, 2], "x": [bounds[0] + 0.5] * 2}), unit=pv.Person("id", max_rows=1)
    )
    answer = pv.release(table.agg(x=pv.sum("x", bounds=bounds)), pv.PureDP(1), ledger=ledger, why="test")
    assert answer["x"][0] == pytest.approx(2 * bounds[0] + 1, abs=0.01)


def test_a_stored_answer_is_the_answer_with_days_and_moments_as_keys(ledger, tmp_path):
    keys = {"d": [datetime.date(2026, 1, 31), None], "at": [datetime.datetime(2026, 1, 31, 12)]}  # noqa: DTZ001  as columns hold them
    rows = pa.table({"d": pa.array(keys["d"], pa.date32()), "at": keys["at"] * 2})
    table = pv.open_table(rows, unit=pv.Row())
    question = table.group_by("d", "at", keys=keys).agg(n=pv.count())
    first, second = (pv.release(question, pv.PureDP(1), ledger=ledger, why="test") for _ in range(2))
    assert first == second
    assert pv.ReleasedAnswer.load(first.save(tmp_path / "a.json")) == first


def test_a_release_needs_a_ledger():
    with pytest.raises(errors.BadUsage, match="ledger"):
        pv.release(open_stays().agg(n=pv.count()), pv.PureDP(1), ledger=None, why="test")
