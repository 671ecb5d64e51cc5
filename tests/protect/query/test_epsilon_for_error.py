"""From an error to an epsilon: the release at that epsilon keeps the error, and a smaller one would not."""

import math

import pytest
from tests.protect.hospital import open_stays

import privet as pv
from privet import errors
from privet.protect.query._batch import Wishes, plan_batch


def _widths(questions, promise, error, rows=1_000, confidence=0.95):
    wishes = Wishes(error=error, rows=rows, confidence=confidence)
    plans = plan_batch(questions, promise, wishes, accounting="basic").plans
    return [
        {reading.name: reading.width(plan.noise, confidence, rows) for reading in plan.readings}
        for plan in plans
    ]


def test_a_count_takes_the_epsilon_of_the_formula():
    question = open_stays().agg(n=pv.count())
    found = pv.epsilon_for(question, {"n": 50})
    caps = question.table.unit.max_rows
    # Discrete Laplace noise of scale caps / epsilon stays within 50 with probability 0.95.
    outside = 2 * math.exp(-51 * found / caps) / (1 + math.exp(-found / caps))
    assert outside == pytest.approx(0.05, rel=1e-4)


@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_every_error_is_kept_and_a_smaller_epsilon_would_not(delta):
    table = open_stays()
    question = table.group_by("ward").agg(n=pv.count(), days=pv.mean("days"), cost=pv.sum("cost"))
    error = {"n": 80, "days": "0.9", "cost": 90_000}
    found = pv.epsilon_for(question, error, delta=delta)
    factor = 1.001 if delta is None else 1.02

    def promise(epsilon):
        return pv.PureDP(epsilon) if delta is None else pv.ApproxDP(epsilon, delta)

    (enough,) = _widths([question], promise(found), [error])
    assert all(width <= float(error[name]) for name, width in enough.items())
    (short,) = _widths([question], promise(found / factor), [error])
    assert any(width > float(error[name]) for name, width in short.items())
    if delta is None:
        # What one answer has to spare is no use to the others: errors are equal in proportion.
        assert [width / float(error[name]) for name, width in enough.items()] == pytest.approx(
            [1.0] * 3, abs=0.05
        )


def test_a_batch_and_sql(ledger):
    table = open_stays()
    questions = ["SELECT COUNT(*) AS n FROM t", table.agg(who=pv.persons())]
    error = [{"n": 20}, {"who": 5}]
    found = pv.epsilon_for(questions, error, table=table)
    answers = pv.release(questions, pv.PureDP(found), table=table, error=error, ledger=ledger, why="test")
    for answer, name, width in zip(answers, ("n", "who"), (20, 5), strict=True):
        ((low, high),) = answer.error(name)
        assert high - low <= 2 * width
        assert high - low >= 2 * width - 4


def test_more_rows_in_a_group_make_a_mean_cheaper():
    question = open_stays().group_by("ward").agg(days=pv.mean("days"))
    few, many = (pv.epsilon_for(question, {"days": 1}, rows=rows) for rows in (100, 1_000))
    assert few == pytest.approx(10 * many, rel=0.02)


def test_errors_that_do_not_fit_are_refused():
    question = open_stays().agg(n=pv.count(), who=pv.persons())
    with pytest.raises(errors.BadUsage, match="needs an error for 'who'"):
        pv.epsilon_for(question, {"n": 50})
    with pytest.raises(errors.BadAmount):
        pv.epsilon_for(question, {"n": 50, "who": 0})
    with pytest.raises(errors.NoSolution):
        pv.epsilon_for(open_stays().agg(n=pv.count()), {"n": 10**9})
