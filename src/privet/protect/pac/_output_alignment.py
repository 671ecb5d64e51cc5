"""Canonical forms: outputs of different halves are made comparable before their variance is taken.

The same three cluster centres in another order, or the same direction with another sign, are the same result; but they vary
between halves, and noise would have to cover it (on Iris, 68 times as much). Each form here is a function of the output and of
a public reference alone, so it is part of the function that is released.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.errors import InternalError

Array = NDArray[np.float64]


def canonical(output: Array, form: str, reference: Array | None) -> Array:
    """The output in its canonical form; of the same shape."""
    if form == "as it is":
        return output
    if form == "sorted":
        return _sorted(output)
    if reference is None or reference.shape != output.shape:
        raise InternalError("a form that compares was planned without a reference of the output's shape.")
    match form:
        case "signs":
            return _signed(output, reference)
        case "matched":
            return _matched(output, reference)
        case "rotated":
            return _rotated(output, reference)
    raise InternalError(f"there is no form {form!r}.")


def _sorted(output: Array) -> Array:
    """Numbers in order; of a table, the rows in the order of their first column, then of the next."""
    if output.ndim < 2:
        return np.sort(output)
    flat = output.reshape(len(output), -1)
    return output[np.lexsort(flat.T[::-1])]


def _signed(output: Array, reference: Array) -> Array:
    """Each row, or the only one, turned so that it points along the reference; a right angle leaves it."""
    if output.ndim < 2:
        return -output if float(np.sum(output * reference)) < 0 else output
    axes = tuple(range(1, output.ndim))
    turned = np.where(np.sum(output * reference, axis=axes, keepdims=True) < 0, -1.0, 1.0)
    return np.asarray(output * turned)


def _matched(output: Array, reference: Array) -> Array:
    """Rows in the order in which they lie nearest to those of the reference altogether (Kuhn 1955, the Hungarian method)."""
    from scipy.optimize import linear_sum_assignment

    rows, wanted = output.reshape(len(output), -1), reference.reshape(len(reference), -1)
    distances = np.square(wanted[:, None, :] - rows[None, :, :]).sum(axis=2)
    return np.asarray(output[linear_sum_assignment(distances)[1]])


def _rotated(output: Array, reference: Array) -> Array:
    """The rows turned, all by one rotation or reflection, to fit the reference best (Schönemann 1966, Procrustes)."""
    from scipy.linalg import orthogonal_procrustes

    return np.asarray(output @ orthogonal_procrustes(output, reference)[0])
