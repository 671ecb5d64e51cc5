"""Small shadow language models: of the target's shape, trained from scratch on texts, without any protection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.memorization._causal_model import CausalModel
from privet.errors import BadAttack

Trainer = Callable[[Sequence[str], int], Any]


@dataclass(frozen=True)
class ShadowTexts:
    """How shadow models are trained: epochs over the texts, texts of a batch, the rate of AdamW, and tokens of a text."""

    epochs: int = 8
    batch: int = 16
    rate: float = 3e-3
    longest: int = 256

    def __call__(self, target: CausalModel, texts: Sequence[str], seed: int) -> CausalModel:
        """A model of the target's shape that was trained on these texts; weights and order follow from the seed."""
        import torch

        draw = repeatable_generator(seed, "a shadow of texts")
        tokens = [target.tokens(text)[: min(self.longest, target.window)] for text in texts]
        tokens = [one for one in tokens if len(one) > 1]
        if not tokens:
            raise BadAttack(
                "there is no text to train a shadow model on.", "Give texts of two tokens or more."
            )
        network = _anew(target.network, draw)
        network.train()
        steps = torch.optim.AdamW(network.parameters(), lr=self.rate, weight_decay=0.0)
        for _ in range(self.epochs):
            order = draw.permutation(len(tokens)).tolist()
            for start in range(0, len(order), self.batch):
                steps.zero_grad()
                _loss(network, [tokens[at] for at in order[start : start + self.batch]]).backward()
                torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                steps.step()
        network.eval()
        return CausalModel(network, target.tokenizer, name="shadow model")


def shadow_trainer(recipe: Any, target: CausalModel) -> Trainer:
    """A function of texts and a seed that trains a model, or `ShadowTexts` in the target's shape."""
    if isinstance(recipe, ShadowTexts):
        return lambda texts, seed: recipe(target, texts, seed)
    if callable(recipe):
        return lambda texts, seed: recipe(list(texts), seed)
    raise BadAttack("a recipe is a function of texts and a seed that trains a model.", "Give ShadowTexts().")


def _anew(network: Any, draw: Any) -> Any:
    """A copy of the shape with weights drawn as usual: vectors stay as they start, the rest is normal around nought."""
    import torch

    fresh = deepcopy(network).cpu().float()
    with torch.no_grad():
        for name, one in fresh.named_parameters():
            if one.ndim < 2:
                one.fill_(0.0 if name.endswith("bias") else 1.0)
            else:
                one.copy_(torch.from_numpy(draw.normal(0.0, 0.02, tuple(one.shape)).astype(np.float32)))
            one.requires_grad_()
    return fresh


def _loss(network: Any, batch: Sequence[Sequence[int]]) -> Any:
    import torch

    longest = max(map(len, batch))
    padded = np.zeros((len(batch), longest), np.int64)
    real = np.zeros((len(batch), longest), bool)
    for row, one in enumerate(batch):
        padded[row, : len(one)], real[row, : len(one)] = one, True
    given = torch.from_numpy(padded)
    out = network(given[:, :-1])
    logits = out.logits if hasattr(out, "logits") else out
    losses = torch.nn.functional.cross_entropy(logits.transpose(1, 2), given[:, 1:], reduction="none")
    kept = torch.from_numpy(real[:, 1:])
    return (losses * kept).sum() / kept.sum()
