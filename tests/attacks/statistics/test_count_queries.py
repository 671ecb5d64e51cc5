"""Released cells as questions about people."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact._released_answer import Answer, ReleasedAnswer
from privet.attacks.statistics import counts_about, promise_of_all
from privet.errors import BadAttack

PEOPLE = pa.table({"ward": [1, 1, 2], "ill": ["yes", "no", "yes"]})


def released(keys: dict, values: tuple, meaning: str = "number of rows", promise=None) -> ReleasedAnswer:
    return ReleasedAnswer(
        keys, (Answer("n", meaning, values, values, values),), 0.95, promise or pv.PureDP("0.5"), None, None
    )


def test_a_cell_counts_the_people_of_its_group() -> None:
    answer = released({"ward": (1, 1, 2), "ill": ("yes", "no", "yes")}, (3, 1, None))
    asked, truth = counts_about([answer], PEOPLE, "ill", "yes")
    assert asked.asked.tolist() == [[True, True, False], [False, False, True]]
    assert asked.answers[0] == 3
    assert np.isnan(asked.answers[1]), "withheld"
    assert truth.tolist() == [True, False, True]


def test_answers_that_do_not_speak_of_the_secret_say_nothing() -> None:
    by_ward = released({"ward": (1, 2)}, (2, 1))
    mean = released({"ill": ("yes",)}, (4,), "mean of age")
    both = released({"ill": ("yes",)}, (2,))
    asked, _ = counts_about([by_ward, mean, both], PEOPLE, "ill", "yes")
    assert asked.asked.tolist() == [[True, True, True]]
    with pytest.raises(BadAttack, match="no released count"):
        counts_about([by_ward, mean], PEOPLE, "ill", "yes")
    with pytest.raises(BadAttack, match="no released count"):
        counts_about([both], PEOPLE, "ill", "maybe")


def test_a_table_that_was_not_asked_is_refused() -> None:
    with pytest.raises(BadAttack, match="no column 'age'"):
        counts_about([released({"age": (1,), "ill": ("yes",)}, (1,))], PEOPLE, "ill", "yes")


def test_promises_add_up_where_they_are_pure() -> None:
    half, mixed = released({}, ()), released({}, (), promise=pv.ApproxDP(1, 1e-6))
    assert promise_of_all([mixed]) == pv.ApproxDP(1, 1e-6)
    assert promise_of_all([half, half, half]) == pv.PureDP("1.5")
    assert promise_of_all([half, mixed]) is None
