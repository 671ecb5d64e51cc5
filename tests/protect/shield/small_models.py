"""Small models over words whose embeddings are drawn, and texts for them: nothing is trained but what a test trains."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from transformers import LlamaConfig, LlamaForCausalLM

VOCABULARY, WIDTH, CLASSES = 40, 16, 3


class Words:
    """A token is a word; the first is any word that is not known."""

    words = tuple(f"w{at}" for at in range(VOCABULARY))

    def encode(self, text: str) -> list[int]:
        known = {word: at for at, word in enumerate(self.words)}
        return [known.get(word, 0) for word in text.split()]

    def decode(self, tokens: list[int]) -> str:
        return " ".join(self.words[at] for at in tokens)


class Mean(nn.Module):
    """Classes of texts, by the mean of their embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(WIDTH, CLASSES)

    def forward(self, given: Tensor, mask: Tensor | None = None) -> Tensor:
        weights = torch.ones(given.shape[:2]) if mask is None else mask.float()
        return self.out((given * weights[..., None]).sum(1) / weights.sum(1, keepdim=True))


def texts(count: int, seed: int = 0, shortest: int = 6, longest: int = 6) -> tuple[list[str], list[int]]:
    """Words of a class more often than others."""
    draw = np.random.default_rng(seed)
    found, labels = [], []
    for _ in range(count):
        label = int(draw.integers(CLASSES))
        size = int(draw.integers(shortest, longest + 1))
        own = draw.integers(1, 13, size) + 13 * label
        other = draw.integers(1, VOCABULARY, size)
        found.append(" ".join(f"w{at}" for at in np.where(draw.random(size) < 0.8, own, other)))
        labels.append(label)
    return found, labels


@cache
def classifier() -> tuple[Any, Any, Any]:
    """(embed, rest, tokenizer), the rest fitted to the classes in closed form of a few steps."""
    torch.manual_seed(0)
    embed, rest, words = nn.Embedding(VOCABULARY, WIDTH), Mean(), Words()
    given, labels = texts(300, seed=9)
    rows = torch.tensor([words.encode(one) for one in given])
    wanted = torch.tensor(labels)
    steps = torch.optim.Adam(rest.parameters(), lr=0.1)
    for _ in range(60):
        steps.zero_grad()
        nn.functional.cross_entropy(rest(embed(rows).detach()), wanted).backward()
        steps.step()
    return embed, rest, words


@cache
def causal() -> tuple[Any, Any]:
    """A causal network of transformers with its tokenizer, as it was drawn."""
    torch.manual_seed(0)
    made = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=WIDTH, intermediate_size=32, num_hidden_layers=1,
            num_attention_heads=2, num_key_value_heads=2, max_position_embeddings=64,
        )
    ).eval()  # fmt: skip
    return made, Words()
