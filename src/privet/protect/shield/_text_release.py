"""What all shields do alike: texts in, embeddings out, with noise that nobody can have again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privet.errors import BadShield
from privet.mechanism import WordStream
from privet.protect.shield._split_model import SplitModel

_TOKENS = 16_384  # of a batch


@dataclass(frozen=True)
class SentTexts:
    """What leaves the machine, one tensor of places × width for each text. `private` is False where the noise can be had again."""

    embeddings: tuple[Tensor, ...]
    private: bool

    def __len__(self) -> int:
        return len(self.embeddings)

    def __getitem__(self, at: int) -> Tensor:
        return self.embeddings[at]

    def stamp(self) -> str:
        """What is written beside them."""
        return "noise: fresh" if self.private else "noise: of a stated seed, for tests; protects nobody"


class TextRelease(ABC):
    """A way of sending texts to a model as embeddings. Each says by `name` what it is."""

    model: SplitModel
    name: str

    @abstractmethod
    def drawn(self, given: Tensor, mask: Tensor, stream: WordStream) -> NDArray[np.float64]:
        """What is sent for a padded batch of embeddings."""

    def embed(self, texts: str | Sequence[str]) -> Tensor:
        """What is sent for texts of one length in tokens: texts × places × width, with fresh noise at every call."""
        found = self.send(texts).embeddings
        if len({len(one) for one in found}) != 1:
            raise BadShield(
                "these texts have different lengths, so they are no single tensor.",
                "Send them with send(texts), which gives one tensor for each.",
            )
        return torch.stack(list(found))

    def send(self, texts: str | Sequence[str], *, seed_for_tests: int | None = None) -> SentTexts:
        """What is sent for each text, with fresh noise; a seed is for tests, and is stamped on what comes out."""
        given = [texts] if isinstance(texts, str) else list(texts)
        if not given or not all(isinstance(one, str) for one in given):
            raise BadShield("texts were expected.", "Give a text, or a list of texts.")
        stream = WordStream.fresh() if seed_for_tests is None else WordStream.seeded(seed_for_tests)
        sent = self._sent([self.tokens(one) for one in given], stream)
        return SentTexts(tuple(map(torch.from_numpy, sent)), stream.private)

    def sent_tokens(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """What is sent for sequences of tokens, with fresh noise: what an adversary who has the shield can ask of it."""
        return self._sent(sequences, WordStream.fresh())

    def _sent(self, sequences: Sequence[Sequence[int]], stream: WordStream) -> list[NDArray[np.float32]]:
        found: list[NDArray[np.float32]] = [np.empty((0, 0), np.float32)] * len(sequences)
        order = sorted(range(len(sequences)), key=lambda at: len(sequences[at]))
        while order:
            longest = len(sequences[order[-1]])
            batch = [order.pop() for _ in range(min(len(order), max(1, _TOKENS // longest)))]
            ids, mask = padded([sequences[at] for at in batch])
            with torch.no_grad():
                sent = self.drawn(self.model.embed(ids).float(), mask, stream)
            for row, at in enumerate(batch):
                found[at] = sent[row, : len(sequences[at])].astype(np.float32)
        return found

    # --- what is public, and what attacks on it need -------------------------------------------

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text."""
        return self.model.tokens(text)

    def token_text(self, token: int) -> str:
        """The text of one token."""
        return self.model.token_text(token)

    @property
    def special(self) -> frozenset[int]:
        """Tokens that stand around every text, and tell nothing."""
        return self.model.special

    @cached_property
    def table(self) -> NDArray[np.float32]:
        """The model's embedding of every token, which is public."""
        found: NDArray[np.float32] = self.model.table.numpy()
        return found

    def plain_tokens(self, sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """The same without any protection: what attacks are tried on to see that they could find something."""
        return [self.table[np.asarray(one, np.int64)] for one in sequences]

    def answers(self, texts: Sequence[str], *, shielded: bool = True) -> list[Any]:
        """The model's logits for each text, from what is sent or from the plain embeddings."""
        sequences = [self.tokens(one) for one in texts]
        sent = self.sent_tokens(sequences) if shielded else self.plain_tokens(sequences)
        with torch.no_grad():
            return [
                self.model.rest(torch.from_numpy(one)[None], torch.ones(1, len(one)), None)[0][0].numpy()
                for one in sent
            ]


def padded(sequences: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Tokens and a mask of what is no padding, texts × places."""
    longest = max(map(len, sequences))
    ids, mask = np.zeros((len(sequences), longest), np.int64), np.zeros((len(sequences), longest), np.bool_)
    for row, one in enumerate(sequences):
        ids[row, : len(one)], mask[row, : len(one)] = one, True
    return torch.from_numpy(ids), torch.from_numpy(mask)
