"""Ways to look at an output of a mechanism as one number that tells two inputs apart.

The best number is the likelihood ratio (Neyman and Pearson 1933). It is learned here from draws that are used for
nothing else: from cells of single outputs, from pairs, from all outputs together, and from how finely an output is
written (Mironov 2012).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from privet.attacks.dp_audit._floating_point_noise import grain_cells, guessed_laplace

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rows: TypeAlias = "NDArray[np.float64]"
Score: TypeAlias = Callable[[Rows], "NDArray[np.float64]"]
Cells: TypeAlias = Callable[[Rows], "NDArray[np.int64]"]

_LOOKED_AT = 64  # outputs looked at one by one
_PAIRED = 16  # outputs looked at in pairs, if there are no more than these
_COARSE, _FINE, _IN_PAIRS = 40, 200, 6  # cells of equal weight
_COMMON = 20  # draws that make a value a cell of its own
_TREES = 20
_TAUGHT = 5_000  # draws on each input that trees learn from
_GUESSED = 4  # outputs whose noise is guessed


@dataclass(frozen=True)
class OutputView:
    """One way to look: `family` names the idea, of which only the best view is tested."""

    family: str
    name: str
    score: Score


def views(a: Rows, b: Rows, given: Score | None = None) -> Iterator[OutputView]:
    """All ways to look, learned from these draws on the two inputs."""
    if given is not None:
        yield OutputView("the score", "the score", lambda rows: np.asarray(given(rows), float))
    for at in range(min(a.shape[1], _LOOKED_AT)):
        yield OutputView("single outputs", f"output {at}", _output(at))
        yield OutputView("single outputs", f"cells of output {at}", _ratio(_cells(a, b, at, _COARSE), a, b))
        if a.shape[1] <= _PAIRED:
            yield OutputView(
                "single outputs", f"fine cells of output {at}", _ratio(_cells(a, b, at, _FINE), a, b)
            )
    if a.shape[1] > 1:
        yield from _together(a, b)
    yield from _grain(a, b)


def _output(at: int) -> Score:
    return lambda rows: rows[:, at]


def _together(a: Rows, b: Rows) -> Iterator[OutputView]:
    family = "outputs together"
    singles = [_ratio(_cells(a, b, at, _COARSE), a, b) for at in range(a.shape[1])]
    yield OutputView(family, "the sum of all outputs' likelihood ratios", _summed(singles))
    yield OutputView(family, "the number released", lambda rows: (~np.isnan(rows)).sum(1).astype(float))
    if a.shape[1] <= _PAIRED:
        for one, other, score in _best_pairs(a, b):
            yield OutputView(family, f"outputs {one} and {other}", score)
    if (trees := _boosted(a, b)) is not None:
        yield OutputView(family, "boosted trees", trees)


def _grain(a: Rows, b: Rows) -> Iterator[OutputView]:
    """How finely outputs are written; only where they are not whole numbers."""
    both = np.concatenate([a, b])
    known = np.where(np.isfinite(both), both, 0.0)
    fractions = np.flatnonzero((known != np.rint(known)).any(axis=0))[:_LOOKED_AT]
    if len(fractions):
        scores = [_ratio(_grain_of(int(at)), a, b) for at in fractions]
        yield OutputView("lowest bits", "the lowest bits", _summed(scores))
    for at in fractions[:_GUESSED].tolist():
        if (score := guessed_laplace(a[:, at], b[:, at])) is not None:
            yield OutputView("floating-point Laplace", f"noise that output {at} can hold", _on(score, at))


def _on(score: Score, at: int) -> Score:
    return lambda rows: score(rows[:, at])


def _grain_of(at: int) -> Cells:
    return lambda rows: grain_cells(rows[:, at])


def _summed(scores: list[Score]) -> Score:
    def total(rows: Rows) -> NDArray[np.float64]:
        found = np.zeros(len(rows))
        for score in scores:  # one by one: a row's score does not depend on the rows beside it
            found += score(rows)
        return found

    return total


def _cells(a: Rows, b: Rows, at: int, bins: int) -> Cells:
    """Cells of one output: quantiles on either input, values that are common, and nothing released.

    Values that are rare on one input and not on the other lie in narrow cells of their own.
    """
    sides = [column[np.isfinite(column)] for column in (a[:, at], b[:, at])]
    values, times = np.unique(np.concatenate(sides), return_counts=True)
    common = values[times >= _COMMON][:bins]
    steps = np.linspace(0, 1, bins // 2 + 1)[1:-1]
    quantiles = [np.quantile(side, steps, method="nearest") for side in sides if len(side)]
    edges = np.unique(np.concatenate([*quantiles, common, np.nextafter(common, np.inf)]))

    def cells(rows: Rows) -> NDArray[np.int64]:
        column = rows[:, at]
        return np.where(np.isnan(column), len(edges) + 1, np.searchsorted(edges, column, "right"))

    return cells


def _ratio(cells: Cells, a: Rows, b: Rows) -> Score:
    """The log-likelihood ratio of the cell that an output falls into; 0 for a cell that was never seen."""
    here, there = cells(a), cells(b)
    size = int(max(here.max(initial=0), there.max(initial=0))) + 1
    above, below = (np.bincount(side, minlength=size) for side in (here, there))
    table = np.append(np.log((above + 1.0) / (below + 1.0)), 0.0)
    return lambda rows: table[np.minimum(cells(rows), size)]


def _best_pairs(a: Rows, b: Rows, most: int = 2) -> Iterator[tuple[int, int, Score]]:
    """The pairs of outputs whose cells differ most between the inputs."""
    coarse = [_cells(a, b, at, _IN_PAIRS) for at in range(a.shape[1])]
    here, there = ([cells(side) for cells in coarse] for side in (a, b))
    width = 1 + max(int(side.max(initial=0)) for side in (*here, *there))
    found = []
    for one, other in itertools.combinations(range(a.shape[1]), 2):
        x, y = (
            np.bincount(side[one] * width + side[other], minlength=width**2).astype(float)
            for side in (here, there)
        )
        found.append((float(((x - y) ** 2 / np.maximum(x + y, 1)).sum()), one, other))
    for _, one, other in sorted(found, reverse=True)[:most]:
        yield one, other, _ratio(_paired(coarse[one], coarse[other], width), a, b)


def _paired(one: Cells, other: Cells, width: int) -> Cells:
    return lambda rows: one(rows) * width + other(rows)


def _boosted(a: Rows, b: Rows) -> Score | None:
    """The log odds of boosted trees; None without scikit-learn."""
    try:
        from privet.attacks.models import classifier

        seen = np.concatenate([a[:_TAUGHT], b[:_TAUGHT]])
        learner = classifier(seen, np.arange(len(seen)) < min(len(a), _TAUGHT), rounds=_TREES)
    except ModuleNotFoundError:
        return None
    return learner.decision
