"""Running plans: refused before it is booked or not at all, and answered once."""

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.hospital import open_stays, stays

import privet as pv
from privet import errors
from privet.protect.query import _release_run as running


def _question(table):
    return table.group_by("ward").agg(
        n=pv.count(), who=pv.persons(), days=pv.mean("days"), cost=pv.sum("cost")
    )


def test_a_refused_budget_computes_nothing(tmp_path, monkeypatch):
    from privet.engine import _sealed_aggregates as aggregating

    monkeypatch.setattr(aggregating, "fetch", lambda *_: pytest.fail("a private row was read"))
    with (
        pv.Ledger(tmp_path / "small.ledger", limit=pv.PureDP("0.1")) as book,
        pytest.raises(errors.BudgetExceeded),
    ):
        pv.release(_question(open_stays()), pv.PureDP(1), ledger=book, why="test")


def test_a_crash_after_booking_costs_budget_and_leaves_as_an_answer_of_no_rows(ledger, monkeypatch):
    from privet.engine import _sealed_aggregates as aggregating

    def crash(*_):
        raise RuntimeError("boom")

    monkeypatch.setattr(aggregating, "fetch", crash)
    answer = pv.release(_question(open_stays()), pv.PureDP(1), ledger=ledger, why="test")
    monkeypatch.undo()
    real = pv.release(_question(open_stays()), pv.PureDP(1), ledger=ledger, why="test", again=True)
    assert answer.to_json().keys() == real.to_json().keys()
    assert ledger.balance().remaining["epsilon"] == pytest.approx(998, abs=1e-6)
    (told,) = ledger.incidents()
    assert "boom" not in str(told)


def test_the_same_question_is_answered_again_for_nothing(ledger):
    table = open_stays()
    first = pv.release(_question(table), pv.PureDP(1), ledger=ledger, why="test")
    spent = ledger.balance().spent
    again = pv.release(_question(table), pv.PureDP(1), ledger=ledger, why="test")
    assert again.to_json() == first.to_json()
    assert ledger.balance().spent == spent
    fresh = pv.release(_question(table), pv.PureDP(1), ledger=ledger, why="test", again=True)
    assert fresh.to_json() != first.to_json()
    assert ledger.balance().spent != spent


def test_another_question_promise_or_snapshot_is_not_the_same(ledger):
    table, other = open_stays(), open_stays()
    pv.release(table.agg(n=pv.count()), pv.PureDP(1), ledger=ledger, why="test")
    entries = ledger.verify().spends
    pv.release(table.where(pv.col("days") > 2).agg(n=pv.count()), pv.PureDP(1), ledger=ledger, why="test")
    pv.release(table.agg(n=pv.count()), pv.PureDP(2), ledger=ledger, why="test")
    pv.release(other.agg(n=pv.count()), pv.PureDP(1), ledger=ledger, why="test")
    assert ledger.verify().spends == entries + 3


def test_the_answer_carries_no_exact_count_of_anything(ledger, monkeypatch):
    """Every number in the record is noisy, stated beforehand or derived from those: runs differ only in noise."""
    first, second = (
        pv.release(_question(open_stays()), pv.PureDP(1), ledger=ledger, why="test", again=True).to_json()
        for _ in range(2)
    )
    assert first["provenance"]["stages"] == second["provenance"]["stages"]
    one_person_less = stays().filter(pa.compute.not_equal(stays()["id"], 7))
    third = pv.release(
        _question(open_stays(one_person_less)), pv.PureDP(1), ledger=ledger, why="test"
    ).to_json()
    for part in ("keys", "confidence", "promise", "notes"):
        assert third[part] == first[part]
    assert third["provenance"]["stages"] == first["provenance"]["stages"]


