"""Ready-made functions are told what is public of their columns, and nothing that was read off the data."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from privet import BlackBox, KeySet, Person, open_table
from privet.errors import BadFunction, NotPublic
from privet.source import ColumnFacts, Origin, ReadyMade

ROWS = pa.table(
    {"who": ["a", "b"], "age": [30, 40], "code": [1, 2], "ward": ["x", "y"], "ill": [True, False]}
)


class Told(ReadyMade):
    """Keeps what it is told."""

    def __init__(self, *beside: str) -> None:
        self._beside, self.seen = beside, []

    name = "told"

    @property
    def beside(self) -> tuple[str, ...]:
        return self._beside

    def declared(self, columns: Sequence[ColumnFacts]) -> BlackBox:
        self.seen = list(columns)
        return BlackBox(len, "told", rows="arrow")


def opened(**more):
    return open_table(ROWS, unit=Person("who", max_rows=1), bounds={"age": (0, 120)}, **more)


def test_it_is_told_kinds_bounds_and_values() -> None:
    function = Told("ill")
    made = opened().apply(function, ["age", "ward"], keys={"ward": ["x", "y", "z"]})
    assert made.columns == ("age", "ward", "ill")
    age, ward, ill = function.seen
    assert (float(age.bounds.lower), float(age.bounds.upper)) == (0, 120)  # exact: as stated
    assert ward.values == ("x", "y", "z")
    assert ill.values is None


def test_its_target_comes_last_and_once_wherever_it_is_named() -> None:
    assert opened().apply(Told("age"), ["age", "ill"]).columns == ("ill", "age")


def test_public_values_of_numbers_are_bounds_too() -> None:
    function = Told()
    opened().apply(function, ["code"], keys={"code": [1, 2, 5]})
    assert (float(function.seen[0].bounds.lower), float(function.seen[0].bounds.upper)) == (
        1,
        5,
    )  # exact: as stated
    with pytest.raises(BadFunction, match="no public bounds"):
        opened().apply(Told(), ["code"])


def test_values_that_were_read_off_the_data_are_refused() -> None:
    private = KeySet(["x", "y"], Origin.DATA)
    with pytest.raises(NotPublic, match="'ward'"):
        opened().apply(Told(), ["ward"], keys={"ward": private})
    assert opened().apply(Told(), ["ward"], keys={"ward": private.confirmed("printed on the door")})


def test_what_is_read_of_an_output_is_the_numbers_where_nothing_is_made_of_them() -> None:
    made = opened().apply(Told(), ["age"])
    assert made.read([1, 2]).tolist() == [1, 2]
    with pytest.raises(BadFunction, match="not the output"):
        made.read("nothing")
