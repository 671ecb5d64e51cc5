"""Sentences put together from public phrases: a generator of texts that needs no model.

A template names slots in braces, and each slot has public words to choose from. It makes weaker texts than a language
model, and shows in a second what evolution does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from privet.errors import BadSynthesis, checked_class
from privet.mechanism import Draws, fresh_generator
from privet.protect.synthesize.evolution._sample_generator import content_digest

_SLOT = re.compile(r"\{(\w+)\}")
_OTHER = 0.5  # the chance of another template at degree 1


@dataclass(frozen=True, slots=True)
class Phrase:
    """Which template, and which word in each of its slots."""

    template: int
    words: tuple[int, ...]


@checked_class
class Phrases:
    """Texts from templates.

    Args:
        templates: texts with slots: "{who} came with {complaint}".
        words: what each slot may be filled with; public, not taken from the private texts.
        by_label: templates for one label only, beside the others.
    """

    def __init__(
        self,
        templates: Sequence[str],
        words: Mapping[str, Sequence[str]],
        *,
        by_label: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.templates = list(templates)
        self._of: dict[str, list[int]] = {}
        for label, own in (by_label or {}).items():
            self._of[label] = list(range(len(self.templates), len(self.templates) + len(own)))
            self.templates += own
        self._shared = list(range(len(templates)))
        self.words = {name: tuple(given) for name, given in words.items()}
        self._slots = [tuple(_SLOT.findall(text)) for text in self.templates]
        missing = {name for slots in self._slots for name in slots} - {n for n, w in self.words.items() if w}
        if not self.templates or missing:
            raise BadSynthesis(
                "a template is needed, and words for every slot that one has.",
                "Write Phrases(['{who} came in'], {'who': ['A child', 'A man']}).",
            )
        self._draws: Draws = fresh_generator()

    def random(self, count: int, label: str | None) -> list[Phrase]:
        """Random templates of the label, randomly filled."""
        return [self._filled(self._template(label)) for _ in range(count)]

    def variation(self, samples: Sequence[Phrase], label: str | None, degree: float) -> list[Phrase]:
        """Other words in some slots, and sometimes another template."""
        return [self._varied(one, label, degree) for one in samples]

    def shown(self, sample: Phrase) -> str:
        """The text."""
        chosen = iter(sample.words)
        slots = iter(self._slots[sample.template])
        return _SLOT.sub(lambda _: self.words[next(slots)][next(chosen)], self.templates[sample.template])

    def packed(self, sample: Phrase) -> list[int]:
        """The template and the words, by their places."""
        return [sample.template, *sample.words]

    def unpacked(self, stored: Sequence[int]) -> Phrase:
        """The same phrase."""
        template, *words = stored
        return Phrase(template, tuple(words))

    def described(self) -> dict[str, str]:
        """How much there is to choose from, and a digest of all of it: samples are kept as places in it."""
        return {
            "kind": "phrases",
            "templates": str(len(self.templates)),
            "words": str(sum(map(len, self.words.values()))),
            "digest": content_digest(self.templates, self._of, self.words),
        }

    def _template(self, label: str | None) -> int:
        choices = self._shared + self._of.get(label or "", [])
        if not choices:
            raise BadSynthesis(
                "a label has no template.", "Give templates that are for all labels, or for each."
            )
        return choices[int(self._draws.integers(len(choices)))]

    def _filled(self, template: int) -> Phrase:
        slots = self._slots[template]
        return Phrase(template, tuple(int(self._draws.integers(len(self.words[name]))) for name in slots))

    def _varied(self, one: Phrase, label: str | None, degree: float) -> Phrase:
        if self._draws.random() < _OTHER * degree:
            return self._filled(self._template(label))
        slots = self._slots[one.template]
        chance = max(0.1, degree)
        return Phrase(
            one.template,
            tuple(
                int(self._draws.integers(len(self.words[name]))) if self._draws.random() < chance else word
                for name, word in zip(slots, one.words, strict=True)
            ),
        )
