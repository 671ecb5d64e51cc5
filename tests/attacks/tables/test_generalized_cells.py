"""Cells are read as they are written."""

import datetime

import pyarrow as pa
import pytest

from privet.attacks.tables._generalized_cells import cover, is_generalized, members, paths_of, tree_of


def test_cells_cover_what_they_say() -> None:
    def covered(label: str, values: pa.Array, tree=None) -> list:
        found = cover([label], values, tree)
        return [values[int(at)].as_py() for at in found.value]

    ages = pa.array([-5, 17, 20, 25])
    assert covered("[17, 25[", ages) == [17, 20]
    assert covered("[17, 25]", ages) == [17, 20, 25]
    assert covered("[-10, 0[", ages) == [-5]
    assert covered("]17, 25]", ages) == [20, 25]
    assert covered("*", ages) == ages.to_pylist()
    zips = pa.array(["02139", "02141", "1"])
    assert covered("0213*", zips) == ["02139"]
    assert covered("0****", zips) == ["02139", "02141"]
    assert covered("{02139, 1}", zips) == ["02139", "1"]
    days = pa.array([datetime.date(1994, 2, 3), datetime.date(1994, 11, 3), datetime.date(2001, 2, 3)])
    assert [len(covered(label, days)) for label in ("1994-02", "1994-Q4", "1994", "1990s", "2001-02-03")] == [
        1,
        1,
        2,
        2,
        1,
    ]
    assert covered("west", zips, {"west": frozenset(["1"])}) == ["1"]
    assert cover(["who knows"], zips).unread == 1
    assert members('a, "b, c", d') == {"a", "b, c", "d"}


def test_what_looks_generalized() -> None:
    ages = pa.array([21, 35])
    assert is_generalized(pa.array(["[20, 30["]), ages)
    assert is_generalized(pa.array(["*", "21"]), ages)
    assert not is_generalized(pa.array(["21", "35"]), ages)
    assert not is_generalized(ages, ages), "numbers are no cells"
    assert not is_generalized(pa.array(["1994"]), ages), "a year is a cell of dates only"
    assert is_generalized(pa.array(["1994"]), pa.array([datetime.date(1994, 2, 3)]))
    assert not is_generalized(pa.array(["b*"]), pa.array(["b*"])), "somebody's very value"


def test_of_overlapping_cells_the_narrowest_covers() -> None:
    found = cover(["*", "[20, 30[", "[20, 22["], pa.array([21, 25, 50]))
    assert found.narrowest().tolist() == [2, 1, 0]
    assert not found.is_partition
    parted = cover(["[20, 30[", "[30, 40["], pa.array([21, 35, 50]))
    assert parted.is_partition
    assert parted.narrowest().tolist() == [0, 1, -1]


def test_what_nobody_can_read_stands_for_all_that_is_not_published_as_it_is() -> None:
    found = cover(["north", "b", None], pa.array(["a", "b", "c"]))
    assert (found.unread, found.plain) == (1, False)
    assert [found.value[found.label == at].tolist() for at in range(3)] == [[0, 2], [1], []]


def test_labels_that_stand_for_themselves_are_plain() -> None:
    assert cover(["a", "b"], pa.array(["b", "a"])).plain


def test_a_hierarchy_as_groups() -> None:
    paths = [(21, "young", "*"), (31, "old", "*")]
    assert tree_of(paths)["*"] == {"21", "31"}
    assert tree_of(paths)["young"] == {"21"}

    class Held:
        def paths(self):
            return paths

    assert paths_of(Held()) == paths_of(paths) == [("21", "young", "*"), ("31", "old", "*")]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a", {"a"}),
        ("a, b", {"a", "b"}),
        ('"a, b"', {"a, b"}),
        ('"a', {'"a'}),
        ("", set()),
        ('"a\\"b", c', {'a"b', "c"}),
    ],
)
def test_members_of_a_set(text: str, values: set[str]) -> None:
    assert members(text) == values
