"""Published values: sets as text, and nothing but covers of what was there."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.protect.anonymize.people import hierarchies, opened, people

import privet as pv
from privet.engine import FrequencyTable
from privet.errors import PromiseBroken
from privet.protect.anonymize import _anonymize as anonymizing
from privet.protect.anonymize import _recoding as recoding
from privet.protect.anonymize._recoding import listed, lists
from privet.protect.anonymize.hierarchies import Hierarchy


def test_cells_cover_what_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anonymizing, "in_random_order", lambda batches, *_: batches)
    source = people().to_pylist()
    made = pv.anonymize(opened(), pv.KAnonymity(5), hierarchies=hierarchies())
    rows = made.to_arrow().to_pylist()
    assert [row["visits"] for row in rows] == [row["visits"] for row in source]
    paths = {name: {path[0]: set(path) for path in one.paths()} for name, one in hierarchies().items()}
    for before, after in zip(source, rows, strict=True):
        for name in ("age", "sex", "town"):
            value = before[name]
            allowed = {None, "*"} if value is None else paths[name][str(value)] | {value}
            assert after[name] in allowed


def test_sets_as_text() -> None:
    assert listed(["17", "18", "19"]) == "[17, 19]"
    assert listed(["17", "19"]) == "{17, 19}"
    assert listed(["a"]) == "a"
    assert listed(["a, b", "x"]) == '{"a, b", x}'
    assert lists("[17, 19]", "18")
    assert not lists("[17, 19]", "20")
    assert lists('{"a, b", x}', "a, b")
    assert not lists('{"a, b", x}', "a")
    assert lists('{"p, x, q", y}', "y")
    assert not lists('{"p, x, q", y}', "x")


texts = st.lists(st.text(st.sampled_from('ab1-0,{}[]" '), max_size=4), min_size=1, max_size=5, unique=True)


@given(texts, st.text(st.sampled_from('ab1-0,{}[]" '), max_size=4))
def test_a_set_lists_its_members_and_nobody_else(values, other):
    text = listed(values)
    assert all(lists(text, value) for value in values)
    if other not in values and not text.startswith("["):
        assert not lists(text, other)


def test_ranges_hold_whole_numbers_only():
    assert listed(["-1", "0", "1"]) == "[-1, 1]"
    assert listed(["01", "02"]) == "{01, 02}"
    assert lists("[-1, 1]", "0")
    for other in ("2", "-2", "0.5", "x", ""):
        assert not lists("[-1, 1]", other)


def test_a_label_in_brackets_that_is_no_range_holds_nothing_but_itself():
    assert not lists("[low, high]", "3")
    assert not lists("[3]", "3")
    assert lists("[low, high]", "[low, high]")


def test_a_value_that_does_not_cover_the_original_is_refused_and_not_shown():
    ladder = Hierarchy.from_paths("town", [("Hill", "north", "*"), ("Bay", "south", "*")]).ladder(
        ["Bay", "Hill"]
    )
    table = FrequencyTable(
        ("town",), np.array([[0], [1]], np.int32), np.array([5, 5]), (pa.array(["Bay", "Hill"]),)
    )
    kept = np.array([True, True])
    recoding._covers(table, 0, ladder, (["south", "north"], np.array([0, 1])), kept)
    recoding._covers(table, 0, ladder, (["*", "{Bay, Hill}"], np.array([0, 1])), kept)
    for labels in (["north"], ["{Hill}"], ["Hill"]):
        wrong = ([*labels, "*"], np.array([0, 1]))
        with pytest.raises(PromiseBroken, match="'town' does not cover") as refused:
            recoding._covers(table, 0, ladder, wrong, kept)
        assert "Hill" not in str(refused.value)
        recoding._covers(table, 0, ladder, wrong, np.array([False, True]))
