"""About how much noise a promise needs, for thousands of batches and steps at once: read off a table, for choosing alone.

The table holds epsilons of sampled Gaussian noise from loss distributions (`tools/write_noise_table.py` makes it); between its
points logarithms are interpolated. What is chosen is then priced exactly: no promise rests on this table.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NoiseTable:
    """Epsilons by sampling rate, steps, noise multiplier and delta."""

    rates: tuple[float, ...]
    steps: tuple[int, ...]
    sigmas: tuple[float, ...]
    deltas: tuple[float, ...]
    epsilons: Floats

    def sigma(self, epsilon: float, delta: float, steps: ArrayLike, rate: ArrayLike) -> Floats:
        """The noise multiplier, in clipping bounds, that keeps the promise over so many steps; it falls with epsilon.

        Outside the table it is that of the edge; where more noise is needed than the table has, it grows as 1 / epsilon.
        """
        steps_, rates = np.broadcast_arrays(np.asarray(steps, dtype=float), np.asarray(rate, dtype=float))
        places = np.stack([np.log(rates), np.log(steps_), np.full(rates.shape, np.log(delta))], axis=-1)
        for axis, points in enumerate(self._axes):
            places[..., axis] = np.clip(places[..., axis], points[0], points[-1])
        curves = self._interpolation(places).reshape(-1, len(self.sigmas))  # ln epsilon, falling with sigma
        wanted = np.log(epsilon)
        found = np.array([np.interp(wanted, curve[::-1], self._log_sigmas[::-1]) for curve in curves])
        beyond = np.maximum(curves[:, -1] - wanted, 0.0)
        sigmas: Floats = np.exp(found + beyond).reshape(rates.shape)
        return sigmas

    @cached_property
    def _log_sigmas(self) -> Floats:
        found: Floats = np.log(np.asarray(self.sigmas, dtype=float))
        return found

    @cached_property
    def _axes(self) -> tuple[Floats, ...]:
        return tuple(
            np.log(np.asarray(points, dtype=float)) for points in (self.rates, self.steps, self.deltas)
        )

    @cached_property
    def _interpolation(self) -> Any:
        from scipy.interpolate import RegularGridInterpolator

        return RegularGridInterpolator(self._axes, np.log(self.epsilons))


@lru_cache(maxsize=1)
def noise_table() -> NoiseTable:
    """The table that comes with Privet."""
    text = resources.files("privet.protect.train.language").joinpath("noise_table.json").read_text("utf-8")
    record = json.loads(text)
    rates, steps, sigmas, deltas = (tuple(record[name]) for name in ("rates", "steps", "sigmas", "deltas"))
    # Stored by rate, steps, delta and sigma; monotone in sigma, which interpolation relies on.
    epsilons = np.maximum(np.minimum.accumulate(np.asarray(record["epsilons"], dtype=float), axis=-1), 1e-6)
    return NoiseTable(rates, steps, sigmas, deltas, epsilons)
