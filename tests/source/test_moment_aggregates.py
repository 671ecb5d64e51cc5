"""Questions about spread and dependence: checked as a whole, described without ambiguity."""

import pyarrow as pa
import pytest

import privet as pv
from privet import errors

BOUNDS = {"x": (0, 10), "y": (-20, 20), "z": (0, 1)}


def _open():
    columns = {
        "id": [1, 2, 3],
        "g": ["a", "b", "a"],
        "x": [1.0, 2.0, 3.0],
        "y": [4.0, 5.0, 7.0],
        "z": [0.0, 1.0, 0.5],
    }
    return pv.open_table(pa.table(columns), unit=pv.Person("id", max_rows=1), bounds=BOUNDS, name="t")


@pytest.mark.parametrize(
    ("aggregates", "words"),
    [
        ({"c": pv.covariance("x", "x")}, "twice"),
        ({"b": pv.regression("y", on=["x", "nope"])}, "no column 'nope'"),
        ({"b": pv.regression("y", on=[])}, "1 columns"),
        ({"v": pv.variance("g", (0, 1))}, "do not add up"),
        ({"r": pv.correlation("x", "id")}, "no public bounds"),
        ({"b": pv.regression("y", on=["x"]), "n": pv.count()}, "ask for it alone"),
    ],
)
def test_faults_are_named(aggregates, words):
    with pytest.raises(errors.BadQuery, match=words):
        _open().agg(**aggregates)


def test_bounds_of_several_columns_are_named_and_must_be_public():
    with pytest.raises(errors.BadQuery, match="by the columns' names"):
        pv.covariance("x", "y", bounds=(0, 1))
    with pytest.raises(errors.BadQuery, match="by the columns' names"):
        pv.correlation("x", "y", bounds={"w": (0, 1)})
    table = _open()
    with pytest.raises(errors.NotPublic, match="bounds of 'y'"):
        table.agg(r=pv.correlation("x", "y", bounds={"y": pv.Bounds.read_off(table, "y")}))


def test_questions_that_differ_read_differently():
    asked = [
        pv.variance("x"),
        pv.variance("x", sample=False),
        pv.deviation("x"),
        pv.variance("x", (0, 11)),
        pv.covariance("x", "y"),
        pv.covariance("y", "x"),
        pv.covariance("x", "y", {"x": (0, 11)}),
        pv.correlation("x", "y"),
        pv.covariance_matrix(["x", "y"]),
        pv.regression("y", on="x"),
        pv.regression("x", on="y"),
    ]
    assert len({_open().agg(a=one).describe() for one in asked}) == len(asked)


def test_labels_cannot_be_taken_for_keys():
    table = pv.open_table(
        pa.table({"term": ["a"], "x": [1.0], "y": [2.0]}), unit=pv.Row(), bounds={"x": (0, 10), "y": (0, 10)}
    )
    with pytest.raises(errors.BadQuery, match="'term'"):
        table.group_by("term").agg(b=pv.regression("y", on="x"))
    with pytest.raises(errors.BadQuery, match="intercept"):
        pv.open_table(
            pa.table({"(intercept)": [1.0], "y": [2.0]}),
            unit=pv.Row(),
            bounds={"(intercept)": (0, 1), "y": (0, 1)},
        ).agg(b=pv.regression("y", on="(intercept)"))


def test_an_aggregate_knows_its_columns_and_ranges():
    query = _open().agg(b=pv.regression("y", on=["x", "z"], bounds={"z": (0, 5)}))
    ((_, asked),) = query.aggregates
    assert (asked.target, asked.predictors, asked.labels) == ("y", ("x", "z"), ("term",))
    assert asked.ranges(query) == (pv.Bounds(0, 10), pv.Bounds(0, 5), pv.Bounds(-20, 20))
    assert set(query.columns_used()) == {"id", "x", "y", "z"}
