"""What language models share as generators: readable prompts go in, texts come out, and samples are those texts."""

import pytest

from privet.protect.synthesize.evolution._prompted_writer import PromptedWriter, bare_text, tokens_for
from privet.protect.synthesize.evolution._prompts import Prompts


class Echo(PromptedWriter):
    """Answers with what it is asked, and keeps how freely."""

    def _written(self, asked, degree):
        self.warmth = self._warmth(degree)
        return [f"{words} {prompt}" for prompt, words in asked]

    def described(self):
        return {"kind": "echo"}


PLAIN = Prompts(random="new {label}", variation="like {text}", words=20, spread=0.0)


def test_new_texts_are_asked_for_by_label_at_full_temperature() -> None:
    echo = Echo(PLAIN, 0.5)
    assert echo.random(2, "fever") == ["20 new fever"] * 2
    assert echo.warmth == 0.5  # exact: as it was given


def test_variations_are_asked_for_sample_by_sample_and_stray_less() -> None:
    echo = Echo(PLAIN, 1.0)
    found = echo.variation(["a b", "c"], "fever", 0.0)
    assert [text.partition(" ")[2] for text in found] == ["like a b", "like c"]
    assert 0.5 < echo.warmth < 0.7


def test_samples_are_stored_and_shown_as_they_are() -> None:
    echo = Echo(None, 1.0)
    assert echo.prompts == Prompts()
    assert echo.unpacked(echo.packed(echo.shown("text"))) == "text"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Sure, I can write one. Here it is:\n\nThe ward was dirty.", "The ward was dirty."),
        ('Here\'s a message: "The ward was dirty."', "The ward was dirty."),
        ("“Thank you.”", "Thank you."),
        ("I waited for a long time. Nobody came to", "I waited for a long time."),
        # What may belong to the text stays.
        ("Of course it hurt: nobody came.", "Of course it hurt: nobody came."),
        ('"I waited." she said. "Long."', '"I waited." she said. "Long."'),
        (
            "Dr. Smith came after half of the night had passed",
            "Dr. Smith came after half of the night had passed",
        ),
        ("It took 3.5 hours", "It took 3.5 hours"),
        ("Sure:\n", "Sure:\n"),
        ("", ""),
    ],
)
def test_an_answer_is_the_text_alone(answer: str, text: str) -> None:
    assert bare_text(answer) == text
    echo = Echo(PLAIN, 1.0)
    echo._written = lambda asked, degree: [answer] * len(asked)
    assert echo.variation(["a"], None, 0.5) == [text]


def test_a_text_gets_room_for_its_words() -> None:
    assert tokens_for(0) == 8
    assert tokens_for(40) == 68


def test_kept_answers_are_those_of_one_model_label_text_and_degree(tmp_path) -> None:
    calls = []

    class Counted(Echo):
        def _written(self, asked, degree):
            calls.extend(asked)
            return super()._written(asked, degree)

    def told(temperature=1.0):
        writer = Counted(PLAIN, temperature, tmp_path / "answers")
        writer.random(2, "fever")
        return [*writer.random(1, "rash"), *writer.variation(["a", "b"], "fever", 0.5)]

    first = told()
    assert len(calls) == 5
    assert told() == first
    assert len(calls) == 5
    writer = Counted(PLAIN, 1.0, tmp_path / "answers")
    writer.variation(["a"], "fever", 0.25)
    writer.variation(["a"], "rash", 0.5)
    assert len(calls) == 7
    told(0.5)
    assert len(calls) == 12


def test_tokens_grow_with_what_is_asked_and_answered() -> None:
    echo = Echo(PLAIN, 1.0)
    assert echo.tokens_of(10, 0) == 1.5 * (2 * 10 + 20 * 10)  # exact: halves
    assert echo.tokens_of(0, 10) == 1.5 * (2 * 10 + 2 * 20 * 10)  # exact: halves
