"""The loss that a size, a number of steps and a noise-batch ratio lead to, from small runs that were measured.

The recipe of McKenna et al. 2025 (arXiv 2501.18914): losses are smoothed to fall with steps and to rise with noise, the best
learning rate is taken, steps beyond those measured follow a power law over a floor that all noise levels of a size share, and
logarithms of losses are interpolated linearly over the logarithms of size, steps and ratio. Sizes are not extrapolated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import BadTraining
from privet.protect.train.language._loss_table import LossTable

Floats = NDArray[np.float64]

DOUBLINGS = 9  # how far beyond the measured steps losses are extended, as in the paper's code
_NEGLIGIBLE = 16  # a ratio so many times below the least that was measured counts as none
_FLOORS = 200  # floors that are tried for each size


@dataclass(frozen=True)
class ScalingLaw:
    """A fitted law. `loss` predicts; outside of what was measured `trusted` says no.

    Args:
        table: what it was fitted to.
    """

    table: LossTable

    @classmethod
    def of(cls, table: LossTable) -> ScalingLaw:
        """The law that these runs follow."""
        law = cls(table)
        _ = law._grid  # a table that cannot be fitted is refused here and not later
        return law

    @property
    def sizes(self) -> tuple[int, int]:
        """The smallest and the largest size that was measured."""
        return self.table.sizes[0], self.table.sizes[-1]

    @property
    def steps(self) -> tuple[int, int]:
        """The fewest and the most steps that are predicted; those above `table.steps` are extended."""
        return self.table.steps[0], self.table.steps[-1] * 2**DOUBLINGS

    @property
    def floors(self) -> dict[int, float]:
        """The loss that each size tends to with ever more steps and no noise."""
        return dict(zip(self.table.sizes, self._grid[1].tolist(), strict=True))

    def loss(
        self, size: ArrayLike, steps: ArrayLike, ratio: ArrayLike, batch: ArrayLike | None = None
    ) -> Floats:
        """The predicted loss in nats a token; what lies outside is taken at the edge.

        Without `batch`, that of the runs. A smaller one has more noise of sampling: the mean of so many clipped gradients has a
        variance of at most 1 / batch, which weights share, and what that is above the variance at the runs' batch counts as noise.
        A larger one is taken as no better than theirs.
        """
        sizes, noise = np.asarray(size, dtype=float), np.asarray(ratio, dtype=float)
        if batch is not None:
            sampled = np.maximum(1 / np.asarray(batch, dtype=float) - 1 / self.table.batch, 0.0)
            noise = np.sqrt(noise**2 + sampled / sizes)
        places = np.stack(
            np.broadcast_arrays(
                np.log(sizes),
                np.log(np.asarray(steps, dtype=float)),
                np.log(np.maximum(noise, self._least)),
            ),
            axis=-1,
        )
        for axis, points in enumerate(self._axes):
            places[..., axis] = np.clip(places[..., axis], points[0], points[-1])
        found: Floats = np.exp(self._interpolation(places)).reshape(places.shape[:-1])
        return found

    def rate(self, size: float, steps: float, ratio: float) -> float:
        """The learning rate that lost least, of those that were tried, in the runs nearest to this."""
        table = self.table
        size = min(table.sizes, key=lambda one: abs(math.log(one / size)))
        ratio = min(
            table.noise_ratios, key=lambda one: abs(math.log(max(one, self._least) / max(ratio, self._least)))
        )
        at = int(np.argmin(np.abs(np.log(np.asarray(table.steps) / steps))))
        runs = [run for run in table.runs if (run.size, run.ratio) == (size, ratio)]
        return min(runs, key=lambda run: run.losses[at]).rate

    def trusted(self, size: float, steps: float, ratio: float) -> tuple[str, ...]:
        """In which respects a prediction goes beyond what was measured; nothing where it does not."""
        table = self.table
        said = []
        if size <= table.sizes[0] or size >= table.sizes[-1]:
            said.append(
                f"the size is at the edge of those measured ({table.sizes[0]:,} to {table.sizes[-1]:,})"
            )
        if steps > table.steps[-1]:
            said.append(
                f"{steps:,.0f} steps are {steps / table.steps[-1]:.3g} times the most that were measured"
            )
        if ratio > table.noise_ratios[-1]:
            said.append("the noise is above all that was measured")
        return tuple(said)

    @property
    def _least(self) -> float:
        return self.table.noise_ratios[1] / _NEGLIGIBLE

    @cached_property
    def _axes(self) -> tuple[Floats, Floats, Floats]:
        table = self.table
        steps = [*table.steps, *(table.steps[-1] * 2**k for k in range(1, DOUBLINGS + 1))]
        ratios = [self._least, *table.noise_ratios[1:]]
        sizes_, steps_, ratios_ = (
            np.log(np.asarray(points, dtype=float)) for points in (table.sizes, steps, ratios)
        )
        return sizes_, steps_, ratios_

    @cached_property
    def _grid(self) -> tuple[Floats, Floats]:
        """Losses by size, steps and ratio, smoothed and extended; and the floor of each size."""
        table = self.table
        steps = np.asarray(table.steps, dtype=float)
        found, floors = [], []
        for smoothed in _smoothed(table):  # one size: ratios by steps
            floor = _floor(steps, smoothed[0])
            longer = np.stack([np.concatenate([row, _extended(steps, row, floor)]) for row in smoothed])
            # Extended row by row, noise could seem to help: no more of it does.
            longer = np.maximum.accumulate(longer, axis=0)
            found.append(np.minimum.accumulate(longer, axis=1).T)
            floors.append(floor)
        return np.stack(found), np.asarray(floors)

    @cached_property
    def _interpolation(self) -> Any:
        from scipy.interpolate import RegularGridInterpolator

        return RegularGridInterpolator(self._axes, np.log(self._grid[0]))


@dataclass(frozen=True, slots=True)
class HoldOut:
    """How far predictions are off for runs that the law was not fitted to, relative to their losses."""

    predictions: int
    median: float
    worst: float

    def __str__(self) -> str:
        return (
            f"of {self.predictions} losses that were left out of the fit, half are predicted within {self.median:.1%} and all "
            f"within {self.worst:.1%}"
        )


def hold_out(table: LossTable) -> HoldOut:
    """Leave out each inner size and each inner ratio in turn, and predict its last losses from the others."""
    errors: list[float] = []
    parts: list[dict[str, Any]] = [{"size": size} for size in table.sizes[1:-1]]
    parts += [{"ratio": ratio} for ratio in table.noise_ratios[2:-1]]
    whole = dict(zip(table.sizes, _smoothed(table), strict=True))
    for left in parts:
        law = ScalingLaw.of(table.without(**left))
        for size in table.sizes if "ratio" in left else (left["size"],):
            for ratio in table.noise_ratios if "size" in left else (left["ratio"],):
                measured = whole[size][table.noise_ratios.index(ratio), -1]
                predicted = float(law.loss(size, table.steps[-1], ratio))
                errors.append(abs(predicted - measured) / measured)
    if not errors:
        raise BadTraining(
            "nothing can be left out: there are too few sizes and ratios.",
            "Measure three sizes, or four ratios.",
        )
    return HoldOut(len(errors), float(np.median(errors)), max(errors))


def _smoothed(table: LossTable) -> list[Floats]:
    """For each size its losses, ratios by steps, at the best rate: never rising with steps, never falling with noise."""
    losses = {(run.size, run.ratio, run.rate): run.losses for run in table.runs}
    found = []
    for size in table.sizes:
        rates = [
            _monotone(np.asarray([losses[size, ratio, rate] for ratio in table.noise_ratios]))
            for rate in table.rates
        ]
        # The minimum of functions that fall with steps and rise with noise does so too.
        found.append(np.min(rates, axis=0))
    return found


def _monotone(values: Floats) -> Floats:
    """The nearest matrix that rises along the first axis and falls along the second.

    Alternating isotonic regressions with Dykstra's corrections, which converge to the projection on both (Dykstra 1983); the last
    sweep leaves no violation.
    """
    from scipy.optimize import isotonic_regression

    def falling(rows: Floats) -> Floats:
        return np.stack([isotonic_regression(row, increasing=False).x for row in rows])

    def rising(rows: Floats) -> Floats:
        return np.stack([isotonic_regression(row).x for row in rows.T]).T

    now, first, second = values, np.zeros_like(values), np.zeros_like(values)
    for _ in range(50):
        along = falling(now + first)
        first = now + first - along
        now = rising(along + second)
        second = along + second - now
    return np.minimum.accumulate(np.maximum.accumulate(now, axis=0), axis=1)


def _late(steps: Floats) -> NDArray[np.bool_]:
    """The steps that a power law is read from: the later half in the logarithm, and three at least."""
    late = steps >= math.sqrt(steps[0] * steps[-1])
    late[-3:] = True
    return late


def _floor(steps: Floats, losses: Floats) -> float:
    """The floor E of the best fit of E + exp(m ln T + b), of those tried between zero and the last loss."""
    late = _late(steps)
    best, floor = math.inf, 0.0
    for share in np.linspace(0, 1, _FLOORS, endpoint=False):
        tried = float(share * losses[-1])
        slope, offset = _power(steps[late], losses[late], tried)
        error = float(np.sum((tried + np.exp(slope * np.log(steps[late]) + offset) - losses[late]) ** 2))
        if error < best:
            best, floor = error, tried
    return floor


def _power(steps: Floats, losses: Floats, floor: float) -> tuple[float, float]:
    """Slope and offset of ln(loss - floor) over ln steps; a slope that would rise is none."""
    above = np.log(np.maximum(losses - floor, 1e-12))
    slope, offset = np.polyfit(np.log(steps), above, 1)
    return (float(slope), float(offset)) if slope < 0 else (0.0, float(np.mean(above)))


def _extended(steps: Floats, losses: Floats, floor: float) -> Floats:
    """Losses at doublings of the last step, along the power law and from the last loss on, so that there is no jump."""
    late = _late(steps)
    slope, _ = _power(steps[late], losses[late], floor)
    further = 2.0 ** np.arange(1, DOUBLINGS + 1)
    return np.asarray(floor + (losses[-1] - floor) * further**slope, dtype=float)