def test_a_malformed_row_far_down_a_file_costs_nothing(tmp_path):
    lines = [f"{i},A,{i % 9}" for i in range(40_000)] + ["40000,A,secret-canary"]
    (tmp_path / "late.csv").write_text("id,ward,days\n" + "\n".join(lines) + "\n")
    table = pv.open_table(tmp_path / "late.csv", unit=pv.Person("id", max_rows=1), bounds={"days": (0, 9)})
    with pv.Ledger(tmp_path / "late.ledger", limit=pv.PureDP(1)) as book:
        with pytest.raises(errors.MalformedSource) as caught:
            pv.release(table.agg(n=pv.count(), days=pv.mean("days")), pv.PureDP(1), ledger=book, why="test")
        assert book.balance().spent["epsilon"] == 0
    assert "secret-canary" not in str(caught.value)


def _refused(question, ledger, **options):
    before = ledger.balance().remaining["epsilon"]
    with pytest.raises(errors.PrivetError):
        pv.release(question, pv.PureDP(1), ledger=ledger, why="test", **options)
    assert ledger.balance().remaining["epsilon"] == before


def test_what_the_engine_refuses_is_refused_before_it_is_booked(ledger, monkeypatch, tmp_path):
    rows = pa.table({"id": [1], "x": [1.0]})
    many = pv.open_table(rows, unit=pv.Person("id", max_rows=10**9), bounds={"x": (0, 1)})
    _refused(many.agg(x=pv.sum("x")), ledger)
    other = pv.open_table(rows, unit=pv.Person("id", max_rows=1))
    monkeypatch.setattr("privet.engine._engine_versions.version_of", lambda _: "2.0.0")
    _refused(other.agg(n=pv.count()), ledger)


def test_a_torn_file_is_refused_before_it_is_booked_even_if_no_column_is_asked_for(ledger, tmp_path):
    lines = ["id,x", *(f"{i},1" for i in range(30_000)), "1,2,3"]
    (tmp_path / "torn.csv").write_text("\n".join(lines) + "\n")
    table = pv.open_table(tmp_path / "torn.csv", unit=pv.Row())
    _refused(table.agg(n=pv.count()), ledger)


def test_what_belongs_to_the_groups_shown_is_kept_together():
    vector = np.arange(6)
    assert running._of_shown(vector, np.array([True, False, True])).tolist() == [0, 1, 4, 5]
    assert running._of_shown(np.arange(3), np.array([False, True, False])).tolist() == [1]
    assert running._of_shown(np.zeros(0, np.int64), np.zeros(0, bool)).tolist() == []


def plan_of(question, **options):
    return pv.explain(question, pv.PureDP(1), **options).plans


def test_the_same_release_has_one_name_and_every_difference_another():
    table = open_stays()
    question = table.agg(n=pv.count())
    first = running.question_of(plan_of(question))
    assert running.question_of(plan_of(table.agg(n=pv.count()))) == first
    others = [
        plan_of(table.agg(m=pv.count())),
        plan_of(table.where(pv.col("days") > 2).agg(n=pv.count())),
        plan_of(question, confidence=0.9),
        pv.explain(question, pv.PureDP(2)).plans,
        plan_of(open_stays().agg(n=pv.count())),
        plan_of(open_stays(unit=pv.Person("id", max_rows=7)).agg(n=pv.count())),
        plan_of([question, question]),
    ]
    assert len({first, *map(running.question_of, others)}) == 1 + len(others)


def test_a_permit_for_other_noise_draws_nothing(ledger):
    (plan,) = plan_of(open_stays().agg(n=pv.count(), who=pv.persons()))
    (other,) = plan_of(open_stays().agg(n=pv.count()))
    permit = ledger.charge(other.event, why="test", unit=plan.query.table.unit)
    with pytest.raises(errors.PermitMismatch):
        running._by_vector((plan,), permit)


def test_several_tables_have_one_fingerprint_of_all():
    one, two = (plan_of(open_stays().agg(n=pv.count()))[0] for _ in range(2))
    assert running._data([one, one]) == one.query.table.fingerprint
    assert running._data([one, two]) not in (one.query.table.fingerprint, two.query.table.fingerprint)
    assert running._data([one, two]) != running._data([two, one])
