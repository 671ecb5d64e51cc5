"""Evolving rows: private rows vote for the nearest synthetic one, the noisy vote decides what breeds.

Private Evolution (Lin and others, ICLR 2024) on tables ("APIs 4: Tabular Data", ICML 2026), with proposals from noisy
marginals: a share of the budget buys each column's counts by label, from which the first rows and all changes of cells
are drawn. It keeps structure of high order, as in an exclusive or, that no table of two or three columns shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.engine import SealedMarginals
from privet.mechanism import Draws
from privet.protect.synthesize._column_domain import ColumnDomain
from privet.protect.synthesize._junction_tree import Clique
from privet.protect.synthesize._measurement_run import MeasurementRun
from privet.protect.synthesize._nearest_rows import NearestRows
from privet.protect.synthesize._structural_zeros import impossible

THRESHOLD = 1.5  # standard deviations that are taken off the last votes, where there are few columns
PROPOSING = 0.15  # the share of the budget for the counts that proposals are drawn from
ROUNDS = 10
MOST, FEWEST = 4000, 60  # candidates
FEW = 8  # columns up to which all rounds breed by drawing; with more, the best are kept from half-way on
_BROOD = 3  # changed rows for each that is kept
_AGAIN = 50  # times that rows which cannot be are drawn again
_CLEAR = 2.0  # standard deviations under which a proposed value is left out
Codes = NDArray[np.int64]
Tally = Callable[[NearestRows, int], SealedMarginals]


@dataclass(frozen=True)
class Population:
    """Synthetic rows, and how many of the rows to be made come from each: noisy votes, none below zero."""

    codes: Codes
    votes: NDArray[np.float64]


class Proposals:
    """What cells are drawn from: for each column, by label, its noisy share of values."""

    def __init__(
        self,
        tables: Sequence[NDArray[np.float64]],
        shares: NDArray[np.float64],
        label: int | None,
        moves: Sequence[bool],
        zeros: Mapping[Clique, NDArray[np.bool_]] | None = None,
    ) -> None:
        self.tables, self.shares, self.label, self.moves = tables, shares, label, moves
        self.zeros = dict(zeros or {})

    def broken(self, codes: Codes) -> NDArray[np.bool_]:
        """Which rows cannot be."""
        sizes = [len(self.shares) if at == self.label else one.shape[1] for at, one in enumerate(self.tables)]
        return impossible(codes, self.zeros, sizes)

    def fresh(self, rows: int, draws: Draws) -> Codes:
        """Rows of independent cells, given the label; those that cannot be are drawn again, as long as that helps."""
        codes = self._independent(rows, draws)
        for _ in range(_AGAIN if self.zeros else 0):
            wrong = self.broken(codes)
            if not wrong.any():
                break
            codes[wrong] = self._independent(int(wrong.sum()), draws)
        return codes

    def _independent(self, rows: int, draws: Draws) -> Codes:
        labels = draws.choice(len(self.shares), rows, p=self.shares)
        codes = np.zeros((rows, len(self.tables)), np.int64)
        for at in range(len(self.tables)):
            codes[:, at] = labels if at == self.label else self._drawn(at, labels, draws)
        return codes

    def changed(self, codes: Codes, rate: float, draws: Draws) -> Codes:
        """The same rows with each cell but the label drawn anew at this rate; numbers may also move a little."""
        made = codes.copy()
        labels = np.zeros(len(codes), np.int64) if self.label is None else codes[:, self.label]
        for at in range(len(self.tables)):
            if at != self.label:
                anew = draws.random(len(codes)) < rate
                made[anew, at] = self._drawn(at, labels[anew], draws)
                if self.moves[at]:
                    self._moved(made, at, labels, rate, draws)
        if self.zeros:
            wrong = self.broken(made)
            made[wrong] = codes[wrong]
        return made

    def _moved(self, codes: Codes, at: int, labels: Codes, rate: float, draws: Draws) -> None:
        """Let numbers move a little, as often as their noisy shares allow (Metropolis): a peak stays a peak."""
        shares = self.tables[at]
        bins = shares.shape[1] - 1
        old = codes[:, at]
        new = old + np.rint(draws.uniform(-rate, rate, len(old)) * bins).astype(np.int64)
        inside = (old < bins) & (new >= 0) & (new < bins)
        new = np.where(inside, new, old)
        chance = shares[labels, new] / np.maximum(shares[labels, old], 1e-12)
        codes[:, at] = np.where(draws.random(len(old)) < chance, new, old)

    def _drawn(self, at: int, labels: Codes, draws: Draws) -> Codes:
        steps = np.cumsum(self.tables[at], axis=1)
        spots = draws.random(len(labels))
        found: Codes = np.minimum((steps[labels] < spots[:, None]).sum(axis=1), steps.shape[1] - 1)
        return found


def proposals(
    run: MeasurementRun,
    columns: Sequence[ColumnDomain],
    label: int | None,
    rho: float,
    zeros: Mapping[Clique, NDArray[np.bool_]] | None = None,
) -> Proposals:
    """Buy every column's counts (by label, where there is one) for this much rho."""
    others = [at for at in range(len(columns)) if at != label]
    each = rho / max(1, len(others))
    tables: list[NDArray[np.float64]] = [np.ones((1, 1))] * len(columns)
    totals = []
    for at in others:
        pair = (at,) if label is None else (min(at, label), max(at, label))
        noisy = run.measure(pair, each)
        counts = noisy.counts.reshape([columns[one].size for one in pair])
        if label is None:
            counts = counts[None, :]
        elif pair[0] == at:
            counts = counts.T
        clear = np.where(counts < _CLEAR * noisy.sigma, 0.0, counts)
        whole = np.where(clear.sum(axis=0) > 0, clear.sum(axis=0), 0.0)
        whole = whole if whole.sum() > 0 else np.ones(counts.shape[1])
        clear[clear.sum(axis=1) <= 0] = whole
        tables[at] = clear / clear.sum(axis=1, keepdims=True)
        totals.append(np.maximum(counts.sum(axis=1), 0))
    labels = np.mean(totals, axis=0)
    if label is not None and len(labels) > 1 and labels[-1] < 0.01 * labels.sum():
        labels[-1] = 0  # of the label, missing values are modelled only where they are many
    labels = labels if labels.sum() > 0 else np.ones(len(labels))
    moves = [column.kind != "category" for column in columns]
    return Proposals(tables, labels / labels.sum(), label, moves, zeros)


