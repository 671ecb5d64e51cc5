"""Words nobody listed: frequent ones are found by prefixes and by fragments, with counts that are right."""

import numpy as np
import pytest

import privet as pv
from privet.mechanism import WordStream
from privet.protect.collect._discovered_words import _extended

WORDS = {"cab": 20_000, "bade": 12_000, "face": 8_000, "a": 6_000, "deaf": 4_000}


def people() -> list[str]:
    rng = np.random.default_rng(4)
    rare = ["".join(word) for word in rng.choice(list("abcdef"), (10_000, 4))]
    return [word for word, many in WORDS.items() for _ in range(many)] + rare


@pytest.mark.parametrize(
    ("kind", "settings"), [("pem", {"first": 2, "pool": 512}), ("sfp", {"rows": 64, "width": 256})]
)
def test_frequent_words_are_found_with_their_counts(kind: str, settings: dict) -> None:
    made = pv.Collection("words", pv.TextOf(4, "abcdef"), pv.LocalDP(6), kind, settings=settings)
    found = pv.estimate(made.reports_from(people(), WordStream.seeded(8)), made, top=10)
    assert set(list(WORDS)[:4]) <= set(found["word"])
    at = found["word"].index("cab")
    low, high = found.error("count")[at]
    width = (high - low) / 2
    true = people().count("cab")
    assert abs(found["count"][at] - true) < 3 * width  # three widths of a 95 % interval: one in 10^8
    assert width < 6_000


def test_a_prefix_that_ended_stays_and_no_text_is_empty() -> None:
    assert _extended(np.zeros((1, 0), np.int64), 3).tolist() == [[1], [2]]
    assert sorted(_extended(np.array([[1], [0]]), 3).tolist()) == [[0, 0], [1, 0], [1, 1], [1, 2]]


def test_words_of_one_length_have_nothing_to_end() -> None:
    made = pv.Collection("bits", pv.TextOf(2, "ab"), pv.LocalDP(4))
    found = pv.estimate(made.reports_from(["ab"] * 900 + ["b"] * 100, WordStream.seeded(8)), made, top=2)
    assert found["word"][0] == "ab"
