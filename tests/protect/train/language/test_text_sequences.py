"""Sequences: text of two units never meets in one, and a unit that comes or goes moves no other's."""

import numpy as np
import pytest

from privet.artifact import UnitTerms
from privet.errors import BadTraining
from privet.protect.train.language._text_sequences import FILLED, packed, texts_by_unit
from privet.protect.train.language._text_tokenizer import byte_tokenizer

TOKENIZER = byte_tokenizer()
UNITS = [["bbb", "aaa"], ["c" * 20], ["d"]]
KINDS = ("sequence", "document", "person", "row")


def sequences(units, kind, tokens=8):
    return packed(units, TOKENIZER, UnitTerms(kind, tokens, 1))


def text(row):
    return bytes(int(one) for one in row if one != TOKENIZER.end).decode()


def test_a_unit_is_joined_in_the_order_of_its_letters_and_cut() -> None:
    found = sequences(UNITS, "person")
    assert [text(row) for row in found.inputs] == ["aaabbb", "c" * 7, "c" * 8, "ccccc", "d"]
    assert found.owners.tolist() == [0, 1, 1, 1, 2]
    assert found.inputs[0, 0] == found.inputs[0, 4] == TOKENIZER.end


def test_each_sequence_can_be_a_unit_and_of_a_row_only_the_first_counts() -> None:
    assert sequences(UNITS, "sequence").owners.tolist() == [0, 1, 2, 3, 4]
    rows = sequences(UNITS[1:], "row")
    assert rows.owners is None
    assert [text(row) for row in rows.inputs] == ["c" * 7, "d"]


def test_what_only_fills_up_is_not_predicted() -> None:
    found = sequences([["d"]], "document")
    assert found.targets[0].tolist() == [TOKENIZER.end, ord("d"), TOKENIZER.end, *[FILLED] * 5]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gone", range(3))
def test_neighbours_differ_in_the_sequences_of_one_unit_alone(kind, gone) -> None:
    """Take one unit out: all other rows stay as they are, to the last token."""
    units = [*UNITS, ["e" * 30, "f"]]
    whole = sequences(units, kind)
    fewer = sequences(units[:gone] + units[gone + 1 :], kind)
    alone = sequences([units[gone]], kind)
    left = {tuple(row): 0 for row in np.concatenate([whole.inputs, whole.targets], 1).tolist()}
    for part, sign in ((whole, 1), (fewer, -1), (alone, -1)):
        for row in np.concatenate([part.inputs, part.targets], 1).tolist():
            left[tuple(row)] += sign
    assert set(left.values()) == {0}
    if kind in ("document", "person"):
        assert len(set(whole.owners.tolist())) == len(set(fewer.owners.tolist())) + 1


def test_a_text_a_million_long_is_one_unit_like_others() -> None:
    found = sequences([["x" * 10**6], ["y"]], "document", tokens=128)
    assert len(found.inputs) == -(-(10**6 + 2) // 128) + 1
    assert found.owners.tolist()[-1] == 1
    assert len(sequences([["x" * 10**6]], "row", tokens=128).inputs) == 1


def test_texts_go_to_whom_they_belong_and_empty_ones_are_left_out() -> None:
    assert texts_by_unit(["b", "", None, "a"], None) == [["b"], ["a"]]
    assert texts_by_unit(["b", "", "a", "c"], [2, 1, 2, 1]) == [["c"], ["b", "a"]]


@pytest.mark.parametrize(
    ("texts", "people", "said"),
    [
        (["a", 3], None, "something else"),
        (["a"], [1, 2], "equally many"),
        (["a"], [None], "no person"),
        (["a", "b"], [1, "1"], "several kinds"),
    ],
)
def test_what_does_not_fit_is_refused_without_a_value(texts, people, said) -> None:
    with pytest.raises(BadTraining, match=said):
        texts_by_unit(texts, people)


def test_no_texts_are_refused() -> None:
    with pytest.raises(BadTraining, match="no texts"):
        sequences([], "document")
