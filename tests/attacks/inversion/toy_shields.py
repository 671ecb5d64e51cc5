"""Ways of sending texts that an attack has to tell apart: embeddings as they are, a little noise, none of the text, a secret turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

VOCABULARY, WIDTH = 60, 12
NAMES = ["n50", "n51", "n52 n53"]


@dataclass
class ToyShield:
    """Embeddings times a fixed matrix, with normal noise that a seed repeats. `kept` is the share of an embedding in it."""

    deviation: float = 0.0
    turned: bool = False
    kept: float = 1.0
    name: str = "toy shield"
    special: frozenset[int] = frozenset({0})
    draw: np.random.Generator = field(default_factory=lambda: np.random.default_rng(5))

    def __post_init__(self) -> None:
        made = np.random.default_rng(1)
        self.table = made.normal(size=(VOCABULARY, WIDTH)).astype(np.float32)
        turn = np.linalg.qr(made.normal(size=(WIDTH, WIDTH)))[0]
        self.turn = (turn if self.turned else np.eye(WIDTH)) * self.kept

    def tokens(self, text: str) -> list[int]:
        """A word is its number; 0 stands before every text."""
        return [0, *(int(word[1:]) for word in text.split())]

    def token_text(self, token: int) -> str:
        """Words below 50 have letters alone, those above are numbers for the scoring."""
        return str(token) if 40 <= token < 50 else "word"

    def sent_tokens(self, sequences: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """What is sent."""
        return [
            (
                self.table[list(one)] @ self.turn + self.deviation * self.draw.normal(size=(len(one), WIDTH))
            ).astype(np.float32)
            for one in sequences
        ]

    def plain_tokens(self, sequences: Sequence[Sequence[int]]) -> list[np.ndarray]:
        """Embeddings as they are."""
        return [self.table[list(one)] for one in sequences]


def corpus(count: int, seed: int, words: int = 8) -> list[str]:
    """Each word is likely one of three that follow the one before."""
    draw = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        at, text = int(draw.integers(1, VOCABULARY)), []
        for _ in range(words):
            text.append(f"n{at}")
            at = 1 + (7 * at + int(draw.integers(3))) % (VOCABULARY - 1)
        found.append(" ".join(text))
    return found
