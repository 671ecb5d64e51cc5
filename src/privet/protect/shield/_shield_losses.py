"""The terms that a shield is fitted by: what the model keeps, and what a reader of the embeddings would learn.

L = utility + strength · information + cosine · |cos| + norm · |norm - median| (arXiv 2506.09452, whose one-sample
information term explodes; the closed form of the same divergence does not).
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as nnf


def gaussian_divergence(first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> Tensor:
    """KL(first ‖ second) in nats for diagonal Gaussians, each a mean and a log-variance; summed over the last axis."""
    (mean, log_variance), (other, other_log) = first, second
    ratio = log_variance - other_log
    terms = torch.exp(ratio) + (mean - other).square() * torch.exp(-other_log) - 1 - ratio
    return terms.sum(-1) / 2


def pairwise_information(mean: Tensor, log_variance: Tensor, order: Tensor) -> Tensor:
    """The mean divergence between places and the places that `order` puts beside them.

    For independent pairs its expectation is at least the mutual information of a place's text and what is sent for it:
    I(X; Y) = E KL(p(.|x) ‖ mixture) <= E KL(p(.|x) ‖ p(.|x')), as divergence is convex (Kolchinsky and Tracey 2017).
    """
    return gaussian_divergence((mean, log_variance), (mean[order], log_variance[order])).mean()


def distilled(clean: Tensor, shielded: Tensor) -> Tensor:
    """KL of the model's answers without and with the shield, in nats, averaged over rows (each a row of logits)."""
    wanted, found = torch.log_softmax(clean, -1), torch.log_softmax(shielded, -1)
    return nnf.kl_div(found, wanted, log_target=True, reduction="batchmean")


def hidden_distance(clean: Tensor, shielded: Tensor) -> Tensor:
    """One less the cosine of hidden states, and their squared distance in units of the clean ones' mean square."""
    aside = 1 - nnf.cosine_similarity(clean, shielded, dim=-1).mean()
    found: Tensor = aside + (clean - shielded).square().mean() / clean.square().mean()
    return found


def alignment(given: Tensor, sent: Tensor) -> Tensor:
    """|cos| of an embedding and what is sent for it, averaged."""
    found: Tensor = nnf.cosine_similarity(given, sent, dim=-1).abs().mean()
    return found


def norm_distance(mean: Tensor, median: float) -> Tensor:
    """How far norms of means lie from the vocabulary's median norm, averaged, in units of it."""
    found: Tensor = (mean.norm(dim=-1) - median).abs().mean() / median
    return found
