"""Decoding RAPPOR: which candidates explain the bits of all cohorts, and how many people have each.

Candidates are first selected by a non-negative LASSO where there are many of them for the bits, and then fitted by least
squares, both weighted by the bits' standard deviations (Erlingsson, Pihur and Korolova 2014, section 4; decode.R of the
published analysis). Weights of the fit are those of the bits that the fit itself expects: bits that chance made rare look
surer than they are, and weights from the observed ones would pull every count down. Standard errors are those of the
estimator, with the bits of one person together: a person with a value sets all bits of its filter, and is in one cohort.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.guarantee.oracles import BloomResponse
from privet.mechanism import bloom_filters
from privet.protect.collect._frequency_estimates import Frequencies

MOST_FEATURES = 500
_CROWDED = 0.8
_ROUNDS = 3  # of weights: by the observed bits, by those expected, and by those expected then


def decoded_filters(oracle: BloomResponse, cells: NDArray[np.int64], size: int, seed: int) -> Frequencies:
    """The counts of all candidates; those that were not selected are 0, with the error of a value nobody has."""
    filters = _design(oracle, size, seed)
    people = cells[:, oracle.bits]
    target, share, reports = _bit_counts(oracle, cells)
    chosen = np.arange(size)
    if size > _CROWDED * target.size:
        weights = _weights(oracle, share, people).ravel()
        design = filters * (people / max(reports, 1))[:, None, None]
        chosen = _selected(design.reshape(-1, size) * weights[:, None], target.ravel() * weights)
    counts, errors = np.zeros(size), np.full(size, np.sqrt(float(oracle.variance(max(reports, 1), 0.0))))
    if chosen.size:
        fit = _Fit(oracle, filters[:, :, chosen], people, target, reports)
        counts[chosen], found = fit.counts(share)
        if found is not None:
            errors[chosen] = found
    return Frequencies(counts, errors, reports)


@dataclass(frozen=True, eq=False)
class _Fit:
    """Weighted least squares of the bits of all cohorts on the candidates that were selected."""

    oracle: BloomResponse
    filters: NDArray[np.float64]
    people: NDArray[np.int64]
    target: NDArray[np.float64]
    reports: int

    def counts(self, share: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """The counts, and their errors unless the bits do not tell the candidates apart."""
        from scipy.optimize import lsq_linear

        design = self.filters * (self.people / max(self.reports, 1))[:, None, None]
        flat = design.reshape(-1, design.shape[2])
        for turn in range(_ROUNDS):
            weights = _weights(self.oracle, share, self.people).ravel()
            inner, wanted = flat * weights[:, None], self.target.ravel() * weights
            gram = inner.T @ inner
            if turn == 0 and np.linalg.matrix_rank(gram) < len(gram):
                return np.asarray(lsq_linear(inner, wanted, bounds=(0, np.inf)).x, np.float64), None
            reading = np.linalg.solve(gram, inner.T * weights)  # counts = reading @ target
            counts = reading @ self.target.ravel()
            share = self._expected(counts)
        return counts, self._errors(np.asarray(reading.reshape(-1, *self.target.shape), np.float64), counts)

    def _chances(self) -> NDArray[np.float64]:
        """Of a one in each bit of each cohort, given each candidate."""
        own, other = map(float, self.oracle.instantaneous())
        return other + (own - other) * self.filters

    def _spread(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Shares of the candidates that might be: neither negative, nor more than all together."""
        shares = np.maximum(counts, 0) / max(self.reports, 1)
        return np.asarray(shares / max(shares.sum(), 1), np.float64)

    def _expected(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share of ones in each bit that these counts lead one to expect."""
        spread, other = self._spread(counts), float(self.oracle.instantaneous()[1])
        return np.asarray(self._chances() @ spread + (1 - spread.sum()) * other, np.float64)

    def _errors(self, reading: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Standard errors of reading @ target, whatever the weights were.

        Given its value, a person's bits are independent. People are drawn into cohorts; what is estimated is the number of
        those who are there, so the variance that drawing the people themselves would have is not in it.
        """
        own, other = map(float, self.oracle.instantaneous())
        spread, chances = self._spread(counts), self._chances()
        noise = chances * (1 - chances) @ spread + (1 - spread.sum()) * other * (1 - other)
        reading = reading / (own - other)
        answered = np.einsum("vcb,cb,c->v", reading**2, noise, self.people)
        drawn = -np.maximum(counts, 0) * (1 - spread)
        apart = chances - self._expected(counts)[:, :, None]
        for cohort, many in enumerate(self.people):
            # How far somebody in this cohort moves each count, given what they have.
            drawn += many * (reading[:, cohort] @ apart[cohort]) ** 2 @ spread
        return np.asarray(np.sqrt(answered + np.maximum(drawn, 0)), np.float64)


def _design(oracle: BloomResponse, size: int, seed: int) -> NDArray[np.float64]:
    """Which bits each candidate sets in each cohort."""
    codes = np.tile(np.arange(size), oracle.cohorts)
    cohorts = np.repeat(np.arange(oracle.cohorts), size)
    filters = bloom_filters(oracle, codes, cohorts, seed).reshape(oracle.cohorts, size, oracle.bits)
    return np.asarray(filters.transpose(0, 2, 1), np.float64)


def _bit_counts(
    oracle: BloomResponse, cells: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], int]:
    """Estimated true bits of each cohort, the observed share of ones in each, and the number of reports."""
    own, other = map(float, oracle.instantaneous())
    ones, people = cells[:, : oracle.bits], cells[:, oracle.bits :]
    return (ones - other * people) / (own - other), ones / np.maximum(people, 1), int(people.sum())


def _weights(
    oracle: BloomResponse, share: NDArray[np.float64], people: NDArray[np.int64]
) -> NDArray[np.float64]:
    """One over the standard deviation of each estimated bit, where ones have this share."""
    own, other = map(float, oracle.instantaneous())
    share = np.clip(share, 1e-6, 1 - 1e-6)
    return np.asarray(
        (own - other) / np.sqrt(np.maximum(people, 1)[:, None] * share * (1 - share)), np.float64
    )


def _selected(matrix: NDArray[np.float64], wanted: NDArray[np.float64]) -> Any:
    """Candidates that a non-negative LASSO needs, at most 500 and fewer than there are bits."""
    from privet.errors import MissingExtra

    try:
        from sklearn.linear_model import lars_path
    except ImportError:
        raise MissingExtra(
            "decoding RAPPOR with so many candidates needs scikit-learn, which is not installed.",
            'pip install "privet[tabular]"',
        ) from None
    most = min(MOST_FEATURES, int(_CROWDED * len(wanted)))
    _, _, path = lars_path(matrix, wanted, method="lasso", positive=True, max_iter=most)
    return np.flatnonzero(path[:, -1] > 0)
