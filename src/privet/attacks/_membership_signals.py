"""What an answer says about membership: log odds, loss, confidence, entropy. Pure functions of probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The smallest probability that is told apart from nought: saturated answers carry no more.
TINY = 1e-30


def of_label(probabilities: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The probability given to each record's label; nought for a label the model has no column for."""
    known = (codes >= 0) & (codes < probabilities.shape[1])
    found = probabilities[np.arange(len(codes)), np.where(known, codes, 0)]
    return np.where(known, found, 0.0)


def log_odds(probabilities: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The log odds of the label, log p - log(1 - p) (Carlini et al. 2022, eq. 5).

    1 - p is the sum of the other classes, which keeps its digits where p is near one.
    """
    known = (codes >= 0) & (codes < probabilities.shape[1])
    others = probabilities.copy()
    others[np.arange(len(codes))[known], codes[known]] = 0.0
    right = np.maximum(of_label(probabilities, codes), TINY)
    found: NDArray[np.float64] = np.log(right) - np.log(np.maximum(others.sum(axis=1), TINY))
    return found


def certainty(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Minus the entropy of the answer: larger is surer."""
    found: NDArray[np.float64] = (probabilities * np.log(np.maximum(probabilities, TINY))).sum(axis=1)
    return found


def informed_certainty(probabilities: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Minus the modified entropy, which knows the label (Song and Mittal 2021, eq. 8)."""
    known = (codes >= 0) & (codes < probabilities.shape[1])
    right = of_label(probabilities, codes)
    log_rest = np.log(np.maximum(1 - probabilities, TINY))
    wrong = (probabilities * log_rest).sum(axis=1) - np.where(
        known, right * np.log(np.maximum(1 - right, TINY)), 0
    )
    found: NDArray[np.float64] = (1 - right) * np.log(np.maximum(right, TINY)) + wrong
    return found


def highest(probabilities: NDArray[np.float64], number: int = 3) -> NDArray[np.float32]:
    """The largest probabilities of each answer in order, padded with noughts."""
    ordered = -np.sort(-probabilities, axis=1)[:, :number]
    padded = np.zeros((len(probabilities), number), np.float32)
    padded[:, : ordered.shape[1]] = ordered
    return padded


def right_answers(probabilities: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the likeliest class is the label."""
    found: NDArray[np.bool_] = probabilities.argmax(axis=1) == codes
    return found
