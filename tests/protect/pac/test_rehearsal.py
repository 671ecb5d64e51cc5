"""The rehearsal: rows from public knowledge alone, and faults that cost nothing."""

import math
import random
import sys

import numpy as np
import pyarrow as pa
import pytest
from tests.protect.pac.people import means, people

import privet as pv
from privet.errors import BadFunction
from privet.protect.pac import made_up_rows
from privet.protect.pac._rehearsal import fails_on_missing, rehearsed_shape


def test_rows_are_of_the_right_kinds_and_within_bounds() -> None:
    rows = made_up_rows(people().apply(len, ["age", "cost", "ill", "ward"], rows="arrow"))
    assert rows.num_rows == 240
    assert pa.types.is_int64(rows.schema.field("age").type)
    age = rows["age"].to_numpy()
    assert age.min() >= 0
    assert age.max() <= 100
    assert len(set(age.tolist())) > 50
    assert 0.3 < np.mean(rows["ill"].to_pylist()) < 0.7
    assert len(set(rows["ward"].to_pylist())) > 2


def test_no_value_of_the_table_is_in_them() -> None:
    one, other = (made_up_rows(people(seed=seed).apply(means, ["age", "cost"])) for seed in (1, 2))
    assert one.equals(other)


def test_stated_values_are_used() -> None:
    table = people(keys={"ward": ["a", "b", "c"]})
    assert set(made_up_rows(table.apply(len, ["ward"], rows="arrow"))["ward"].to_pylist()) == {"a", "b", "c"}


def test_the_shape_is_found_or_stated() -> None:
    assert rehearsed_shape(people().apply(means, ["age", "cost"])) == (2,)
    assert rehearsed_shape(people().apply(lambda rows: 1.0, ["age"])) == ()
    assert rehearsed_shape(people().apply(lambda rows: 1 / 0, ["age"], shape=(3,))) == (3,)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda rows: 1 / 0, "ZeroDivisionError"),
        (lambda rows: "seven", "ValueError"),
        (lambda rows: [], "gives no number"),
        (lambda rows: random.random(), "two outputs"),
        (lambda rows: np.random.default_rng().random(), "two outputs"),
        (lambda rows: rows[:, 0], "depends on its rows"),
        (lambda rows: np.unique(rows[:, 0] > 50, return_counts=True)[1], "depends on its rows"),
        (lambda rows: np.array([1 + 2j]), "TypeError"),
        (lambda rows: None, "TypeError"),
        (lambda rows: sys.exit(1), "SystemExit"),
        (lambda rows: [1.0, math.inf], "not finite"),
        (lambda rows: np.ma.masked_array([1.0, 2.0], [True, False]), "not finite"),
    ],
)
def test_faults_show_before_anything_is_booked(function, said) -> None:
    table = people()
    with pytest.raises(BadFunction, match=said):
        pv.explain(table.apply(function, ["age"]), pv.PacPrivacy("1/16"))


@pytest.mark.parametrize(
    "kind",
    [pa.date32(), pa.timestamp("us"), pa.timestamp("ns"), pa.bool_(), pa.string(), pa.int8(), pa.float32()],
)
@pytest.mark.parametrize("given_as", ["pandas", "arrow"])
def test_every_kind_of_column_is_made_up(kind, given_as) -> None:
    rows = pa.table({"who": [f"p{at}" for at in range(50)], "y": pa.array([None] * 50, kind)})
    bounds = {"y": (0, 9)} if pa.types.is_integer(kind) or pa.types.is_floating(kind) else {}
    table = pv.open_table(rows, unit=pv.Person("who", max_rows=1), bounds=bounds)
    assert rehearsed_shape(table.apply(lambda given: len(given["y"]), ["y"], rows=given_as)) == ()


@pytest.mark.parametrize("more", [{}, {"keys": {"ward": ["a", "b", "c"]}}])
def test_groups_that_only_some_halves_have_are_refused_and_those_of_public_values_are_not(more) -> None:
    """As made-up wards are not the table's, such a function would be paid for and come to nothing."""
    table = people(**more)

    def by_ward(rows):
        return rows.groupby("ward")["cost"].mean()

    with pytest.raises(BadFunction, match="depends on its rows"):
        rehearsed_shape(table.apply(by_ward, ["ward", "cost"], rows="pandas"))
    asked = table.apply(
        lambda rows: by_ward(rows).reindex(["a", "b", "c"]).fillna(0), ["ward", "cost"], rows="pandas"
    )
    assert rehearsed_shape(asked) == (3,)


def test_a_learner_that_needs_every_class_is_not_refused_for_it() -> None:
    def learned(rows):
        if len(np.unique(rows[:, 1])) < 2:
            raise ValueError
        return rows.mean(axis=0)

    assert rehearsed_shape(people().apply(learned, ["age", "ill"])) == (2,)


@pytest.mark.parametrize("given_as", ["numpy", "pandas"])
def test_a_function_may_change_the_rows_that_it_is_given(given_as) -> None:
    def doubled(rows):
        rows *= 2
        return rows.mean(axis=0)

    assert rehearsed_shape(people().apply(doubled, ["age", "cost"], rows=given_as)) == (2,)


@pytest.mark.parametrize(
    ("function", "given_as", "fails"),
    [
        (means, "numpy", True),
        (lambda rows: np.nanmean(rows, axis=0), "numpy", False),
        (lambda rows: rows.mean(), "pandas", False),
        (lambda rows: rows["age"].astype("int64").mean(), "pandas", True),
        (lambda rows: rows.drop_null().num_rows, "arrow", False),
    ],
)
def test_whether_missing_values_bring_it_to_nothing_is_said_beforehand(function, given_as, fails) -> None:
    asked = people().apply(function, ["age", "cost"], rows=given_as)
    assert fails_on_missing(asked) is fails
    said = str(pv.explain(asked, pv.PacPrivacy("1/16")))
    assert ("fails on rows with missing values" in said) is fails
    # Where its shape is stated it is not tried at all.
    assert not fails_on_missing(people().apply(lambda rows: 1 / 0, ["age"], shape=()))
