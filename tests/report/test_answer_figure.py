"""Answers as bars: keys as labels, bars and intervals on one scale."""

import re

import pytest

import privet as pv
from privet.artifact._released_answer import Answer, ReleasedAnswer
from privet.report._answer_figure import _number, answer_figure, bars_figure, key_text, labels_of


def test_rows_are_called_by_their_keys() -> None:
    answer = ReleasedAnswer(
        {"ward": ("a", None), "sex": ("f", "m")},
        (Answer("n", "m", (1, 2), (0, 1), (2, 3)),),
        0.95,
        pv.PureDP(1),
        None,
        None,
    )
    assert labels_of(answer) == ["a · f", "(missing) · m"]
    assert key_text(None) == "(missing)"


def test_bars_begin_at_nought_and_are_in_proportion() -> None:
    column = Answer("n", "number", (10, 5), (10, 5), (10, 5))
    wide = [
        float(one) for one in re.findall(r'<rect[^>]* width="([0-9.]+)"', bars_figure(["a", "b"], column))
    ]
    assert wide == pytest.approx([560, 280], abs=0.2)


def test_what_was_withheld_has_no_bar_and_sixty_are_drawn() -> None:
    column = Answer("n", "number", (1, None), (0, None), (2, None))
    assert bars_figure(["a", "b"], column).count("<rect") == 1
    many = Answer("n", "number", *[tuple(range(100))] * 3)
    assert bars_figure([str(at) for at in range(100)], many).count("<rect") == 60


def test_every_answer_is_drawn_and_names_are_escaped() -> None:
    columns = tuple(Answer(name, "m", (1,), (0,), (2,)) for name in ("<b>", "two"))
    svg = answer_figure(ReleasedAnswer({"k": ("<i>",)}, columns, 0.95, pv.PureDP(1), None, None))
    assert svg.count("<rect") == 2
    assert "<b>" not in svg
    assert "<i>" not in svg


def test_numbers_as_people_read_them() -> None:
    assert [_number(value) for value in (12345, 1.23456, 12345.6)] == ["12,345", "1.235", "12,346"]
