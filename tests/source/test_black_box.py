"""Functions of rows as declarations: what is checked before anything is read."""

import pyarrow as pa
import pytest

from privet import BlackBox, Bounds, Person, Row, open_table
from privet.errors import BadFunction, BadUnit, NotPublic
from privet.source import Origin

ROWS = pa.table(
    {"who": ["a", "b"], "age": [30, 40], "cost": [1.0, 2.0], "ill": [True, False], "ward": ["x", "y"]}
)


def opened(**more):
    return open_table(ROWS, unit=Person("who", max_rows=1), bounds={"age": (0, 120)}, **more)


def mean(rows):
    return rows.mean(axis=0)


def test_all_columns_that_are_numbers_with_bounds_are_meant_where_none_is_named() -> None:
    assert opened().apply(mean).columns == ("age", "ill")
    assert opened().apply(mean, bounds={"cost": (0, 9)}).columns == ("age", "cost", "ill")
    assert repr(opened().apply(mean, ["age"])) == "mean(age) of 'table'"


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (["age", "cost"], "no public bounds"),
        (["age", "ward"], "which is no number"),
        (["nothing"], "there is no column"),
        ([], "applied to columns"),
        (["age", "age"], "named twice"),
    ],
)
def test_columns_are_checked(columns, said) -> None:
    with pytest.raises(BadFunction, match=said):
        opened().apply(mean, columns)


def test_texts_go_to_functions_that_take_them() -> None:
    assert opened().apply(len, ["ward"], rows="pandas").columns == ("ward",)


def test_bounds_must_be_public() -> None:
    read_off = Bounds(0, 5, origin=Origin.DATA)
    with pytest.raises(NotPublic, match="'cost'"):
        opened().apply(mean, ["cost"], bounds={"cost": read_off})
    assert opened().apply(mean, ["cost"], bounds={"cost": read_off.confirmed("printed on every form")}).bounds


def test_whose_membership_is_hidden_must_be_said() -> None:
    with pytest.raises(BadUnit):
        _ = open_table(ROWS, bounds={"age": (0, 9)}).apply(mean, ["age"]).unit
    assert open_table(ROWS, unit=Row(), bounds={"age": (0, 9)}).apply(mean, ["age"]).unit == Row()


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": "polars"},
        {"form": "upside down"},
        {"form": "matched"},
        {"shape": (0,)},
        {"least_people": 0},
    ],
)
def test_declarations_are_checked(wrong) -> None:
    with pytest.raises(BadFunction):
        BlackBox(mean, "mean", **wrong)
    with pytest.raises(BadFunction):
        opened().apply(mean, ["age"], **wrong)


def test_what_is_said_on_applying_comes_before_the_declaration() -> None:
    box = BlackBox(mean, "mean of columns", clip=(0, 1), least_people=50)
    applied = opened().apply(box, ["age"], clip=(0, 100))
    assert applied.function.clip == (0, 100)  # exact: as stated
    assert (applied.function.name, applied.function.least_people) == ("mean of columns", 50)
