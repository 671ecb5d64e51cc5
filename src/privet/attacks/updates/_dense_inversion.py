"""Gradient inversion in closed form, for a first layer that is dense and has a bias.

Its weight gradient is the outer product of the bias gradient and the input, so one record is read off exactly (Geiping et
al. 2020, Proposition 3.1). In a batch, every neuron that only one record activates gives that record away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_Gradients = Mapping[str, "NDArray[np.floating[Any]]"]


def layers(gradients: _Gradients) -> list[tuple[NDArray[np.float64], NDArray[np.float64] | None]]:
    """The dense layers in the order they were recorded: a matrix, and the vector beside it if there is one."""
    found: list[tuple[NDArray[np.float64], NDArray[np.float64] | None]] = []
    names = list(gradients)
    for at, name in enumerate(names):
        weight = np.asarray(gradients[name], float)
        if weight.ndim != 2:
            continue
        after = np.asarray(gradients[names[at + 1]], float) if at + 1 < len(names) else None
        bias = after if after is not None and after.shape == weight.shape[:1] else None
        found.append((weight, bias))
    return found


def one_record(gradients: _Gradients) -> NDArray[np.float64]:
    """The record behind an update of one record: the least-squares x in (weight gradient) = (bias gradient) x."""
    weight, bias = _first(gradients)
    if not bias.any():
        raise BadAttack(
            "no neuron of the first layer was active.", "This update says nothing about its record."
        )
    return np.asarray(bias @ weight / float(bias @ bias))


def candidates(gradients: _Gradients, most: int) -> NDArray[np.float64]:
    """Records behind an update of several: the quotients of single neurons, nearly equal ones joined, clearest first."""
    weight, bias = _first(gradients)
    active = np.flatnonzero(np.abs(bias) > 1e-12 * max(float(np.abs(bias).max()), 1e-300))
    quotients = weight[active] / bias[active, None]
    kept: list[NDArray[np.float64]] = []
    support: list[int] = []
    for row in quotients[np.argsort(-np.abs(bias[active]))]:
        same = [
            k for k, one in enumerate(kept) if np.linalg.norm(one - row) <= 1e-6 * (1 + np.linalg.norm(row))
        ]
        if same:
            support[same[0]] += 1  # two neurons agree: both saw only this record
        else:
            kept.append(row)
            support.append(1)
    order = np.argsort(-np.array(support), kind="stable")[:most]
    return np.array([kept[k] for k in order.tolist()]).reshape(-1, weight.shape[1])


def label(gradients: _Gradients) -> int:
    """The label behind an update of one record under cross-entropy (iDLG, Zhao, Mopuri and Bilen 2020).

    Only the label's own logit has a negative gradient; it is read off the last layer's bias, or off its weights.
    """
    found = layers(gradients)
    if not found:
        raise BadAttack("the update has no dense layer.", "Use gradient-inversion with a model.")
    weight, bias = found[-1]
    if bias is not None:
        return int(bias.argmin())
    return int(weight.sum(axis=1).argmin())


def _first(gradients: _Gradients) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    found = layers(gradients)
    if not found or found[0][1] is None:
        raise BadAttack(
            "the first layer is not dense with a bias.",
            "Use gradient-inversion, which looks for records that fit.",
        )
    weight, bias = found[0]
    assert bias is not None
    return weight, bias
