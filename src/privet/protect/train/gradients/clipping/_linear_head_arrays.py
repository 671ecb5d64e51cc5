"""The closed form of a generalised-linear head in NumPy, whose calls cost a fraction of torch's: small heads are all calls.

For outputs XW' + b and the gradient r of an example's loss in its outputs, the gradient in (W, b) is r (x, 1)'.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.protect.train.gradients.clipping._clipping_rule import LARGEST

Array = NDArray[Any]


def softmax_residual(outputs: Array, targets: Array, ignored: int) -> tuple[Array, Array]:
    """Each example's cross-entropy and its gradient in the outputs (classes by examples), which is made in their place."""
    # The shares do not change, and the largest exponent is then zero: no record can make the exponential
    # overflow.
    outputs -= outputs.max(axis=0)
    left_out = targets == ignored if targets.min() < 0 else None
    if left_out is not None:
        targets = np.where(left_out, 0, targets)
    places = np.arange(len(targets))
    picked = outputs[targets, places]
    np.exp(outputs, out=outputs)
    totals = outputs.sum(axis=0)
    losses = np.log(totals)
    losses -= picked
    outputs /= totals
    outputs[targets, places] -= 1
    if left_out is not None:
        losses[left_out] = 0
        outputs[:, left_out] = 0
    return losses, outputs


def logistic_residual(outputs: Array, targets: Array) -> tuple[Array, Array]:
    """Each example's logistic loss and its gradient in the output (one by examples)."""
    scores = outputs[0]
    wanted = targets.reshape(len(scores)).astype(scores.dtype, copy=False)
    losses = np.logaddexp(0, scores) - wanted * scores
    # The logistic function by the hyperbolic tangent, which overflows nowhere.
    return losses, 0.5 * np.tanh(0.5 * outputs) + 0.5 - wanted


def scaled_sums(x: Array, residual: Array, factors: Array) -> tuple[Array, Array]:
    """The sums over examples of the scaled gradients of weight and bias; an example of factor 0 has no say.

    Of many examples, the sums of some are added up in 64 bits.
    """
    if not factors.all():
        left_out = factors == 0
        x, residual = x.copy(), residual.copy()
        x[left_out] = 0
        residual[:, left_out] = 0
    scaled = residual * factors
    if len(x) <= LARGEST:
        return scaled @ x, scaled.sum(axis=1)
    total = np.zeros((len(scaled), x.shape[1]))
    for start in range(0, len(x), LARGEST):
        total += scaled[:, start : start + LARGEST] @ x[start : start + LARGEST]
    return total, scaled.sum(axis=1, dtype=np.float64)
