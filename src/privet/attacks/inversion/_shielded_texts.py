"""What there is to attack: texts that were sent as embeddings, and the texts that an adversary has to learn from.

The adversary has the shield itself, so it can send whatever it likes through it; the model's table of embeddings; and texts
like those that are sent. Only the scoring sees the tokens of the texts that are attacked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.memorization import texts_of
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.attacks._attack_registry import Case

_LONGEST = 64  # tokens of a text that are sent
_LEAST = 4  # texts on either side


@runtime_checkable
class ShieldTarget(Protocol):
    """A way of sending texts as embeddings, as an adversary who has it meets it."""

    name: str

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text."""

    @property
    def special(self) -> frozenset[int]:
        """Tokens that stand around every text."""

    @property
    def table(self) -> NDArray[np.float32]:
        """The embedding of every token."""

    def token_text(self, token: int) -> str:
        """The text of one token."""

    def sent_tokens(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """What is sent for sequences of tokens, with noise that is drawn anew."""

    def plain_tokens(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """The same without protection."""


def is_shield(thing: Any) -> bool:
    """Whether it is a way of sending texts as embeddings."""
    return not isinstance(thing, type) and isinstance(thing, ShieldTarget)


@dataclass(frozen=True)
class ShieldedTexts:
    """The texts of one attack. `wanted` are those that were sent, `known` those that the adversary learns from."""

    target: ShieldTarget
    wanted: list[list[int]]
    known: list[list[int]]
    guessed: list[list[int]]
    names: list[tuple[int, ...]]
    rare: int
    places: NDArray[np.int64]  # of the wanted texts in the corpus
    others: NDArray[np.int64]  # of the corpus's other half
    cut: int

    @property
    def counts(self) -> Counter[int]:
        """How often each token stands in the adversary's texts."""
        return Counter(token for one in (*self.known, *self.guessed) for token in one)

    def guess(self) -> int:
        """The token that the adversary would name if it saw nothing."""
        found = self.counts
        for token in self.target.special:
            found.pop(token, None)
        return max(found, key=lambda token: (found[token], -token)) if found else 0

    def notes(self) -> tuple[str, ...]:
        """What is not in the figures."""
        said = [
            f"The adversary learns from {len(self.known) + len(self.guessed):,} texts; {len(self.wanted):,} are scored."
        ]
        if self.cut:
            said.append(f"{self.cut:,} texts were cut to {_LONGEST} tokens.")
        return tuple(said)


def shielded_texts(target: ShieldTarget, case: Case) -> ShieldedTexts:
    """The corpus's texts that are attacked and those that are learned from: half of it where no others were given."""
    corpus = texts_of(case.settings["corpus"])
    order = repeatable_generator(case.seed, "texts behind a shield").permutation(len(corpus))
    others, places = np.sort(order[: len(corpus) // 2]), np.sort(order[len(corpus) // 2 :])
    tokens = [target.tokens(one) for one in corpus]
    cut = sum(len(one) > _LONGEST for one in tokens)
    sequences = [one[:_LONGEST] for one in tokens]
    if case.auxiliary is None:
        known = [sequences[at] for at in others]
    else:
        places = np.arange(len(corpus))
        known = [target.tokens(one)[:_LONGEST] for one in texts_of(case.auxiliary)]
    guessed = [target.tokens(one)[:_LONGEST] for one in texts_of(case.setting("guessed", None) or [])]
    seen = {tuple(one) for one in (*known, *guessed)}
    places = np.array([at for at in places if tuple(sequences[at]) not in seen], np.int64)
    if len(places) < _LEAST or len(known) < _LEAST:
        raise BadAttack(
            "there are too few texts to learn from or to attack, once those that stand on both sides are left out.",
            "Give a corpus of 200 texts or more, and auxiliary=public_texts.",
        )
    names = _names(target, case.setting("names", None) or ())
    wanted = [sequences[at] for at in places]
    return ShieldedTexts(target, wanted, known, guessed, names, case.whole("rare", 5), places, others, cut)


def _names(target: ShieldTarget, given: Sequence[str]) -> list[tuple[int, ...]]:
    """Names as sequences of tokens, at the beginning of a text and after a space."""
    found = set()
    for name in given:
        for text in (name, f" {name}"):
            tokens = tuple(one for one in target.tokens(text) if one not in target.special)
            if tokens:
                found.add(tokens)
    return sorted(found)
