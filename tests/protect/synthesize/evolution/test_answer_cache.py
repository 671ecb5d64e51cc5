"""Answers kept in a file: none is asked for twice, two of one question stay two, and what is no cache is refused or passed over."""

import json
import os

import pytest

from privet.errors import FileProblem, PrivetError
from privet.protect.synthesize.evolution._answer_cache import AnswerCache


class Model:
    """Answers with the number of the call."""

    def __init__(self, most=10**6):
        self.calls, self.most = 0, most

    def __call__(self, places):
        made = []
        for _ in places:
            if self.calls >= self.most:
                raise RuntimeError
            self.calls += 1
            made.append(f"text {self.calls}")
        return made


def test_without_a_file_every_question_is_asked() -> None:
    model = Model()
    assert AnswerCache(None).answers([("a",), ("a",)], model) == ["text 1", "text 2"]


def test_what_was_answered_is_not_asked_again(tmp_path) -> None:
    place, model = tmp_path / "answers.jsonl", Model()
    first = AnswerCache(place)
    asked = [("a", 0.5), ("b", None), ("a", 0.5)]
    found = first.answers(asked, model)
    assert found == ["text 1", "text 2", "text 3"], "two variations of one text are two"
    assert first.answers([("a", 0.5)], model) == ["text 4"], "and so is a third one"
    assert oct(place.stat().st_mode)[-3:] == "600"
    second = AnswerCache(place)
    assert second.answers(asked, model) == found
    assert second.answers([("a", 0.5), ("c",)], model) == ["text 4", "text 5"]
    assert model.calls == 5


def test_what_was_answered_before_a_failure_is_kept(tmp_path) -> None:
    asked = [(at,) for at in range(150)]
    with pytest.raises(RuntimeError):
        AnswerCache(tmp_path / "a").answers(asked, Model(140))
    rest = Model()
    assert len(AnswerCache(tmp_path / "a").answers(asked, rest)) == 150
    assert rest.calls == 150 - 128


def test_lines_that_are_cut_short_or_something_else_are_passed_over(tmp_path) -> None:
    place, model = tmp_path / "a", Model()
    AnswerCache(place).answers([("a",)], model)
    place.write_bytes(place.read_bytes() + b'[1]\n{"x": 3}\n' + b"[" * 5_000 + b'\n\xff\xfe\n{"cut": "sho')
    again = AnswerCache(place)
    assert again.answers([("a",), ("b",)], model) == ["text 1", "text 2"]
    assert AnswerCache(place).answers([("a",), ("b",)], model) == ["text 1", "text 2"]
    assert json.loads(place.read_bytes().splitlines()[-1])


def test_a_place_that_cannot_be_a_file_is_refused(tmp_path) -> None:
    for wrong in (tmp_path, tmp_path / "nowhere" / "a"):
        with pytest.raises(FileProblem):
            AnswerCache(wrong).answers([("a",)], Model())
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "else")
    for wrong in ("pipe", "link"):
        with pytest.raises(PrivetError):
            AnswerCache(tmp_path / wrong).answers([("a",)], Model())
    assert not (tmp_path / "else").exists()
