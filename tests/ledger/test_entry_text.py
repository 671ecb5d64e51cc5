"""Texts in a ledger are short, printable and never the question itself."""

import pytest

from privet.errors import BadBooking
from privet.ledger import _entry_text as words


def test_plain_text_is_kept_in_one_normal_form():
    assert words.text("  weekly bed plan ", "why") == "weekly bed plan"
    assert words.text("cafe\u0301", "purpose") == "café"


@pytest.mark.parametrize("value", ["", "   ", None, 3, b"x"])
def test_nothing_said_is_refused(value):
    with pytest.raises(BadBooking):
        words.text(value, "why")


@pytest.mark.parametrize(
    "value", ["a\nb", "a\x00b", "a\x1b[31mb", "a\u202eb", "a\u2028b", "a\ud800b", "a\u200bb", "tab\tb"]
)
def test_control_characters_are_refused_and_not_repeated(value):
    with pytest.raises(BadBooking) as refusal:
        words.text(value, "why")
    assert value not in str(refusal.value)


@pytest.mark.parametrize(("name", "longest"), words.LONGEST.items())
def test_length_is_limited(name, longest):
    assert words.text("x" * longest, name) == "x" * longest
    with pytest.raises(BadBooking):
        words.text("x" * (longest + 1), name)


def test_a_question_is_kept_as_a_digest():
    assert words.digest("SELECT 1") != words.digest("SELECT 2")
    assert "ann" not in words.digest("SELECT ... WHERE name = 'ann'")
    assert len(words.digest("x" * 10**6)) == 64


@pytest.mark.parametrize(
    ("name", "longest"), [("why", 500), ("purpose", 100), ("analyst", 100), ("data", 200), ("doing", 200)]
)
def test_a_text_may_be_so_long_and_no_longer(name, longest):
    assert words.text("x" * longest, name) == "x" * longest
    with pytest.raises(BadBooking, match="longer than"):
        words.text("x" * (longest + 1), name)


@pytest.mark.parametrize("question", ["", None, 3, b"how many?"])
def test_a_question_is_a_text(question):
    with pytest.raises(BadBooking, match="question must be a text"):
        words.digest(question)
