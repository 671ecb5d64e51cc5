"""What a learned shield is compared with: plain embeddings, equal noise everywhere, metric privacy, words put for others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from privet.errors import BadShield, checked
from privet.mechanism import WordStream, embedding_noise, euclidean_laplace
from privet.protect.shield._split_model import SplitModel, split_model, typical_size
from privet.protect.shield._text_release import TextRelease

_CHUNK = 4_096  # sent rows whose nearest words are looked for at a time


@dataclass(frozen=True)
class FixedShield(TextRelease):
    """Noise that is not learned. `amount` is its deviation, or its epsilon where it is metric privacy."""

    model: SplitModel = field(repr=False)
    kind: str  # plain, isotropic, metric, substitution
    amount: float = 0.0

    @property
    def name(self) -> str:  # type: ignore[override]  # made from what it does
        """What it is, with its amount."""
        return {
            "plain": "plain embeddings",
            "isotropic": f"equal noise of deviation {self.amount:g}",
            "metric": f"metric privacy, epsilon {self.amount:g} for each unit of distance",
            "substitution": f"word substitution by metric privacy, epsilon {self.amount:g}",
        }[self.kind]

    def drawn(self, given: Tensor, mask: Tensor, stream: WordStream) -> NDArray[np.float64]:  # noqa: ARG002  all places alike
        """The embeddings with the noise of this kind."""
        plain: NDArray[np.float64] = given.double().numpy()
        if self.kind == "plain":
            return plain
        if self.kind == "isotropic":
            return np.asarray(
                plain + self.amount * typical_size(self.model.table) * embedding_noise(stream, plain.shape)
            )
        sent = plain + euclidean_laplace(stream, plain.shape, self.amount)
        return sent if self.kind == "metric" else self._nearest_words(sent)

    def _nearest_words(self, sent: NDArray[np.float64]) -> NDArray[np.float64]:
        """The embedding of the word that is nearest to each row: post-processing of what was noised."""
        table = self.table.astype(np.float64)
        flat, sizes = sent.reshape(-1, sent.shape[-1]), (table**2).sum(1)
        nearest = [
            (sizes - 2 * flat[at : at + _CHUNK] @ table.T).argmin(1) for at in range(0, len(flat), _CHUNK)
        ]
        found: NDArray[np.float64] = table[np.concatenate(nearest)].reshape(sent.shape)
        return found


@checked
def plain_shield(model: Any) -> FixedShield:
    """Embeddings as they are."""
    return FixedShield(split_model(model), "plain")


@checked
def isotropic_shield(model: Any, deviation: float) -> FixedShield:
    """Gaussian noise of one deviation in every entry, in units of the typical size of an embedding's entry; no promise."""
    return FixedShield(split_model(model), "isotropic", _positive(deviation))


@checked
def metric_shield(model: Any, epsilon: float) -> FixedShield:
    """Metric differential privacy for each token (d-chi privacy).

    Guarantee:
        Two tokens whose embeddings are r apart are told apart from one sent embedding with a loss of at most epsilon · r
        (Chatzikokolakis et al. 2013; Feyisetan et al. 2020), noise being in floating point. Losses of all places and all sends add up.
    Assumes:
        Fresh noise, and that the distance of embeddings is what matters.
    """
    return FixedShield(split_model(model), "metric", _positive(epsilon))


@checked
def substitution_shield(model: Any, epsilon: float) -> FixedShield:
    """Metric privacy, and then the nearest word: a text of other words is sent (Feyisetan et al. 2020).

    Guarantee:
        That of `metric_shield`: the nearest word is post-processing.
    Assumes:
        The same.
    """
    return FixedShield(split_model(model), "substitution", _positive(epsilon))


def _positive(amount: float) -> float:
    if not 0 < amount < float("inf"):
        raise BadShield(
            "an amount of noise is positive and finite.", "Give a deviation of 1, or an epsilon of 10."
        )
    return float(amount)
