"""What to write instead: hints that can be copied as they are."""

import datetime
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

import privet as pv
from privet.errors._argument_corrections import addition, correction, keyword_instead, says_promise


@pytest.mark.parametrize(
    ("word", "value", "said"),
    [
        ("epsilon", 0.5, "promise=pv.PureDP(0.5)."), ("epsilon", 2, "promise=pv.PureDP(2)."), ("k", 5, "promise=pv.KAnonymity(5)."),
        ("rho", "much", "promise=pv.ZeroConcentratedDP(…)."), ("k", True, "promise=pv.KAnonymity(…)."),
    ],
)  # fmt: skip
def test_a_parameter_of_a_promise_is_said_as_one(word: str, value: object, said: str) -> None:
    assert says_promise(word)
    assert keyword_instead(word, value, ["promise", "why"]).endswith(said)


def test_other_keywords_are_near_names() -> None:
    assert "'why'" in keyword_instead("wyh", 1, ["why", "promise"])
    assert "promise=" not in keyword_instead("epsilon", 1, ["why"]), "where no promise is taken"
    assert not says_promise("why")


def test_what_is_missing_is_shown_by_an_example_of_the_verb_before_one_of_the_kind() -> None:
    assert addition("anonymize", "promise", pv.KAnonymity) == "Add promise=pv.KAnonymity(5)."
    assert addition("release", "until", datetime.date) == "Add until=datetime.date(2030, 12, 31)."
    assert addition("release", "size", int) == "Add size=…."


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("patients.csv", "pv.open_table('patients.csv', unit=pv.Row())"),
        (Path("a") / "b.csv", "pv.open_table('a/b.csv', unit=pv.Row())"),
        (pa.table({"a": [1]}), "pv.open_table(df, unit=pv.Row())"),
        (5, 'pv.open_table("patients.csv", unit=pv.Row())'),
    ],
    ids=["text", "path", "frame", "number"],
)
def test_what_is_no_table_yet_is_opened(value: object, said: str) -> None:
    assert said in correction("release", "table", value, pv.Table)


def test_one_name_becomes_a_list_and_other_series_too() -> None:
    assert correction("audit", "quasi", "age", Sequence[str]) == "Write quasi=['age']."
    assert correction("audit", "quasi", {"age": 1}, Sequence[str]) == "Make a list of it: quasi=list(…)."


def test_a_class_in_the_place_of_a_thing_is_made() -> None:
    assert correction("release", "promise", pv.PureDP, int) == "Make one: PureDP(…)."


def test_a_column_becomes_a_person() -> None:
    assert correction("open_table", "unit", "id", pv.Person | None) == "Write unit=pv.Person('id')."


def test_without_an_example_the_kind_is_named() -> None:
    assert correction("release", "pace", "fast", float) == "Give pace as a number."
