"""The textbook's recipe, as a warning: Laplace noise on every cell of a table, then an ordinary fit.

`add_laplace_noise(X, sensitivity=1, epsilon=0.5)` reads as if it promised epsilon 0.5. It does not: each cell of a row is
noised with that budget, so a row's cells add up; a cell moves by the range of its column, not by the 1 that was typed;
and the target goes out without any noise at all. `true_guarantee` computes what such a release does promise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadAmount
from privet.mechanism import fresh_generator


@dataclass(frozen=True, slots=True)
class TrueGuarantee:
    """What noise on cells promises a person whose row may be any row: epsilons of local privacy."""

    claimed: float
    features: float
    target: float

    @property
    def row(self) -> float:
        """For the whole row; infinite when the target is given away."""
        return self.features + self.target

    def __str__(self) -> str:
        whole = "nothing at all" if math.isinf(self.row) else f"epsilon {self.row:.3g}"
        return (
            f"claimed epsilon {self.claimed:g}; for the features of a row it is {self.features:.4g}, for the whole row "
            f"{whole}"
        )


def add_laplace_noise(
    values: NDArray[np.float64], sensitivity: float = 1, epsilon: float = 0.5
) -> NDArray[np.float64]:
    """Do not use this: the recipe as it is taught, to compare with. It keeps no promise in this package's sense."""
    if not (sensitivity > 0 and epsilon > 0):
        raise BadAmount("sensitivity and epsilon must be positive.", "Better: train with pv.train(…).")
    return values + fresh_generator().laplace(0, sensitivity / epsilon, values.shape)


def true_guarantee(
    widths: Sequence[float], sensitivity: float = 1, epsilon: float = 0.5, *, target_noised: bool = False
) -> TrueGuarantee:
    """The guarantee of `add_laplace_noise` for columns whose public ranges are so wide.

    Changing a row moves cell j by up to widths[j], which noise of scale sensitivity / epsilon hides at
    widths[j] · epsilon / sensitivity; cells are noised apart, so these add up (basic composition, which is exact for
    Laplace noise on several cells). A target without noise has no finite epsilon.
    """
    if not widths or min(widths) <= 0 or not (sensitivity > 0 and epsilon > 0):
        raise BadAmount(
            "ranges, sensitivity and epsilon must be positive.", "Give one range for each column."
        )
    cells = math.fsum(widths) * epsilon / sensitivity
    return TrueGuarantee(epsilon, cells, epsilon if target_noised else math.inf)


def claim_for(widths: Sequence[float], epsilon: float, sensitivity: float = 1) -> float:
    """What one would have to type as `epsilon` for the features of a row to be hidden at `epsilon` in truth."""
    return epsilon * sensitivity / math.fsum(widths)
