"""Questions: what can be asked, and values as the numbers that are randomised."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadCollection, OutsideQuestion, PrivetError


def test_categories_are_numbered_in_their_order() -> None:
    question = pv.OneOf(["no", "yes", "😀"])
    for values in (["yes", "😀"], pd.Series(["yes", "😀"]), pa.array(["yes", "😀"]), np.array(["yes", "😀"]),
                   pa.array(["yes", "😀"]).dictionary_encode(), pa.chunked_array([["yes"], ["😀"]]), ("yes", "😀")):  # fmt: skip
        assert question.coded(values).tolist() == [1, 2]
    assert pv.OneOf([5, 3]).coded([3, 5, 3]).tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "values", [["maybe"], [None], [1], "no", [["no"]], 5, {"no": 1}, [float("nan")], [b"no"]]
)
def test_a_value_that_the_question_has_not_is_refused_and_not_named(values) -> None:
    with pytest.raises(OutsideQuestion) as said:
        pv.OneOf(["no", "yes"]).coded(values)
    assert "maybe" not in str(said.value)


@pytest.mark.parametrize(
    "given", [[], ["a"], ["a", "a"], ["a", 1], [1.5, 2.5], [True, False], ["a", None], ["\ud800", "b"]]
)
def test_lists_that_are_no_categories_are_refused(given) -> None:
    with pytest.raises(PrivetError):
        pv.OneOf(given)


def test_numbers_become_shares_of_their_bounds() -> None:
    question = pv.NumberIn(-10, 30)
    assert question.coded([-10, 10, 30, 99, -99]).tolist() == pytest.approx([0, 0.5, 1, 1, 0])
    for values in ([float("nan")], ["x"], [[1]], None, "5"):
        with pytest.raises(OutsideQuestion):
            question.coded(values)


@pytest.mark.parametrize(
    ("low", "high"), [(1, 1), (2, 1), (0, float("inf")), (float("nan"), 1), (-1e308, 1e308)]
)
def test_bounds_are_finite_and_ordered(low, high) -> None:
    with pytest.raises(PrivetError):
        pv.NumberIn(low, high)


def test_texts_become_rows_of_characters_and_back() -> None:
    question = pv.TextOf(5, "abcé")
    codes = question.coded(["abc", "é", "caaab"])
    assert codes.tolist() == [[1, 2, 3, 0, 0], [4, 0, 0, 0, 0], [3, 1, 1, 1, 2]]
    assert question.texts(codes) == ["abc", "é", "caaab"]
    for values in (["abcabc"], [""], ["xyz"], [None], [3], ["a\0b"], ["😀"]):
        with pytest.raises(OutsideQuestion):
            question.coded(values)


@pytest.mark.parametrize(("length", "alphabet"), [(0, "abc"), (65, "abc"), (5, "a"), (5, "aa"), (5, "a\0")])
def test_texts_have_a_length_and_an_alphabet(length, alphabet) -> None:
    with pytest.raises(BadCollection):
        pv.TextOf(length, alphabet)


def test_several_questions_take_columns() -> None:
    question = pv.Several(age=pv.NumberIn(0, 100), ill=pv.OneOf(["no", "yes"]))
    given = {"age": [50, 100], "ill": ["yes", "no"]}
    for values in (given, pa.table(given), pd.DataFrame(given).to_dict("list")):
        coded = question.coded(values)
        assert coded["age"].tolist() == pytest.approx([0.5, 1])
        assert coded["ill"].tolist() == [1, 0]
    assert pv.Several({"age": pv.NumberIn(0, 100), "ill": pv.OneOf(["no", "yes"])}) == question
    for values in ({"age": [1]}, {"age": [1, 2], "ill": ["yes"]}, [1]):
        with pytest.raises(OutsideQuestion):
            question.coded(values)
    for wrong in (
        {"a": pv.NumberIn(0, 1)},
        {"a": pv.NumberIn(0, 1), "b": pv.TextOf(3)},
        {"": pv.NumberIn(0, 1), "b": pv.NumberIn(0, 1)},
    ):
        with pytest.raises(BadCollection):
            pv.Several(wrong)
