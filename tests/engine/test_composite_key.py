"""Several columns that identify a person together become one key: two people share it only if they agree in all."""

import itertools

import pyarrow as pa
import pytest

import privet as pv
from privet.engine._composite_key import key_name, key_parts, with_key
from privet.errors import BadDeclaration
from privet.source import Role, open_table

# Pieces that run together if they are only put side by side.
PIECES = ["1", "11", "1:1", "", ":", "2:", "é", "a,b", '"']


def keys_of(table: pa.Table, unit: str) -> list[str | None]:
    opened = open_table(table, unit=pv.Person(unit))
    return opened.relation.table.to_pyarrow()[unit].to_pylist()


@pytest.mark.parametrize("columns", [("a", "b"), ("a", "b", "c")])
def test_different_people_have_different_keys(columns: tuple[str, ...]) -> None:
    people = list(itertools.product(PIECES, repeat=len(columns)))
    table = pa.table(dict(zip(columns, map(list, zip(*people, strict=True)), strict=True)))
    assert len(set(keys_of(table, ",".join(columns)))) == len(people)


def test_numbers_and_dates_are_parts_too() -> None:
    table = pa.table({"centre": [1, 1, 11], "patient": ["11", "1", "1"]})
    assert len(set(keys_of(table, "centre,patient"))) == 3


def test_a_row_that_lacks_a_part_is_nobodys() -> None:
    table = pa.table({"centre": [1, None, 2], "patient": [None, 5, 5]})
    assert [key is None for key in keys_of(table, "centre,patient")] == [True, True, False]


@pytest.mark.parametrize("columns", [("a", "b"), ("a,b", "c"), ('x"', "y"), ("one",), (" a", "b")])
def test_names_of_keys_are_read_back(columns: tuple[str, ...]) -> None:
    assert key_parts(key_name(columns), columns) == columns


def test_a_column_with_a_comma_in_its_name_is_itself() -> None:
    assert key_parts("a,b", ["a", "b", "a,b"]) == ("a,b",)
    table = pa.table({"a,b": [1, 2], "a": [1, 1]})
    assert open_table(table, unit=pv.Person("a,b")).columns.keys() == {"a,b", "a"}


def test_the_key_is_a_direct_identifier_and_stays_the_unit() -> None:
    table = open_table(pa.table({"a": [1, 2], "b": [1, 1]}), unit=pv.Person("a,b"), roles={"a": "quasi"})
    assert table.with_role(Role.DIRECT) == ["a,b"]
    assert table.with_role(Role.QUASI) == ["a"]
    assert table.unit == pv.Person("a,b")


@pytest.mark.parametrize(
    ("unit", "said"),
    [("a,bb", "no column 'bb'"), ("a,a", "named twice"), ("a,x", "do not identify"), ("a,", "no column ''")],
)
def test_what_is_no_key_is_refused(unit: str, said: str) -> None:
    with pytest.raises(BadDeclaration, match=said):
        open_table(pa.table({"a": [1], "b": [1], "x": [0.5]}), unit=pv.Person(unit))


def test_every_engine_makes_the_same_keys(engine) -> None:
    people = list(itertools.product(PIECES, repeat=2))
    table = pa.table({"a": [one for one, _ in people], "b": [other for _, other in people]})
    found = with_key(engine.load(table), "a,b", ("a", "b")).table.to_pyarrow()["a,b"].to_pylist()
    assert sorted(found) == sorted(keys_of(table, "a,b"))
