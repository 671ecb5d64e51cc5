"""The network of a shield: for each place of a text a mean and a diagonal log-variance, from the whole text.

An affine stained glass transform: what is sent is x + mu(x_1…T) + sd(x_1…T) · u with u standard normal and the model behind
it frozen (arXiv 2506.09452). Everything is in units of the typical size of an embedding's entry.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn

from privet.errors import BadShield
from privet.mechanism import WordStream, embedding_noise
from privet.protect.shield._shield_settings import ShieldSettings

_FIRST_LOG_VARIANCE = -3.0  # where fitting begins: little noise, so that the model still answers


class GlassTransform(nn.Module):
    """Mean and log-variance of what is sent, for a batch of embeddings in units of their typical size."""

    def __init__(self, width: int, settings: ShieldSettings) -> None:
        super().__init__()
        if width % settings.heads:
            raise BadShield(
                f"{settings.heads} heads do not divide embeddings of width {width}.",
                "Set heads=1, or a divisor of the width.",
            )
        layer = nn.TransformerEncoderLayer(
            width,
            settings.heads,
            2 * width,
            dropout=0.0,
            activation="gelu",
            batch_first=True,
            norm_first=True,
        )
        self.encoder = nn.TransformerEncoder(layer, settings.layers, enable_nested_tensor=False)
        self.kept = nn.Parameter(torch.zeros(width))
        self.shift = nn.Linear(width, width)
        self.spread = nn.Linear(width, width)
        self.limits = settings.least_log_variance, settings.most_log_variance

    def forward(self, given: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """The mean and the clamped log-variance of each entry; padding is not read."""
        padding = None if mask is None else ~mask.bool()
        seen = self.encoder(given + _places(given), src_key_padding_mask=padding)
        mean = given * (1 + self.kept) + self.shift(seen)
        return mean, self.spread(seen).clamp(*self.limits)


def begun_transform(width: int, settings: ShieldSettings, stream: WordStream) -> GlassTransform:
    """A transform that leaves embeddings as they are but for a little noise, its weights drawn from a stream."""
    made = GlassTransform(width, settings)
    with torch.no_grad():
        for name, one in made.named_parameters():
            if one.dim() < 2:
                one.fill_(1.0 if "norm" in name and name.endswith("weight") else 0.0)
                continue
            drawn = torch.from_numpy(embedding_noise(stream, tuple(one.shape)).astype(np.float32))
            one.copy_(drawn * math.sqrt(2 / sum(one.shape)))
        for head in (made.shift, made.spread):
            head.weight.mul_(0.1)
        made.spread.bias.fill_(_FIRST_LOG_VARIANCE)
    return made


def drawn_embeddings(mean: Tensor, log_variance: Tensor, stream: WordStream) -> Tensor:
    """A draw, with gradients for mean and variance."""
    noise = torch.from_numpy(embedding_noise(stream, tuple(mean.shape)).astype(np.float32))
    return mean + torch.exp(log_variance / 2) * noise


def _places(given: Tensor) -> Tensor:
    """Sines and cosines of a place, as in Vaswani et al. (2017); a single place has none."""
    count, width = given.shape[1:]
    if count == 1:
        return torch.zeros(1, 1, width)
    at = torch.arange(count)[:, None] * torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    found = torch.zeros(count, width)
    found[:, 0::2] = torch.sin(at)
    found[:, 1::2] = torch.cos(at[:, : width // 2])
    return found[None]
