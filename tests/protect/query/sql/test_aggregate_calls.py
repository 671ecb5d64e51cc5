"""The arguments of an aggregate: columns as they are, computed ones with a range that follows from the question."""

import pytest
from tests.protect.query.sql.registers import registers

import privet as pv
from privet.errors import BadQuestion
from privet.protect.query.sql import Catalog, read_sql


def asked(call):
    (query,) = read_sql(f"SELECT {call} AS a FROM visits", Catalog.of(None, registers())).queries
    ((_, aggregate),) = query.aggregates
    return aggregate, query


def test_a_column_keeps_its_own_bounds_and_a_clamped_one_gets_those_of_the_question():
    assert asked("SUM(cost)")[0] == pv.sum("cost")
    clamped, _ = asked("SUM(CLAMP(cost, 2, 5))")
    assert (clamped.column, clamped.bounds.lower, clamped.bounds.upper) == ("cost", 2, 5)
    assert clamped.bounds.why == "stated in the question"


@pytest.mark.parametrize(
    ("call", "low", "high"),
    [
        ("SUM(cost + nights)", 0, 17),
        ("SUM(cost - nights)", -7, 10),
        ("SUM(cost * nights)", 0, 70),
        ("SUM(cost / 4)", 0, 2.5),
        ("SUM(cost > 3)", 0, 1),
        ("SUM(CASE WHEN cost > 3 THEN 5 ELSE -2 END)", -2, 5),
        ("SUM(LEAST(cost, 3))", 0, 3),
        ("SUM(ABS(nights - 3))", 0, 4),
        ("AVG(cost) FILTER (WHERE ward = 'A')", 0, 10),
        ("SUM(CLAMP(cost, 2, 5)) FILTER (WHERE ward = 'A')", 2, 5),
    ],
)
def test_a_computed_argument_has_the_range_that_follows(call, low, high):
    aggregate, query = asked(call)
    (bounds,) = aggregate.ranges(query)
    assert (float(bounds.lower), float(bounds.upper)) == (low, high)  # exact: sums of constants


def test_counts_need_no_range_and_conditions_mark_rows():
    assert asked("COUNT(id)")[0] == pv.count("id")
    filtered, query = asked("COUNT(*) FILTER (WHERE cost > 5)")
    assert filtered == pv.count(filtered.column)
    assert filtered.column not in registers()["visits"].columns
    assert "cost" in query.describe()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("SUM(id)", "no public bounds"),
        ("SUM(ward)", "do not add up"),
        ("SUM(cost / nights)", "no public bounds"),
        ("SUM()", "argument|not SQL"),
        ("QUANTILE_CONT(cost, nights)", "constant is needed"),
        ("COUNT(*) FILTER (WHERE cost)", "true or false"),
        ("COUNT_IF(cost)", "true or false"),
        ("COUNT(DISTINCT ward, cost)", "one column"),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY cost, nights)", "one column"),
        ("SUM(CLAMP(cost, 5, 1))", "lower end before"),
    ],
)
def test_what_has_no_range_or_no_sense_is_refused(call, words):
    with pytest.raises(BadQuestion, match=words):
        asked(call)
