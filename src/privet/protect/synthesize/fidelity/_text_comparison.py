"""Texts beside texts: how long they are, which words they use, and how many of them are the same."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class TextComparison:
    """Figures of the twin's texts, then of the real ones."""

    words: tuple[float, float]  # the mean number in a text
    longest_tenth: tuple[float, float]  # as many words, or more, has one text in ten
    length_distance: float  # the mean shift of length, in words (Wasserstein)
    vocabulary: tuple[int, int]  # distinct words
    known_words: float  # the share of words in the twin, as often as they occur, that real texts use too
    covered_words: float  # the share of words in real texts, as often as they occur, that the twin uses too


def compared(twin: Sequence[str], real: Sequence[str]) -> TextComparison:
    """Compare two lists of texts."""
    spoken = [[_WORD.findall(text.lower()) for text in side] for side in (twin, real)]
    lengths = [np.array([len(words) for words in side] or [0], float) for side in spoken]
    counts = [[word for words in side for word in words] for side in spoken]
    known = [set(words) for words in counts]
    steps = np.linspace(0, 1, 201)
    apart = np.abs(np.quantile(lengths[0], steps) - np.quantile(lengths[1], steps)).mean()
    return TextComparison(
        words=(float(lengths[0].mean()), float(lengths[1].mean())),
        longest_tenth=(float(np.quantile(lengths[0], 0.9)), float(np.quantile(lengths[1], 0.9))),
        length_distance=float(apart),
        vocabulary=(len(known[0]), len(known[1])),
        known_words=_share(counts[0], known[1]),
        covered_words=_share(counts[1], known[0]),
    )


def _share(words: Sequence[str], known: set[str]) -> float:
    return sum(word in known for word in words) / len(words) if words else 0.0
