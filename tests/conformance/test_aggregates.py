"""What every aggregate must have alike: one estimator, SQL or a reason for none, an expected error, a true sensitivity,
and a line in the reference."""

from __future__ import annotations

import inspect
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import privet as pv
from privet.protect.query._explanation import errors
from privet.protect.query._release_run import computation_of
from privet.protect.query.estimators import ESTIMATORS
from privet.protect.query.noise_plan import make_plan
from privet.protect.query.sql import AGGREGATE_NAMES, Catalog, read_sql
from privet.protect.query.sql._aggregate_functions import FUNCTIONS, INSTEAD
from privet.source import Aggregate, OfColumn
from privet.source import aggregates as asked
from privet.source import distribution_aggregates as binned
from privet.source import moment_aggregates as moments

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
# One question for each aggregate, over the columns of `rows`, in the words of the library.
QUESTIONS = {
    asked.Count: pv.count(),
    asked.ValueCount: pv.count("x"),
    asked.Persons: pv.persons(),
    asked.Sum: pv.sum("x"),
    asked.Mean: pv.mean("x"),
    moments.Variance: pv.variance("x"),
    moments.Deviation: pv.deviation("x"),
    moments.Covariance: pv.covariance("x", "y"),
    moments.Correlation: pv.correlation("x", "y"),
    moments.CovarianceMatrix: pv.covariance_matrix(["x", "y"]),
    moments.Regression: pv.regression("y", ["x"]),
    binned.Quantile: pv.quantile("x", Fraction(1, 4), bins=8),
    binned.Quantiles: pv.quantiles("x", [0.25, 0.5], bins=100),
    binned.Histogram: pv.histogram("x", bins=5),
    binned.Contingency: pv.contingency("ward", "sex"),
    binned.MostCommon: pv.most_common("ward", 2),
    binned.DistinctValues: pv.distinct("tag"),
}
# SQL counts categories in a column of texts.
OF_TEXTS = (binned.MostCommon, binned.DistinctValues)


def rows() -> pa.Table:
    """Persons 0 to 11 with 1 to 3 rows each; some values beyond their bounds or missing."""
    people = [person for person in range(12) for _ in range(1 + person % 3)]
    return pa.table(
        {
            "id": people,
            "ward": ["ABC"[at % 3] for at in range(len(people))],
            "tag": [f"of {person % 7}" for person in people],
            "sex": ["FM"[person % 2] for person in people],
            "x": [None if at % 7 == 3 else float(at % 11) - 1 for at in range(len(people))],
            "y": [None if at % 9 == 4 else float(at % 5) * 3 for at in range(len(people))],
        }
    )


def table(content: pa.Table) -> pv.Table:
    return pv.open_table(
        content,
        unit=pv.Person("id", max_rows=2),
        bounds={"x": (0, 8), "y": (0, 10)},
        keys={"ward": ["A", "B", "C"], "sex": ["F", "M"]},
        name="t",
        version="1",
    )


def plan_of(question: Aggregate, content: pa.Table):
    return make_plan(
        table(content).agg(found=question), pv.ApproxDP(1, Fraction(1, 10**6)), accounting="zcdp"
    )


def concrete(kind: type) -> set[type]:
    """Every aggregate that can be asked: those that others are only kinds of cannot."""
    found = {one for below in kind.__subclasses__() for one in concrete(below)}
    # A dataclass with slots leaves the class that it was made from behind.
    real = getattr(sys.modules[kind.__module__], kind.__name__, None) is kind
    askable = real and not inspect.isabstract(kind) and kind not in (OfColumn, moments.OfColumns)
    return found | ({kind} if askable else set())


def moves(one, other) -> dict[str, np.ndarray]:
    """How far each entry of each vector moved; the vectors line up, because the keys are public."""
    return {name: np.abs(seal._exact - other.answers[name]._exact) for name, seal in one.answers.items()}


def excesses(one, other) -> list[str]:
    """Where a move is beyond what the sensitivity says."""
    found = []
    for name, moved in moves(one, other).items():
        stated = one.answers[name].sensitivity
        assert stated == other.answers[name].sensitivity, "the sensitivity itself depends on the data"
        limits = {
            "blocks": (np.count_nonzero(moved.reshape(-1, stated.block).any(axis=1)), stated.blocks),
            "coordinates": (np.count_nonzero(moved), stated.coordinates),
            "largest": (moved.max(initial=0), stated.largest),
            "total": (moved.sum(), stated.total),
        }
        found += [
            f"{name}: {what} {seen}, {most} allowed" for what, (seen, most) in limits.items() if seen > most
        ]
    return found


def test_every_aggregate_has_one_estimator_and_one_question_here() -> None:
    declared = [one.question for one in ESTIMATORS]
    assert len(declared) == len(set(declared))
    ours = {kind for kind in concrete(Aggregate) if kind.__module__.startswith("privet.")}
    assert set(declared) == ours == set(QUESTIONS)


def test_every_function_is_declared_once() -> None:
    names = [name for one in ESTIMATORS for name in one.functions]
    assert sorted(names) == sorted(FUNCTIONS)
    assert not set(FUNCTIONS) & set(INSTEAD), "answered and refused at once"


@pytest.mark.parametrize("one", ESTIMATORS, ids=lambda one: one.question.__name__)
class TestEveryAggregate:
    def test_sql_asks_for_it_or_there_is_a_reason(self, one) -> None:
        assert bool(one.written) != bool(one.not_in_sql)
        assert one.written or not one.functions
        for call in one.written:
            text = call.replace("person", "id").replace("x", "ward" if one.question in OF_TEXTS else "x")
            (query,) = read_sql(f"SELECT {text} FROM t", Catalog.of(table(rows()), None)).queries
            assert [type(aggregate) for _, aggregate in query.aggregates] == [one.question], call

    def test_its_error_is_expected_before_anything_is_drawn(self, one) -> None:
        said = errors(plan_of(QUESTIONS[one.question], rows()))
        assert said
        assert all(line.startswith("found") and any(digit.isdigit() for digit in line) for line in said), said

    def test_removing_a_person_moves_it_no_further_than_its_sensitivity(self, one) -> None:
        content = rows()
        plan = plan_of(QUESTIONS[one.question], content)
        whole = computation_of(plan)()
        moved = False
        for person in (0, 5, 11):
            without = content.filter(pc.not_equal(content["id"], person))
            smaller = plan_of(QUESTIONS[one.question], without)
            assert smaller.noise == plan.noise, "a plan reads no row"
            found = computation_of(smaller)()
            assert excesses(whole, found) == []
            moved |= any(vector.any() for vector in moves(whole, found).values())
        assert moved, "a question that nobody moves tests nothing"

    def test_the_reference_has_it(self, one) -> None:
        library = (REFERENCE / "library.md").read_text(encoding="utf-8")
        assert f"-> {one.question.__name__}" in library or f"| {one.question.__name__}" in library
        sql = (REFERENCE / "sql.md").read_text(encoding="utf-8")
        for call in one.written:
            assert f"`{call.partition('(')[0]}" in sql, call


def test_completion_offers_what_can_be_asked() -> None:
    assert {"COUNT", "SUM", "AVG", "MEDIAN", "QUANTILE_CONT", "CORR", "HISTOGRAM"} <= set(AGGREGATE_NAMES)
