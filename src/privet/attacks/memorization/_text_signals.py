"""What log-probabilities of a text's tokens say about whether it was trained on. Pure functions; larger means "member"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from privet.attacks.memorization._text_entropy import compressed_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Tokens = Sequence[NDArray[np.float64]]

LEAST_LIKELY = 0.2


def mean_log_probability(tokens: Tokens) -> NDArray[np.float64]:
    """Minus the loss of each text (Yeom et al. 2018)."""
    return np.array([one.mean() if len(one) else 0.0 for one in tokens])


def least_likely(tokens: Tokens, share: float = LEAST_LIKELY) -> NDArray[np.float64]:
    """The mean over the least likely tokens: Min-K % (Shi et al. 2024)."""
    return np.array(
        [np.sort(one)[: max(1, math.ceil(share * len(one)))].mean() if len(one) else 0.0 for one in tokens]
    )


def for_each_bit(tokens: Tokens, texts: Sequence[str]) -> NDArray[np.float64]:
    """The log-probability for each bit of the compressed text (Carlini et al. 2021)."""
    return np.array([one.sum() / compressed_bits(text) for one, text in zip(tokens, texts, strict=True)])


def beyond_reference(tokens: Tokens, reference: Tokens) -> NDArray[np.float64]:
    """How much likelier than to a model that was not trained on it, for each token of its own (Carlini et al. 2021)."""
    return mean_log_probability(tokens) - mean_log_probability(reference)
