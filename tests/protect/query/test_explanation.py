"""What a release would do, said from formulas alone."""

import pytest
from tests.protect.hospital import open_stays

import privet as pv
from privet.protect.query._explanation import SIZES, cost, notes, stages
from privet.protect.query._explanation import errors as expected_errors


def _question(table):
    return table.group_by("ward").agg(
        n=pv.count(), who=pv.persons(), days=pv.mean("days"), cost=pv.sum("cost")
    )


def test_planned_and_booked_spend_are_the_same(ledger):
    for promise in (pv.PureDP(1), pv.ApproxDP(1, 1e-6)):
        explanation = pv.explain(_question(open_stays()), promise, ledger=ledger)
        before = ledger.balance().remaining
        pv.release(_question(open_stays()), promise, ledger=ledger, why="test", again=True)
        after = ledger.balance().remaining
        assert {coin: before[coin] - after[coin] for coin in before} == dict(explanation.quote.cost)


def test_explaining_reads_no_row_and_spends_nothing(ledger, monkeypatch):
    from privet.engine import _sealed_aggregates as aggregating

    monkeypatch.setattr(aggregating, "fetch", lambda *_: pytest.fail("a private row was read"))
    before = ledger.balance()
    text = str(pv.explain(_question(open_stays()), pv.PureDP(1), ledger=ledger))
    assert ledger.balance() == before
    assert "Add discrete Laplace noise" in text
    assert "at most 4 groups" in text
    assert "epsilon = 1" in text


def plan_of(question, promise=None, **options):
    return pv.explain(question, promise or pv.PureDP(1), **options).plan


def test_stages_name_columns_conditions_and_caps():
    table = open_stays()
    told = stages(plan_of(table.where(pv.col("days") > 2).group_by("ward").agg(n=pv.count())))
    assert told[0] == "Read id, ward, days of 'stays'; no other column is touched."
    assert "cost" not in told[0]
    assert "Keep the rows that meet the condition." in told
    assert any("at most 4 groups, chosen by a keyed hash, with at most 2 rows in each" in one for one in told)
    whole = stages(plan_of(table.agg(n=pv.count())))
    assert "Let each person count with at most 8 rows." in whole
    rows = stages(plan_of(open_stays(unit=pv.Row()).agg(n=pv.count())))
    assert "Let every row count once." in rows


def test_errors_are_stated_for_sizes_where_they_depend_on_them():
    plan = plan_of(open_stays().agg(n=pv.count(), days=pv.mean("days")))
    count, mean = expected_errors(plan)
    assert count.startswith("n: ± ")
    assert all(f"at {size:,} rows" in mean for size in SIZES)


def test_notes_say_what_error_bars_leave_out():
    def told(**options):
        promise = pv.ApproxDP(1, 1e-6)
        return " ".join(notes(plan_of(open_stays(**options).group_by("ward").agg(n=pv.count()), promise)))

    assert "caps" in told()
    assert "caps" not in told(unit=pv.Row())
    assert "absence says nothing" in told(keys=False)
    assert "absence says nothing" not in told()


def test_costs_are_in_the_promises_own_terms():
    question = open_stays().agg(n=pv.count())
    assert cost(plan_of(question)).startswith("epsilon = 1 (")
    assert "delta = " in cost(plan_of(question, pv.ApproxDP(1, "1e-6")))
    assert "rho = 0.1" in cost(plan_of(question, pv.ZeroConcentratedDP("0.1")))


def test_several_questions_are_numbered():
    table = open_stays()
    told = pv.explain([table.agg(n=pv.count()), table.agg(who=pv.persons())], pv.PureDP(1))
    assert any(one.startswith("Question 1: read ") for one in told.stages)
    assert any(one.startswith("Question 2: who: ±") for one in told.errors)
    assert len(told.notes) == len(set(told.notes))
