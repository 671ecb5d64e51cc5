"""Questions about the spread of values: every fault is found before anything is read, and each reads unlike any other."""

from fractions import Fraction

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadQuery
from privet.source import distribution_aggregates as binned


@pytest.fixture(scope="module")
def table():
    data = pa.table({"id": [1, 2], "x": [1.0, 2.0], "free": [1, 2], "who": ["a", "b"], "on": [True, False]})
    return pv.open_table(
        data,
        unit=pv.Person("id", max_rows=2),
        bounds={"x": (0, 10)},
        keys={"who": ["a", "b"]},
        name="t",
    )


@pytest.mark.parametrize(
    ("aggregate", "words"),
    [
        (binned.quantile("x", 0), "between 0 and 1"),
        (binned.quantile("x", "0.123456"), "four decimal places"),
        (binned.quantile("x", "0.5", interval=1), "below 1"),
        (binned.quantile("x", "0.5", bins=0), "number of bins"),
        (binned.median("free"), "no public bounds"),
        (binned.median("who"), "do not add up"),
        (binned.median("y"), "no column 'y'"),
        (binned.quantiles("x", []), "between 0 and 1"),
        (binned.quantiles("x", ["0.5", "0.5"]), "twice"),
        (binned.quantiles("x", ["0.5"], bins=64), "10, 100"),
        (binned.histogram("x"), "either edges or a number of bins"),
        (binned.histogram("x", [1, 2], bins=3), "either edges or a number of bins"),
        (binned.histogram("x", [2, 1]), "must rise"),
        (binned.histogram("x", [0, 1], bounds=(0, 1)), "bounds say nothing more"),
        (binned.histogram("free", bins=3), "no public bounds"),
        (binned.histogram("who", [0, 1]), "do not add up"),
        (binned.contingency(), "crosses columns"),
        (binned.contingency("who", "who"), "each named once"),
        (binned.contingency("who", "on"), "'on' are not public"),
        (binned.contingency("who", categories={"on": [True]}), "is not crossed"),
        (binned.contingency("who", categories={"who": [3]}), "values of 'who'"),
        (binned.most_common("who", 0), "at least 1"),
        (binned.most_common("nobody", 1), "no column 'nobody'"),
        (binned.most_common("x", 1, among=["a"]), "values of 'x'"),
        (binned.distinct("nobody"), "no column 'nobody'"),
        (binned.distinct("id"), "persons()"),
    ],
)
def test_faults_are_found_at_once(table, aggregate, words):
    with pytest.raises(BadQuery) as refused:
        table.agg(a=aggregate)
    assert words in str(refused.value)


def test_what_is_no_number_or_name_is_refused():
    for make in (
        lambda: binned.quantile("x", "a third"),
        lambda: binned.quantile("x", 0.5, bins="many"),
        lambda: binned.histogram("x", ["low", "high"]),
        lambda: binned.distinct(None),
    ):
        with pytest.raises(BadQuery):
            make()


def test_unknown_values_are_keys_and_not_within_groups(table):
    assert table.agg(top=binned.most_common("free", 2)).keys == ("free",)
    with pytest.raises(BadQuery, match="public list"):
        table.group_by("who").agg(top=binned.most_common("free", 2))
    assert table.group_by("who").agg(top=binned.most_common("free", 2, among=[1, 2])).keys == ("who",)


def test_values_read_off_the_data_are_refused(table):
    seen = pv.KeySet.read_off(table, "free")
    with pytest.raises(BadQuery, match="read off the data"):
        table.agg(a=binned.contingency("free", categories={"free": seen}))


def test_tables_of_their_own_stand_alone(table):
    with pytest.raises(BadQuery, match="ask for it alone"):
        table.agg(n=pv.count(), h=binned.histogram("x", bins=3))


def test_every_question_reads_unlike_every_other(table):
    asked = [
        binned.median("x"),
        binned.quantile("x", Fraction(1, 3)),
        binned.median("x", bins=10),
        binned.median("x", bounds=(0, 11)),
        binned.median("x", interval=0),
        binned.quantiles("x", ["0.5"]),
        binned.quantiles("x", ["0.5", "0.6"]),
        binned.histogram("x", bins=3),
        binned.histogram("x", bins=3, nonnegative=True),
        binned.histogram("x", [0, 5, 10]),
        binned.contingency("who"),
        binned.contingency("who", other=True),
        binned.contingency("who", margins=True),
        binned.contingency("who", categories={"who": ["a"]}),
        binned.contingency("who", "on", categories={"on": [True, False]}),
        binned.most_common("free", 2, among=[1]),
        binned.most_common("free", 1, among=[1]),
        binned.distinct("free"),
        binned.distinct("x"),
    ]
    said = [table.agg(a=aggregate).describe() for aggregate in asked]
    assert len(set(said)) == len(said)
