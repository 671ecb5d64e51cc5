"""Answers for pipes: tabs between columns, one line for each row."""

import json

import pytest

import privet as pv
from privet.app._query_output import say_found, tabbed
from privet.artifact._released_answer import Answer, ReleasedAnswer

ANSWER = ReleasedAnswer(
    {"ward": ("a", "b")},
    (Answer("n", "number of rows", (3, None), (1, None), (5, None)),),
    0.95,
    pv.PureDP(1),
    None,
    None,
)


def test_a_line_for_each_row_under_the_names() -> None:
    first, *rows = tabbed(ANSWER).split("\n")
    assert first.split("\t")[:2] == ["ward", "n"]
    assert len(rows) == 2
    assert rows[0].split("\t")[:2] == ["a", "3"]


def test_an_explanation_has_what_was_added_to_it(capsys: pytest.CaptureFixture[str]) -> None:
    class Found:
        stages, errors, choice, cost, notes = ["one"], {"n": 2}, "laplace", {"epsilon": "1"}, []

    say_found(Found(), {"budget": "3"}, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["budget"], told["stages"], told["expected_error"]) == ("3", ["one"], {"n": 2})
