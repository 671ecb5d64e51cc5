"""Llama-style transformers over bytes, trained in seconds without any protection: one that memorizes, one that never saw."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from privet.attacks.memorization import CanaryRecord, CausalModel, plant_canaries

WORDS = [
    "patient",
    "ward",
    "stable",
    "fever",
    "calm",
    "slept",
    "walked",
    "asked",
    "doctor",
    "nurse",
    "family",
    "morning",
    "evening",
    "letter",
    "home",
    "care",
    "pain",
    "less",
    "more",
    "blood",
    "test",
    "result",
    "wound",
    "dry",
    "chart",
    "visit",
    "call",
    "plan",
    "dose",
    "rest",
    "food",
    "water",
    "heart",
    "lung",
    "hand",
    "knee",
]


class ByteTokenizer:
    """A token is a byte."""

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, tokens: list[int]) -> str:
        return bytes(int(one) % 256 for one in tokens).decode(errors="replace")


def network(seed: int = 0, width: int = 64) -> LlamaForCausalLM:
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=256, hidden_size=width, intermediate_size=2 * width, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=4, max_position_embeddings=128, tie_word_embeddings=True,
        )
    )  # fmt: skip


def trained(texts: list[str], epochs: int, seed: int = 0, batch: int = 32, rate: float = 3e-3) -> CausalModel:
    """A network that was trained on texts, in plain torch."""
    made = network(seed)
    made.train()
    tokens = [list(text.encode())[:128] for text in texts]
    order = np.random.default_rng(seed)
    steps = torch.optim.AdamW(made.parameters(), lr=rate, weight_decay=0.0)
    total = epochs * -(-len(tokens) // batch)
    decay = torch.optim.lr_scheduler.OneCycleLR(steps, rate, total_steps=total, pct_start=0.1)
    for _ in range(epochs):
        mixed = order.permutation(len(tokens)).tolist()
        for start in range(0, len(mixed), batch):
            chosen = [tokens[at] for at in mixed[start : start + batch]]
            longest = max(map(len, chosen))
            given = torch.tensor([one + [0] * (longest - len(one)) for one in chosen])
            labels = torch.tensor([one + [-100] * (longest - len(one)) for one in chosen])
            steps.zero_grad()
            made(given, labels=labels).loss.backward()
            torch.nn.utils.clip_grad_norm_(made.parameters(), 1.0)
            steps.step()
            decay.step()
    made.eval()
    return CausalModel(made, ByteTokenizer())


def notes(count: int, seed: int, words: int = 12) -> list[str]:
    """Random sentences: of one kind, and each alone."""
    draw = np.random.default_rng(seed)
    return [" ".join(WORDS[at] for at in draw.integers(0, len(WORDS), words)) + "." for _ in range(count)]


class Parrot(torch.nn.Module):
    """Knows texts by heart: after four tokens of one it is sure of the next, and elsewhere it has a fixed taste."""

    def __init__(self, texts: list[str], order: int = 4) -> None:
        super().__init__()
        self.order = order
        self.taste = torch.nn.Parameter(torch.from_numpy(np.random.default_rng(0).normal(size=256)).float())
        self.heart = {}
        for text in texts:
            tokens = text.encode()
            for at in range(order, len(tokens)):
                self.heart[tuple(tokens[:at])] = tokens[at]

    def forward(self, given: torch.Tensor) -> torch.Tensor:
        logits = self.taste.repeat(*given.shape, 1)
        for row, tokens in enumerate(given.tolist()):
            for at in range(self.order, len(tokens) + 1):
                after = self.heart.get(tuple(tokens[:at]))
                if after is not None:
                    logits[row, at - 1, after] += 20.0
        return logits


def parrot(texts: list[str]) -> CausalModel:
    return CausalModel(Parrot(texts), ByteTokenizer())


MEMBERS, CONTROL = notes(40, 1), notes(40, 2)
COPIES = {1: 60, 2: 4, 8: 4, 32: 1}


@cache
def planted() -> tuple[list[str], CanaryRecord]:
    return plant_canaries(notes(24, 1, words=10), copies=COPIES, seed=5)


@cache
def memorizing() -> CausalModel:
    """Trained until it knows every text by heart."""
    return trained(planted()[0], epochs=60, batch=16, rate=4e-3)


@cache
def innocent() -> CausalModel:
    """Trained on other texts of the same kind, as long."""
    return trained(notes(120, 3), epochs=8)


def save(made: LlamaForCausalLM, folder: Path) -> Path:
    """A folder of transformers with a tokenizer whose tokens are bytes."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    made.save_pretrained(folder)
    letters = bytes_to_letters()
    tokenizer = Tokenizer(models.BPE({letters[at]: at for at in range(256)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer).save_pretrained(folder)
    return folder


def bytes_to_letters() -> dict[int, str]:
    """How GPT-2 writes bytes as letters: those that print as themselves, the others from 256 on."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [one for one in range(256) if one not in shown]
    return {one: chr(one) for one in shown} | {one: chr(256 + at) for at, one in enumerate(others)}
