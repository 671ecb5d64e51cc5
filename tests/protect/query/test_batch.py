"""Batches: one booking for all, whole or not at all, and a better price than question by question."""

from fractions import Fraction

import pytest
from tests.protect.hospital import open_stays

import privet as pv
from privet import errors
from privet.guarantee._composition import certify
from privet.guarantee._events import Composed, SealedPlan
from privet.guarantee._expected_error import spread
from privet.protect.query.noise_plan import Goals, make_plan, make_plans

SQL = "SELECT ward, COUNT(*) AS n FROM t GROUP BY ward"


def _questions(table):
    return [
        table.group_by("ward").agg(n=pv.count(), days=pv.mean("days")),
        table.agg(who=pv.persons()),
        SQL,
    ]


def test_without_noise_every_answer_of_a_batch_is_the_exact_one(no_noise, ledger):
    table = open_stays()
    first, second, third = pv.release(
        _questions(table), pv.PureDP(50), table=table, ledger=ledger, why="test"
    )
    assert first["n"] == third["n"] == (400, 100, 10, 0)
    assert second["who"] == (200,)
    assert first.receipt == second.receipt == third.receipt
    assert "One of 3 answers" in " ".join(second.notes)


def test_a_question_asked_twice_in_a_batch_has_noise_of_its_own_each_time(ledger):
    question = open_stays().group_by("ward").agg(n=pv.count())
    one, other = pv.release([question, question], pv.PureDP(1), ledger=ledger, why="test")
    first, second = (answer.quantity("n", ward="A") for answer in (one, other))
    assert (first - second).half_width() > first.half_width()
    assert (first - first).half_width() == pytest.approx(0)
    again, _ = pv.release([question, question], pv.PureDP(1), ledger=ledger, why="test")
    assert (first - again.quantity("n", ward="A")).half_width() == pytest.approx(0)


def test_a_batch_is_one_entry_and_spends_its_promise_once(ledger):
    table = open_stays()
    before = ledger.verify().spends
    answers = pv.release(_questions(table), pv.PureDP("0.6"), table=table, ledger=ledger, why="test")
    assert ledger.verify().spends == before + 1
    assert 1000 - ledger.balance().remaining["epsilon"] == pytest.approx(Fraction("0.6"), abs=1e-9)
    assert len(answers) == 3


def test_a_batch_with_a_delta_is_a_sealed_plan_that_meets_its_promise(ledger):
    table = open_stays()
    questions = [table.group_by("ward").agg(n=pv.count(), days=pv.mean("days")) for _ in range(6)]
    plans = make_plans(questions, pv.ApproxDP(1, 1e-6), accounting="basic")
    assert isinstance(plans[0].event, SealedPlan)
    assert all(plan.event is plans[0].event for plan in plans)
    assert 0.98 < certify(plans[0].event).epsilon <= 1
    answers = pv.release(questions, pv.ApproxDP(1, 1e-6), ledger=ledger, why="test")
    assert answers[0].receipt.composition == "sealed plan"
    alone = make_plan(questions[0], pv.ApproxDP(Fraction(1, 6), Fraction(1, 6 * 10**6)), accounting="basic")
    together, apart = (spread(plan.noise["rows"]).standard_deviation for plan in (plans[0], alone))
    assert together < apart / 1.8


def test_without_a_delta_a_batch_costs_the_sum(ledger):
    plans = make_plans([open_stays().agg(n=pv.count())] * 3, pv.PureDP(1), accounting="pure")
    assert isinstance(plans[0].event, Composed)
    assert [spread(plan.noise["rows"]).standard_deviation for plan in plans] == pytest.approx(
        [spread(plans[0].noise["rows"]).standard_deviation] * 3
    )


def test_the_same_batch_is_answered_again_for_nothing(ledger):
    table = open_stays()
    first = pv.release(_questions(table), pv.PureDP(1), table=table, ledger=ledger, why="test")
    spent = ledger.balance().spent
    again = pv.release(_questions(table), pv.PureDP(1), table=table, ledger=ledger, why="test")
    assert [a.to_json() for a in again] == [a.to_json() for a in first]
    assert ledger.balance().spent == spent
    fresh = pv.release(_questions(table), pv.PureDP(1), table=table, ledger=ledger, why="test", again=True)
    assert [a.to_json() for a in fresh] != [a.to_json() for a in first]
    assert ledger.balance().spent != spent
    other = pv.release(_questions(table)[::-1], pv.PureDP(1), table=table, ledger=ledger, why="test")
    assert other[2].receipt != first[0].receipt


