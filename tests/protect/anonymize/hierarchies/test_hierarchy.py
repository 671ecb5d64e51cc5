"""Hierarchies: complete, functional and refining, or refused with every offender."""

import numpy as np
import pytest

from privet.errors import BadHierarchy, HierarchyIncomplete
from privet.protect.anonymize.hierarchies import Hierarchy

PATHS = [("a", "vowel", "*"), ("b", "other", "*"), ("e", "vowel", "*")]


def test_levels_codes_and_shares():
    letters = Hierarchy.from_paths("letter", PATHS)
    assert letters.values == ("a", "b", "e")
    assert letters.levels.tolist() == [[0, 0, 0], [1, 1, 0], [2, 0, 0]]
    assert letters.labels == (("a", "b", "e"), ("vowel", "other"), ("*",))
    shares = [share for level in letters.shares for share in level.tolist()]
    assert shares == pytest.approx([1 / 3, 1 / 3, 1 / 3, 2 / 3, 1 / 3, 1])
    assert letters.paths() == PATHS
    assert letters.height == 2
    assert letters.has_root


def test_a_ladder_follows_the_codes_of_the_table():
    ladder = Hierarchy.from_paths("letter", PATHS).ladder(["e", "b"])
    assert ladder.nodes.tolist() == [[2, 0, 0], [1, 1, 0]]
    assert ladder.shares[:, 1].tolist() == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize(("value", "text"), [(7, "7"), (7.0, "7"), (True, "true"), (1.5, "1.5")])
def test_values_are_compared_as_text(value, text):
    assert Hierarchy.from_paths("n", [(text, "*")]).ladder([value]).nodes.tolist() == [[0, 0]]


def test_values_without_a_path_are_counted_and_not_shown():
    with pytest.raises(HierarchyIncomplete) as refusal:
        Hierarchy.from_paths("letter", PATHS).ladder(["a", "secret", None])
    assert "number 2, 3" in refusal.value.fact
    assert "missing value" in refusal.value.fact
    assert "secret" not in str(refusal.value)


def test_a_missing_value_is_a_value_of_its_own_up_to_the_top():
    wider = Hierarchy.from_paths("letter", PATHS).with_missing()
    assert wider.paths()[-1] == ("", "", "*")
    assert wider.with_missing() is wider
    assert wider.ladder([None, "a"]).nodes[:, 2].tolist() == [0, 0]


def test_a_root_is_added_where_there_is_none():
    rooted = Hierarchy.from_paths("letter", [path[:2] for path in PATHS]).with_root()
    assert rooted.paths() == PATHS
    assert rooted.with_root() is rooted


def test_every_row_that_does_not_refine_is_listed():
    paths = [("a", "x", "1"), ("b", "x", "2"), ("c", "x", "3"), ("d", "y", "1")]
    with pytest.raises(BadHierarchy) as refusal:
        Hierarchy.from_paths("letter", paths)
    assert refusal.value.details["faults"] == [{"row": 2, "level": 2}, {"row": 3, "level": 2}]


def test_repeated_values_and_short_rows_are_listed():
    with pytest.raises(BadHierarchy, match="row 3, 4"):
        Hierarchy.from_paths("letter", [("a", "*"), ("b", "*"), ("a", "*"), ("b", "*")])
    with pytest.raises(BadHierarchy, match="row 2"):
        Hierarchy.from_paths("letter", [("a", "*"), ("b",), ("c", "*")])
    with pytest.raises(BadHierarchy, match="empty"):
        Hierarchy.from_paths("letter", [])


def test_codes_without_a_label_are_refused():
    with pytest.raises(BadHierarchy, match="row 2 at level 0"):
        Hierarchy("n", ("a", "b"), np.array([[0], [5]]), (("a", "b"),))
