"""Sums of clipped gradients as whole numbers of a grid: in whatever order and by however many processes, the same to the bit.

Each piece of a batch is rounded to a grid of its own once, and whole numbers are added from there on, so a run that was killed
goes on with more or fewer processes to the very sums it would have had, under the same noise. The grid is decided by the bound
and by the plan's public number of records. It is so fine (2⁻⁴⁰ of the bound, or 2⁻³⁶ for ten million records) that rounding all
pieces moves a sum by far less than the share of the bound that noise is added for because of 32-bit sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from privet.errors import InternalError

_FINEST = 40  # the grid is this power of two below the bound, or coarser where there are many records
_BITS = (
    60  # of a sum over all of the plan's records; half of what is left is for more records than were planned
)


def grid_of(bound: float, records: int) -> float:
    """The grid of sums of gradients that are clipped at `bound`: a power of two."""
    return math.ldexp(1.0, math.frexp(bound)[1] - 1 - _fineness(records))


def _fineness(records: int) -> int:
    return min(_FINEST, _BITS - records.bit_length())


def most_of(records: int) -> int:
    """Of how many gradients a sum cannot overflow: at least twice as many as the plan has records."""
    return int(2 ** (_BITS + 1 - _fineness(records)))


def whole(sums: dict[str, Tensor], grid: float, names: Iterable[str]) -> NDArray[np.int64]:
    """Sums of one piece, one after the other, as whole numbers of the grid."""
    flat = np.concatenate([sums[name].detach().cpu().double().numpy().reshape(-1) for name in names])
    flat *= 1 / grid
    if not math.isfinite(flat.sum()):
        raise InternalError("a sum of clipped gradients is not finite.")
    found: NDArray[np.int64] = np.rint(flat).astype(np.int64)
    return found


def parted(total: NDArray[np.int64], grid: float, like: dict[str, Any]) -> dict[str, Tensor]:
    """Whole numbers of the grid as sums again, by parameter."""
    values = torch.from_numpy(total.astype(np.float64) * grid)
    parts = torch.split(values, [weight.numel() for weight in like.values()])
    return {name: part.view(weight.shape) for part, (name, weight) in zip(parts, like.items(), strict=True)}


def length(total: NDArray[np.int64], grid: float) -> float:
    """The length of a sum."""
    values = total.astype(np.float64)
    values *= grid
    return math.sqrt(float(np.einsum("i,i->", values, values)))
