"""Twins of several tables: what one person moves on every engine, and what is refused before anything is read."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.protect.synthesize.patients import MANY, PROMISE, opened, patients, stays

import privet as pv
from privet.engine import prepare_marginals
from privet.errors import BadSynthesis, PrivetError
from privet.guarantee import Change
from privet.protect.synthesize._linked_plan import by_table, linked_plan, view_columns

BINS = {"age": 5, "stays.days": 6}


def planned(persons, others, **more):
    return linked_plan(
        persons, {"stays": others}, PROMISE, accounting="basic", **{"method": "aim", "bins": BINS, **more}
    )


def counted(persons, others):
    """The exact marginals of both views: persons with their number of stays, and stays beside their person."""
    plan = planned(persons, others)
    found = []
    for one, columns in zip(plan.tables, view_columns(plan.tables, {}), strict=True):
        every = range(len(columns))
        sets = [*((at,) for at in every), *((0, at) for at in every if at)]
        exact = prepare_marginals(one.view.relation, [column.coded() for column in columns], one.unit, sets)()
        assert exact.failure is None
        found.append(exact)
    return found


def test_what_nobody_states_is_named_as_callers_name_it() -> None:
    persons = pv.open_table(
        patients(), unit=pv.Person("pid", max_rows=1), roles={"name": "direct"}, name="patients"
    )
    others = pv.open_table(stays(), unit=pv.Person("pid", max_rows=4), roles={"stay": "direct"}, name="stays")
    said = " ".join(
        linked_plan(persons, {"stays": others}, PROMISE, accounting="basic", method="aim").outlook()
    )
    assert "'age'" in said
    assert "'stays.ward'" in said
    assert "'ward'" not in said


def without(table, person):
    return table.filter(pc.not_equal(table["pid"], person))


def on(engine, first, second):
    """The tables on one engine; DuckDB's come from memory, as people give them."""
    if engine.name == "duckdb":
        return first, second
    return engine.load(first).table, engine.load(second).table


def moved(before, after):
    """How far each cell of each view's marginals moved."""
    for one, other in zip(before, after, strict=True):
        for columns in one._counts:
            away = np.abs(one._counts[columns] - other._counts[columns])
            yield one, columns, away


def test_one_person_with_all_their_rows_moves_no_marginal_further_than_stated(engine) -> None:
    """Thirty stays, of which four count, all in one cell: the stated length is reached, and never passed, on every engine."""
    version = {} if engine.name == "duckdb" else {"version": "1"}
    whole = opened(*on(engine, patients(), stays()), **version)
    less = opened(*on(engine, without(patients(), MANY), without(stays(), MANY)), **version)
    before, after = counted(*whole), counted(*less)
    for exact, columns, away in moved(before, after):
        stated = exact.moved(columns)
        assert np.count_nonzero(away) <= stated.coordinates
        assert away.sum() <= stated.total
        assert (away**2).sum() <= stated.squares
    assert [one.sensitivity.total for one in before] == [1, 4]
    assert max((away**2).sum() for exact, _, away in moved(before, after) if exact is before[1]) == 16
    for one, other in zip(before, counted(*opened()), strict=True):
        assert all((one._counts[columns] == other._counts[columns]).all() for columns in one._counts)


def test_a_person_who_is_replaced_moves_twice_as_much() -> None:
    other = pa.table({**{n: patients()[n] for n in ("pid", "name", "old")}, "age": [0] * 600}).select(
        patients().column_names
    )
    changed = stays().set_column(3, "days", pa.array([1] * len(stays())))
    first = pa.concat_tables([without(patients(), MANY), other.slice(MANY, 1)])
    second = pa.concat_tables([without(stays(), MANY), changed.filter(pc.equal(changed["pid"], MANY))])
    before = counted(*opened(change=Change.REPLACE))
    after = counted(*opened(first, second, change=Change.REPLACE))
    for exact, columns, away in moved(before, after):
        assert (away**2).sum() <= exact.moved(columns).squares
    assert [one.sensitivity.total for one in before] == [2, 8]


def test_stays_of_nobody_and_second_rows_of_a_person_do_not_count() -> None:
    twice = pa.concat_tables([patients(), patients().slice(0, 50)])
    assert [int(one._counts[0,].sum()) for one in counted(*opened(twice))] == [
        int(one._counts[0,].sum()) for one in counted(*opened())
    ]
    persons, rows = counted(*opened())
    assert int(persons._counts[0,].sum()) == 600
    known = without(stays(), 605)
    each = np.bincount(np.asarray(known["pid"]), minlength=600)
    assert int(rows._counts[0,].sum()) == int(np.minimum(each, 4).sum())
    # How many stays a person has: one to four, more counting as four, and none last.
    wanted = [int((np.minimum(each, 4) == many).sum()) for many in (1, 2, 3, 4, 0)]
    assert persons._counts[2,].tolist() == wanted


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"method": "evolve"}, "evolve"),
        ({"bins": {"stays.dayz": 3}}, "dayz"),
        ({"columns": ["age", "stays.warp"]}, "warp"),
        ({"workload": [("age", "ward")]}, "ward"),
        ({"zeros": ["stays.days > 10 and stays.wrd == eye"]}, "wrd"),
        ({"zeros": ["age < 18 and old == true and stays > 3 and stays.ward == eye and stays.days > 3"]}, "4"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, said) -> None:
    with pytest.raises(BadSynthesis, match=said):
        planned(*opened(), **wrong)


def test_tables_that_are_not_of_persons_are_refused() -> None:
    persons, others = opened()
    rows = pv.open_table(stays(), unit=pv.Row())
    many = pv.open_table(patients(), unit=pv.Person("pid", max_rows=2))
    for first, second in ((persons, rows), (many, others), (rows, others)):
        with pytest.raises(PrivetError):
            planned(first, second)
    for name in ("age", "a.b", "", "patients"):
        with pytest.raises(BadSynthesis):
            linked_plan(persons, {name: others}, PROMISE, accounting="basic")
    with pytest.raises(BadSynthesis):
        linked_plan(persons, {}, PROMISE, accounting="basic")


def test_what_is_said_of_rows_goes_to_the_table_that_it_names() -> None:
    plan = planned(*opened())
    found = by_table(plan.tables, ["age < 90", "stays.days <= age", "stays < 3"])
    assert found == {"patients": ["age < 90", "stays < 3"], "stays": ["stays.days <= age"]}
    three = linked_plan(
        opened()[0], {"stays": opened()[1], "visits": opened()[1]}, PROMISE, accounting="basic", method="mst"
    )
    with pytest.raises(BadSynthesis, match="at once"):
        by_table(three.tables, ["stays.days < visits.days"])


def test_another_cap_or_another_table_is_another_run() -> None:
    one = planned(*opened())
    assert one.question() != planned(*opened(cap=5)).question()
    assert one.question() != planned(*opened(), zeros=["age < 18 and old == true"]).question()
    assert one.question() != planned(*opened(), columns=["age", "stays.ward"]).question()
