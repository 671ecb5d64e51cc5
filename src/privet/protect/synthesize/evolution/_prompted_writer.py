"""What language models have in common as generators of texts: prompts that people can read, and texts as samples."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from privet.mechanism import Draws, fresh_generator
from privet.protect.synthesize.evolution._answer_cache import AnswerCache
from privet.protect.synthesize.evolution._prompts import Prompts

_TOKENS_A_WORD = 1.5
# What an assistant says before the text that it was asked for: up to a colon before a new line or a quotation mark.
_PREAMBLE = re.compile(
    r"\A\s*(?:sure|certainly|of course|absolutely|here(?:'s|’s| is| are)|okay|ok)\b[^\n:]{0,200}:(?=\s*[\n\"“])",
    re.I,
)
_QUOTED = re.compile(r"\A([\"“'])(.*)([\"”'])\Z", re.S)
_ENDED = re.compile(r"\A.*[.!?][\"”']?(?=\s|\Z)", re.S)


class PromptedWriter(ABC):
    """A generator of texts that is asked in words; how it is asked is `_written`'s."""

    def __init__(self, prompts: Prompts | None, temperature: float, cache: str | Path | None = None) -> None:
        self.prompts, self.temperature = prompts or Prompts(), temperature
        self._draws: Draws = fresh_generator()
        self._cache = AnswerCache(cache)

    @abstractmethod
    def _written(self, asked: Sequence[tuple[str, int]], degree: float) -> list[str]:
        """The answers to prompts, each with the number of words that is wanted."""

    @abstractmethod
    def described(self) -> dict[str, str]:
        """Which model, and which prompts."""

    def random(self, count: int, label: str | None) -> list[str]:
        """What the model writes for a label."""
        asked = [self.prompts.for_random(label, self._draws) for _ in range(count)]
        return self._answers([("random", label)] * count, asked, 1.0)

    def variation(self, samples: Sequence[str], label: str | None, degree: float) -> list[str]:
        """What it makes of synthetic texts."""
        asked = [self.prompts.for_variation(text, label, self._draws) for text in samples]
        return self._answers([("variation", label, degree, text) for text in samples], asked, degree)

    def tokens_of(self, new: int, varied: int) -> int:
        """About how many tokens so many samples take, prompts and answers together."""
        words = self.prompts.words
        alone = len(self.prompts.random.split()) * new + len(self.prompts.variation.split()) * varied
        return round(_TOKENS_A_WORD * (alone + words * new + 2 * words * varied))

    def _answers(
        self, questions: Sequence[tuple[object, ...]], asked: Sequence[tuple[str, int]], degree: float
    ) -> list[str]:
        model = sorted(self.described().items())
        found = self._cache.answers(
            [(model, self.temperature, *one) for one in questions],
            lambda places: self._written([asked[at] for at in places], degree),
        )
        return [bare_text(text) for text in found]

    def shown(self, sample: str) -> str:
        """The text."""
        return sample

    def packed(self, sample: str) -> str:
        """The text."""
        return sample

    def unpacked(self, stored: Any) -> str:
        """The text."""
        return str(stored)

    def _warmth(self, degree: float) -> float:
        """The temperature: the whole of it at degree 1, and less where a text may stray less."""
        return self.temperature * (0.6 + 0.4 * degree)


def bare_text(answer: str) -> str:
    """An answer without what is around the text: a preamble, quotation marks, a last sentence that was cut off.

    What would leave nothing stays as it is.
    """
    text = _PREAMBLE.sub("", answer, count=1).strip()
    quoted = _QUOTED.match(text)
    if quoted and quoted[2].strip() and quoted[1] not in quoted[2]:
        text = quoted[2].strip()
    ended = _ENDED.match(text)
    if ended and 2 * len(ended[0]) >= len(text):
        text = ended[0]
    return text.strip() or answer


def tokens_for(words: int) -> int:
    """The most tokens for a text of about so many words."""
    return int(words * _TOKENS_A_WORD) + 8
