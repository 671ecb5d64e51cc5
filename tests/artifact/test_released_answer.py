"""How a released value reads."""

import pytest

from privet.artifact._released_answer import Answer


@pytest.mark.parametrize(
    ("value", "half", "text"),
    [
        (1234, 56, "1,234 ± 56"),
        (4.91234, 0.187, "4.91 ± 0.19"),
        (4.91234, 2.48, "4.9 ± 2.5"),
        (53743578.2, 6740398.0, "53,743,578 ± 6,740,398"),
        (0.000123, 0.0000041, "0.0001230 ± 0.0000041"),
    ],
)
def test_a_value_shows_two_digits_of_its_error(value, half, text):
    answer = Answer("x", "", (value,), (value - half,), (value + half,))
    assert answer.text(0) == text


def test_a_value_that_cannot_be_told_says_so():
    assert Answer("x", "", (None,), (None,), (None,)).text(0) == "too few to tell"


def test_an_interval_cut_at_a_bound_shows_its_longer_side():
    assert Answer("x", "", (0.0,), (0.0,), (3.0,)).text(0) == "0.0 ± 3.0"
