"""Aggregates: what each reads, refuses and says, before anything is computed."""

from types import SimpleNamespace

import pytest

from privet.engine import ColumnKind
from privet.errors import BadInput, PrivetError
from privet.guarantee import Person, Row
from privet.source import Bounds, aggregates
from privet.source.aggregates import Count, Mean, Persons, Sum, ValueCount, as_bounds, named, range_of


@pytest.fixture
def query():
    return SimpleNamespace(
        columns={
            "days": ColumnKind.INTEGER,
            "cost": ColumnKind.REAL,
            "ward": ColumnKind.TEXT,
            "again": ColumnKind.BOOLEAN,
            "parts": ColumnKind.OTHER,
        },
        unit=Person("id", max_rows=2),
        bounds={"days": Bounds(0, 60)},
        keys=(),
        public_values={},
    )


def faults(aggregate, query):
    return list(aggregate.faults("x", query))


def test_functions_make_aggregates():
    assert aggregates.count() == Count()
    assert aggregates.count("days") == ValueCount("days")
    assert aggregates.persons() == Persons()
    assert aggregates.sum("days", (0, 9)) == Sum("days", Bounds(0, 9))
    assert aggregates.mean("days") == Mean("days", None)  # exact: a description, no number


def test_what_each_reads_and_says(query):
    assert (Count().columns, Count().said(query)) == ((), "COUNT")
    assert (Persons().columns, Persons().said(query)) == ((), "PERSONS")
    assert (ValueCount("days").columns, ValueCount("days").said(query)) == (("days",), "VALUES OF 'days'")
    assert (Sum("days").columns, Sum("days").said(query)) == (("days",), "SUM OF 'days' IN [0, 60]")
    assert Mean("days", Bounds(0, "0.1")).said(query) == "MEAN OF 'days' IN [0, 0.1]"
    assert Count().shown("n") == ("n", "n_low", "n_high")
    assert Count().ranges(query) == Count().labels == Count().keys == ()
    assert Count().alone is False


def test_own_bounds_come_before_the_tables(query):
    own = Bounds(0, 9)
    assert Sum("days", own).ranges(query) == (own,)
    assert Sum("days").ranges(query) == (Bounds(0, 60),)
    with pytest.raises(PrivetError, match="no bounds"):
        range_of("cost", None, query)


@pytest.mark.parametrize(
    ("aggregate", "says"),
    [
        (Sum("day"), "there is no column 'day'. Did you mean 'days'?"),
        (Sum("ward", Bounds(0, 1)), "column 'ward' holds texts, which do not add up."),
        (Sum("again", Bounds(0, 1)), 'column \'again\' is a truth value: derive(x=col(\'again\').cast("integer")) counts it as 0 and 1.'),
        (Mean("cost"), "column 'cost' has no public bounds: write bounds=(…, …), known without looking at the data."),
        (ValueCount("day"), "there is no column 'day'. Did you mean 'days'?"),
        (ValueCount("parts"), "column 'parts' has a type whose values cannot be counted."),
    ],
)  # fmt: skip
def test_faults_are_sentences(query, aggregate, says):
    assert faults(aggregate, query) == [says]


def test_two_faults_are_both_told(query):
    assert len(faults(Sum("ward"), query)) == 2


@pytest.mark.parametrize(
    "aggregate", [Count(), Persons(), ValueCount("ward"), Sum("days"), Mean("cost", Bounds(0, 1))]
)
def test_what_can_be_asked_has_no_fault(query, aggregate):
    assert faults(aggregate, query) == []


def test_persons_need_to_be_identified(query):
    for unit in (Row(), None):
        query.unit = unit
        (said,) = faults(Persons(), query)
        assert said.startswith("'x' counts persons")


@pytest.mark.parametrize("column", ["", None, 3, ("a",)])
def test_columns_are_named_one_by_one(column):
    with pytest.raises(BadInput):
        named(column)


def test_bounds_are_left_to_the_table_or_given():
    assert as_bounds(None) is None
    assert as_bounds((0, 1)) == Bounds(0, 1)