def evolved(
    run: MeasurementRun,
    columns: Sequence[ColumnDomain],
    label: int | None,
    tally: Tally,
    draws: Draws,
    *,
    zeros: Mapping[Clique, NDArray[np.bool_]] | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Population:
    """Spend all that is left of the run on proposals and rounds of voting."""
    budget = run.remaining * (1 - 1e-9)
    source = proposals(run, columns, label, budget * PROPOSING, zeros)
    each = budget * (1 - PROPOSING) / ROUNDS
    total = max(1.0, float(run.measured[-1].counts.sum()))
    sigma = run.sigma((0,), each)
    size = int(np.clip(total / max(sigma, 1.0), FEWEST, MOST))
    # Few columns: a fine picture counts, so votes must stand out. Many: variety counts.
    few = len(columns) <= FEW
    codes = source.fresh(size, draws)
    votes = np.ones(size)
    for turn in range(ROUNDS):
        progress(f"round {turn + 1} of {ROUNDS}: rows vote")
        votes = _voted(run, columns, label, tally, codes, each)
        if turn == ROUNDS - 1:
            break
        rate = 0.5 - 0.49 * ((turn + 1) / ROUNDS) ** 0.2
        codes = _bred(codes, votes, size, source, rate, draws, classic=few or turn < ROUNDS // 2)
    votes = np.where(source.broken(codes), 0.0, votes)
    best = np.argsort(-votes, kind="stable")[:size]
    return Population(codes[best], np.maximum(votes[best] - (THRESHOLD * sigma if few else 0.0), 0))


def _voted(  # noqa: PLR0917
    run: MeasurementRun,
    columns: Sequence[ColumnDomain],
    label: int | None,
    tally: Tally,
    codes: Codes,
    rho: float,
) -> NDArray[np.float64]:
    exact = tally(NearestRows(columns, codes, label), len(codes))
    voting = MeasurementRun(run.run, exact, run.votes, run.choices)
    return voting.measure((0,), rho).counts


def _bred(  # noqa: PLR0917
    codes: Codes,
    votes: NDArray[np.float64],
    size: int,
    source: Proposals,
    rate: float,
    draws: Draws,
    *,
    classic: bool,
) -> Codes:
    """The next candidates, label by label: drawn by votes and changed, or the best kept with changed copies beside."""
    label = source.label
    labels = np.zeros(len(codes), np.int64) if label is None else codes[:, label]
    made = []
    for one in np.unique(labels):
        mine = np.flatnonzero(labels == one)
        many = max(1, round(size * float(source.shares[one if label is not None else 0])))
        weights = np.maximum(votes[mine], 0)
        if classic:
            share = weights / weights.sum() if weights.sum() > 0 else np.full(len(mine), 1 / len(mine))
            made.append(source.changed(codes[draws.choice(mine, many, p=share)], rate, draws))
        else:
            best = mine[np.argsort(-votes[mine], kind="stable")[:many]]
            brood = [source.changed(codes[best], rate, draws) for _ in range(_BROOD)]
            made.append(np.concatenate([codes[best], *brood]))
    return np.concatenate(made)


def rows_of(population: Population, rows: int, draws: Draws) -> Codes:
    """As many rows, each candidate about as often as its noisy votes say."""
    votes = population.votes if population.votes.sum() > 0 else np.ones(len(population.codes))
    wanted = votes * (rows / votes.sum())
    # Systematic sampling: every candidate gets its number, rounded up or down.
    steps = np.floor(np.cumsum(wanted) + draws.random()).astype(np.int64)
    counts = np.diff(np.minimum(steps, rows), prepend=0)
    found = np.repeat(population.codes, np.maximum(counts, 0), axis=0)[:rows]
    short = rows - len(found)
    if short > 0:
        found = np.concatenate([found, population.codes[draws.integers(0, len(population.codes), short)]])
    return draws.permutation(found)