def test_the_faults_of_all_questions_are_found_and_nothing_is_spent(ledger):
    table = open_stays()
    questions = ["SELECT COUNT(*) FROM t", "SELECT SUM(nothing) FROM t", "SELECT days FROM t"]
    with pytest.raises(errors.BadBatch) as caught:
        pv.release(questions, pv.PureDP(1), table=table, ledger=ledger, why="test")
    assert "question 2" in str(caught.value)
    assert "question 3" in str(caught.value)
    assert "question 1:" not in str(caught.value)
    assert ledger.balance().remaining["epsilon"] == 1000


def test_a_batch_of_one_faulty_question_says_what_is_wrong_with_it(ledger):
    with pytest.raises(errors.BadQuestion):
        pv.release(["SELECT days FROM t"], pv.PureDP(1), table=open_stays(), ledger=ledger, why="test")
    with pytest.raises(errors.BadUsage, match="no question"):
        pv.release([], pv.PureDP(1), ledger=ledger, why="test")
    with pytest.raises(errors.BadUsage, match="release has no argument 'tabel'"):
        pv.release([SQL], pv.PureDP(1), tabel=open_stays(), ledger=ledger, why="test")


def test_units_are_not_mixed(ledger):
    questions = [open_stays().agg(n=pv.count()), open_stays(unit=pv.Row()).agg(n=pv.count())]
    with pytest.raises(errors.BadBatch, match="different units"):
        pv.release(questions, pv.PureDP(1), ledger=ledger, why="test")


def test_what_the_engine_refuses_in_the_last_question_is_refused_before_anything_is_booked(
    ledger, monkeypatch
):
    from privet.protect.query import _release_run as running

    real, seen = running.prepare, []

    def fails_second(*given, **named):
        seen.append(1)
        if len(seen) == 2:
            raise errors.BadAggregate("no")
        return real(*given, **named)

    monkeypatch.setattr(running, "prepare", fails_second)
    with pytest.raises(errors.BadAggregate):
        pv.release(
            [SQL, "SELECT COUNT(*) FROM t"], pv.PureDP(1), table=open_stays(), ledger=ledger, why="test"
        )
    assert ledger.balance().remaining["epsilon"] == 1000


def test_a_heavier_question_errs_less(ledger):
    table = open_stays()
    questions = [table.agg(n=pv.count()), table.agg(n=pv.persons())]
    for promise in (pv.PureDP(1), pv.ApproxDP(1, 1e-6)):
        even, uneven = (
            make_plans(questions, promise, accounting="basic", goals=Goals(weights=weights))
            for weights in (None, [27, 1])
        )
        assert _deviation(uneven[0], "rows") < _deviation(even[0], "rows")
        assert _deviation(uneven[1], "persons") > _deviation(even[1], "persons")


def _deviation(plan, vector):
    return spread(plan.noise[vector]).standard_deviation


def test_weights_and_errors_that_do_not_fit_are_refused(ledger):
    table = open_stays()
    question = table.agg(n=pv.count(), days=pv.mean("days"))
    for options, words in (
        ({"weights": {"nn": 2}}, "no answer 'nn'"),
        ({"error": {"n": 3}}, "needs an error for 'days'"),
        ({"weights": 2, "error": {"n": 3, "days": 1}}, "give one"),
    ):
        with pytest.raises(errors.BadUsage, match=words):
            pv.release(question, pv.PureDP(1), ledger=ledger, why="test", **options)
    with pytest.raises(errors.BadUsage, match="1 questions and weights for 2"):
        pv.release([question], pv.PureDP(1), ledger=ledger, why="test", weights=[1, 2])


def test_an_explained_batch_is_the_one_that_is_booked(ledger):
    table = open_stays()
    found = pv.explain(_questions(table), pv.ApproxDP(1, 1e-6), table=table, ledger=ledger)
    before = ledger.balance().remaining
    pv.release(_questions(table), pv.ApproxDP(1, 1e-6), table=table, ledger=ledger, why="test")
    after = ledger.balance().remaining
    assert {coin: before[coin] - after[coin] for coin in before} == dict(found.quote.cost)
    text = str(found)
    assert "Question 2: who: ±" in text
    assert "Noise: " in text
    assert "→" in text
