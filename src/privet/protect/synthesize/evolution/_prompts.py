"""The prompts that language models are given: templates that people can read and change.

Aug-PE (Xie et al., ICML 2024) varies a text by having it rewritten, and lets the wanted length move with the text
(adaptive length). Slots: `{label}`, `{words}` (how many are wanted), `{text}` (a synthetic sample, never a private one)
and `{style}`, one of `styles` at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import Formatter

from privet.errors import BadSynthesis, checked_class
from privet.mechanism import Draws

_KNOWN = {"label", "words", "text", "style"}


@checked_class
@dataclass(frozen=True)
class Prompts:
    """What is asked of a language model.

    Args:
        random: for a new sample.
        variation: for one like `{text}`; at degree 1 it may stray far, at degree 0 hardly.
        styles: ways to write, one of which is drawn for each call, so that samples differ.
        words: how long a new sample should be.
        spread: how far the wanted length strays from that of the sample that is varied, in words (a standard deviation).
        fewest: words below which no length is wanted.
        most: words above which none is.
    """

    random: str = (
        "Write one {style} text of about {words} words for the category: {label}. Answer with the text alone."
    )
    variation: str = (
        "Rewrite the following text of the category {label} in a {style} way, in about {words} words, keeping its kind of "
        "content but changing details. Answer with the text alone.\n\n{text}"
    )
    styles: tuple[str, ...] = ("plain", "short", "detailed", "formal", "hurried", "careful")
    words: int = 40
    spread: float = 10.0
    fewest: int = 8
    most: int = 400

    def __post_init__(self) -> None:
        for template in (self.random, self.variation):
            try:
                named = {name for _, name, _, _ in Formatter().parse(template) if name is not None}
            except ValueError:
                named = {"?"}
            if not named <= _KNOWN:
                raise BadSynthesis(
                    "a prompt has a slot that nothing is put into, or a lone brace.",
                    f"Slots are {', '.join(sorted(_KNOWN))}; write {{{{ for a brace.",
                )
        if "{text}" not in self.variation or not self.styles or not 1 <= self.fewest <= self.most:
            raise BadSynthesis(
                "a variation needs {text}, there must be a style, and lengths must be in order.",
                "See pv.Prompts() for prompts that work.",
            )

    def described(self) -> dict[str, str]:
        """All of it in words: texts asked for otherwise are other texts."""
        return {
            "random": self.random,
            "variation": self.variation,
            "styles": ", ".join(self.styles),
            "words": f"{self.words}, from {self.fewest} to {self.most}, straying by {self.spread:g}",
        }

    def for_random(self, label: str | None, draws: Draws) -> tuple[str, int]:
        """A prompt for a new sample, and how many words it wants."""
        words = self._length(self.words, draws)
        return self.random.format(label=label or "any", words=words, text="", style=self._style(draws)), words

    def for_variation(self, text: str, label: str | None, draws: Draws) -> tuple[str, int]:
        """A prompt for a sample like this one, and how many words it wants."""
        words = self._length(len(text.split()), draws)
        style = self._style(draws)
        return self.variation.format(label=label or "any", words=words, text=text, style=style), words

    def _style(self, draws: Draws) -> str:
        return self.styles[int(draws.integers(len(self.styles)))]

    def _length(self, around: int, draws: Draws) -> int:
        return int(min(max(round(around + draws.normal(0, self.spread)), self.fewest), self.most))
