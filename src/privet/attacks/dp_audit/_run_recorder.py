"""What the owner of a training run can write down about it, for checks that look inside.

A trainer hands over each step: the noisy sum that moved the weights and, where it can, the exact clipped sum behind
it, the norms of what each example added and who was in the batch. For the owner alone: exact sums are private.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TrainingClaim:
    """What a run says it did: the parameters that its promise was computed from."""

    sigma: float  # standard deviation of the noise over the clipping norm
    clip: float  # the largest L2 norm of one example's part in a sum
    q: float  # the probability that a record is in a batch
    steps: int  # how many steps were accounted for
    delta: float

    def __post_init__(self) -> None:
        positive = self.sigma > 0 and self.clip > 0 and self.steps >= 1
        if not (positive and 0 < self.q <= 1 and 0 < self.delta < 1 and math.isfinite(self.sigma)):
            raise BadAttack(
                "a claim has a positive sigma, clipping norm and number of steps, and q and delta between 0 and 1.",
                "State what the run was accounted with.",
            )


@dataclass(frozen=True)
class Observed:
    """A training run, step by step. What is None was not written down, and is not checked.

    Args:
        claim: what the run was accounted with.
        noisy: the noisy sum of clipped gradients, before it is divided: a row for each step taken.
        exact: the sums before the noise, in the same shape.
        norms: the norm of what each example added to a sum, over all steps.
        participation: for each record, in how many batches it was.
        batches: how many records were in each batch.
    """

    claim: TrainingClaim
    noisy: NDArray[np.float64]
    exact: NDArray[np.float64] | None = None
    norms: NDArray[np.float64] | None = None
    participation: NDArray[np.int64] | None = None
    batches: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        shapes = self.exact is None or self.exact.shape == self.noisy.shape
        if self.noisy.ndim != 2 or not self.noisy.size or not shapes:
            raise BadAttack(
                "noisy and exact sums are tables of the same shape with a row for each step.",
                "Lay the parameters of a step out as one row.",
            )

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self.noisy)

    @property
    def noise(self) -> NDArray[np.float64] | None:
        """What was added in each step, over its claimed standard deviation; None if the exact sums are not known."""
        if self.exact is None:
            return None
        return np.asarray((self.noisy - self.exact) / (self.claim.sigma * self.claim.clip), float)


@dataclass
class Recorder:
    """Collects a run while it goes: call `step` once for each step, `observed` at the end."""

    claim: TrainingClaim
    records: int  # how many records there are
    _noisy: list[NDArray[np.float64]] = field(default_factory=list)
    _sums: list[NDArray[np.float64]] = field(default_factory=list)
    _norms: list[NDArray[np.float64]] = field(default_factory=list)
    _counts: NDArray[np.int64] | None = None
    _batches: list[int] = field(default_factory=list)

    def step(self, noisy: Any, *, exact: Any = None, norms: Any = None, batch: Any = None) -> None:
        """One step: its sums (arrays, or sequences of them), the examples' norms, and the positions of its records."""
        self._noisy.append(_flat(noisy))
        if exact is not None:
            self._sums.append(_flat(exact))
        if norms is not None:
            self._norms.append(np.asarray(norms, float).ravel())
        if batch is not None:
            if self._counts is None:
                self._counts = np.zeros(self.records, np.int64)
            positions = np.asarray(batch, np.int64)
            np.add.at(self._counts, positions, 1)
            self._batches.append(len(positions))

    def observed(self) -> Observed:
        """The run as far as it went."""
        if not self._noisy:
            raise BadAttack("no step was written down.", "Call `step` in the training loop.")
        taken = len(self._noisy)
        return Observed(
            self.claim,
            np.stack(self._noisy),
            np.stack(self._sums) if len(self._sums) == taken else None,
            np.concatenate(self._norms) if self._norms else None,
            self._counts if len(self._batches) == taken else None,
            np.array(self._batches, np.int64) if len(self._batches) == taken else None,
        )


def _flat(sums: Any) -> NDArray[np.float64]:
    parts = sums if isinstance(sums, list | tuple) else [sums]
    return np.concatenate([np.asarray(part, float).ravel() for part in parts])
