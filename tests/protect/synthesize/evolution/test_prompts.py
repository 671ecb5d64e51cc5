"""Prompts: slots that are known, lengths that stay within bounds."""

import pytest

from privet.errors import BadSynthesis
from privet.mechanism import fresh_generator
from privet.protect.synthesize.evolution import Prompts


def test_a_variation_shows_the_sample_and_wants_a_length_near_its_own() -> None:
    prompts, draws = Prompts(spread=2.0, fewest=5, most=50), fresh_generator()
    text = " ".join(["word"] * 20)
    lengths = []
    for _ in range(200):
        asked, words = prompts.for_variation(text, "ward", draws)
        assert text in asked
        assert "ward" in asked
        assert f"{words} words" in asked
        lengths.append(words)
    assert 5 <= min(lengths) <= max(lengths) <= 50
    assert 18 < sum(lengths) / len(lengths) < 22


def test_lengths_stay_within_bounds() -> None:
    prompts, draws = Prompts(words=3, spread=50.0, fewest=5, most=9), fresh_generator()
    assert {prompts.for_random(None, draws)[1] for _ in range(100)} <= set(range(5, 10))


@pytest.mark.parametrize(
    "wrong",
    [
        {"random": "{secret}"},
        {"variation": "no sample"},
        {"random": "{"},
        {"styles": ()},
        {"fewest": 9, "most": 3},
    ],
)
def test_prompts_that_cannot_be_filled_are_refused(wrong: dict) -> None:
    with pytest.raises(BadSynthesis):
        Prompts(**wrong)


def test_braces_in_a_sample_are_text() -> None:
    asked, _ = Prompts().for_variation("{label} {0} {text}", "a", fresh_generator())
    assert "{label} {0} {text}" in asked
