"""What a release is safe against, one test for each attack, from the question to the answer.

The parts have tests of their own: noise at the ends of 64 bits (tests/mechanism/test_saturation.py), expressions
that no row can make fail (tests/engine/test_expressions.py), one person's reach on every engine
(tests/engine/test_neighbours.py, test_binning.py), SQL as a channel (tests/protect/query/sql/test_channel.py), and
mechanisms broken on purpose (tests/statistical).
"""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BudgetExceeded
from privet.protect.query import _timing

EPSILON = pv.PureDP(50)
EXTREMES = {
    "int64": pa.array([2**63 - 1, -(2**63), 0, None, 7, 1], pa.int64()),
    "float32": pa.array([3.4e38, -3.4e38, math.nan, math.inf, 1e-45, 1.0], pa.float32()),
    "float64": pa.array([1.7e308, -1.7e308, math.nan, -math.inf, 5e-324, 1.0], pa.float64()),
    "calm": pa.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], pa.float64()),
}
QUESTIONS = {
    "sum": lambda t: t.agg(a=pv.sum("x", bounds=(-5, 5))),
    "mean": lambda t: t.agg(a=pv.mean("x", bounds=(-5, 5))),
    "variance": lambda t: t.agg(a=pv.variance("x", bounds=(-5, 5))),
    "median": lambda t: t.agg(a=pv.median("x", bounds=(-5, 5))),
    "histogram": lambda t: t.agg(a=pv.histogram("x", edges=[-5, 0, 5])),
    "distinct": lambda t: t.agg(a=pv.distinct("x")),
    "derived": lambda t: t.derive(y=1 / (pv.col("x") * pv.col("x"))).agg(a=pv.sum("y", bounds=(0, 1))),
}


def _table(values, ids=None):
    people = list(range(len(values))) if ids is None else ids
    return pv.open_table(pa.table({"id": people, "x": values}), unit=pv.Person("id", max_rows=2), name="t")


def test_precision_every_sum_lies_on_a_grid_that_the_data_does_not_choose(ledger):
    """Low bits of floating-point noise give values away (Mironov 2012): here there are none."""
    for values in ([0.1, 0.2, 0.3], [1e-300, 1 / 3, math.pi]):
        table = _table(pa.array(values))
        answer = pv.release(table.agg(s=pv.sum("x", bounds=(0, 1))), pv.PureDP(1), ledger=ledger, why="test")
        assert (Fraction(answer["s"][0]) * 2**20).denominator == 1


def test_order_a_sum_is_the_same_whichever_row_comes_first(no_noise, ledger):
    values = np.array([1e9, 1e-7, -1e9, 0.3, 1e9, -1e9, 1e-7] * 30)
    released = []
    for seed in range(3):
        shuffled = np.random.default_rng(seed).permutation(len(values))
        table = _table(pa.array(values[shuffled]), shuffled.tolist())
        question = table.agg(s=pv.sum("x", bounds=(-1e9, 1e9)), m=pv.mean("x", bounds=(-1e9, 1e9)))
        answer = pv.release(question, EPSILON, ledger=ledger, why="test")
        released.append((answer["s"], answer["m"]))
    assert released[0] == released[1] == released[2]


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_boundaries_and_no_numbers_answers_have_one_shape_whatever_the_values(question, ledger):
    """Neither an error nor the shape of an answer tells that an extreme value is there."""
    shapes = set()
    for values in EXTREMES.values():
        answer = pv.release(question(_table(values)), EPSILON, ledger=ledger, why="test")
        shapes.add((tuple(answer.keys.items()), tuple((one.name, len(one.values)) for one in answer.answers)))
        for one in answer.answers:
            assert all(value is None or math.isfinite(value) for value in one.values)
    assert len(shapes) == 1


@pytest.mark.parametrize("values", EXTREMES.values(), ids=EXTREMES)
def test_infinities_one_person_moves_a_sum_no_further_than_the_bounds(values, no_noise, ledger):
    totals = []
    for kept in (values, values[1:]):
        question = _table(kept).agg(s=pv.sum("x", bounds=(-5, 5)))
        totals.append(pv.release(question, EPSILON, ledger=ledger, why="test")["s"][0])
    assert abs(totals[0] - totals[1]) <= 5


class Clock:
    """A clock on which a question takes so long; it moves when somebody sleeps."""

    def __init__(self, taking):
        self.now, self._steps = 100.0, iter([0.0, taking])

    def monotonic(self):
        self.now += next(self._steps)
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def test_time_present_and_absent_values_are_answered_at_the_same_beat(ledger, monkeypatch):
    """The engine takes one second for the one and five for the other: both leave after eight."""
    left = []
    for wanted, taking in ((1.0, 1.0), (99.0, 5.0)):
        clock = Clock(taking)
        monkeypatch.setattr(_timing, "time", clock)
        question = _table(EXTREMES["calm"]).where(pv.col("x") == wanted).agg(n=pv.count())
        pv.release(question, pv.PureDP(1), ledger=ledger, why="test", pace=8)
        left.append(clock.now)
    assert left == pytest.approx([108, 108])


def test_text_present_and_absent_values_have_answers_of_one_shape(no_noise, ledger):
    table = pv.open_table(
        pa.table({"id": [1, 2], "w": ["a", "b"]}), unit=pv.Person("id", max_rows=1), keys={"w": ["a", "c"]}
    )
    answers = [
        pv.release(
            f"SELECT w, COUNT(*) AS n FROM t WHERE w = '{word}' GROUP BY w",
            EPSILON,
            table=table,
            ledger=ledger,
            why="test",
        )
        for word in ("a", "c", "nobody", "'' OR 1 = 1 --")
    ]
    assert {tuple(answer["w"]) for answer in answers} == {("a", "c")}
    assert [answer["n"] for answer in answers] == [(1, 0), (0, 0), (0, 0), (0, 0)]


def test_repetition_is_free_from_the_store_or_spent_again(tmp_path):
    question = _table(EXTREMES["calm"]).agg(n=pv.count())
    with pv.Ledger(tmp_path / "r.ledger", limit=pv.PureDP(1)) as book:
        first = pv.release(question, pv.PureDP("0.5"), ledger=book, why="test")
        assert pv.release(question, pv.PureDP("0.5"), ledger=book, why="test").to_json() == first.to_json()
        assert book.balance().remaining["epsilon"] == Fraction(1, 2)
        fresh = pv.release(question, pv.PureDP("0.5"), ledger=book, why="test", again=True)
        assert fresh.receipt != first.receipt
        with pytest.raises(BudgetExceeded):
            pv.release(question, pv.PureDP("0.5"), ledger=book, why="test", again=True)
