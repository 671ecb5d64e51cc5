"""What an anonymized table is still good for: marginals, correlations, and models trained on it.

Tables are given column by column, row for row: the original, and what was published of it. Suppressed rows are
marked and not compared. These figures are measured on private rows, so they are for the owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import UtilityUnmeasurable
from privet.protect.anonymize._utility_models import UtilityLearner, best_learner

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def marginal_distance(original: Sequence[Any], published: Sequence[Any], suppressed: Mask) -> float:
    """How far a column's published distribution is from the original one: half the sum of differences of shares.

    Values that were generalized count as moved: a column that was not touched has distance 0 but for suppression,
    one that was generalized throughout has distance 1.
    """
    if len(original) != len(published) or len(original) != len(suppressed):
        raise UtilityUnmeasurable("the two columns do not have the same rows.")
    kept = ~suppressed
    if not kept.any():
        return 1.0
    both = np.array([*map(str, original), *map(str, np.asarray(published, object)[kept])])
    values, codes = np.unique(both, return_inverse=True)
    before = np.bincount(codes[: len(original)], minlength=len(values)) / len(original)
    after = np.bincount(codes[len(original) :], minlength=len(values)) / int(kept.sum())
    return float(np.abs(before - after).sum() / 2)


def correlation_distance(original: Floats, published: Floats, suppressed: Mask) -> float:
    """The mean absolute difference of Pearson correlations over all pairs of numeric columns.

    Give midpoints for published intervals. A column without spread has correlation 0 with every other.
    """
    if original.shape != published.shape or original.ndim != 2 or original.shape[1] < 2:
        raise UtilityUnmeasurable(
            "correlations need two tables of the same rows and at least two numeric columns."
        )
    kept = ~suppressed
    if kept.sum() < 2:
        raise UtilityUnmeasurable("fewer than two rows are published.", "Allow fewer suppressed rows.")
    upper = np.triu_indices(original.shape[1], 1)
    return float(np.abs(_correlations(original) - _correlations(published[kept]))[upper].mean())


def _correlations(table: Floats) -> Floats:
    centred = table - table.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    scaled = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    return np.asarray(scaled.T @ scaled)


@dataclass(frozen=True)
class ModelUtility:
    """Accuracy on held-out original rows.

    After training on the original, after training on what was published, and by always saying the most frequent value;
    `learner` says what was trained.
    """

    original: float
    published: float
    guess: float
    learner: str

    @property
    def kept(self) -> float:
        """The share of what can be learned that is left; 1 where there was nothing to learn."""
        room = self.original - self.guess
        return 1.0 if room <= 0 else (self.published - self.guess) / room


def model_utility(
    original: Ints,
    published: Sequence[NDArray[np.bool_]],
    target: Ints,
    suppressed: Mask,
    held_out: Mask,
    *,
    learner: UtilityLearner | None = None,
) -> ModelUtility:
    """Accuracy on held-out original rows of a model trained on the original, and of one trained on what was published.

    Args:
        original: codes of the quasi-identifiers, one row each.
        published: for each column, which codes each row's published cell stands for (rows by codes).
        target: codes of the column to be told.
        suppressed: rows that were not published.
        held_out: rows kept for the test; none of them is trained on.
        learner: how a model is trained; the best that is installed when None.
    """
    learner = learner or best_learner()
    rows = len(target)
    if (
        len(original) != rows
        or any(len(cells) != rows for cells in published)
        or original.shape[1] != len(published)
    ):
        raise UtilityUnmeasurable("the tables do not have the same rows and columns.")
    train, learn = ~held_out, ~held_out & ~suppressed
    if len(np.unique(target[train])) < 2 or len(np.unique(target[learn])) < 2 or not held_out.any():
        raise UtilityUnmeasurable(
            "the target has fewer than two values, or there is nothing to test on.",
            "Choose another target or another share of held-out rows.",
        )
    whole = [original[:, [j]] == np.arange(cells.shape[1]) for j, cells in enumerate(published)]
    questions = learner.exact(original, published)[held_out]
    usual = int(np.bincount(target[train]).argmax())
    scores = []
    for table, chosen in ((whole, train), (published, learn)):
        features, row = learner.published([cells[chosen] for cells in table])
        answer = learner.learn(features, target[chosen][row])
        scores.append(float((answer(questions) == target[held_out]).mean()))
    guess = float((target[held_out] == usual).mean())
    return ModelUtility(scores[0], scores[1], guess, learner.name)


def cells_of_solution(solution: Any, ladders: Sequence[Any]) -> list[NDArray[np.bool_]]:
    """For each column, which of the table's codes each tuple's published cell stands for."""
    if solution.sets is not None:
        return [sets[solution.labels] for sets in solution.sets]
    found = []
    for j, ladder in enumerate(ladders):
        codes, levels = solution.codes[:, j], solution.nodes[:, j]
        here = ladder.nodes[codes, levels]
        found.append(np.asarray(here[:, None] == ladder.nodes[:, levels].T))
    return found
