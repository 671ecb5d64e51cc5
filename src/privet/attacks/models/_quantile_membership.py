"""Membership by quantile regression: how sure would the model be of such a record, had it not seen it?

One regression on records that are known not to be members takes the place of all shadow models (Bertran et al. 2023).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_records import matrix
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.models._adversary_learners import quantile_regressor
from privet.attacks.models._membership_game import Game, game_of, outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEVELS = (0.5, 0.9)
_WHO = Adversary(
    "somebody with records like the training data",
    ("records and their labels", "some records that are not members"),
    "black box: probabilities",
)


@register(name="membership-quantile", on="model", needs=("members", "control"))
def quantile(target: Any, case: Case) -> RiskEstimate:
    """Call a record a member where the model is surer than it usually is of such records."""
    game = game_of(target, case)
    scores = quantile_scores(game, case.seed)
    return outcome("membership-quantile", game, scores, case, _WHO, details={"regressions": 2 * len(_LEVELS)})


def quantile_scores(game: Game, seed: int = 0) -> NDArray[np.float64]:
    """How far above the median an answer lies, in units of the distance to the upper quantile.

    Each half of the pool is scored by a regression on the other half's records that were not used: nobody is scored
    by a regression that knew them, and members and others are treated alike.
    """
    seen = np.column_stack([matrix(game.pool), game.codes])
    odds = game.log_odds
    member = np.arange(len(odds)) < game.members
    half = np.zeros(len(odds), bool)
    for group in (member, ~member):
        rows = np.flatnonzero(group)
        half[repeatable_generator(seed, "quantile halves").permutation(rows)[: len(rows) // 2]] = True
    scores = np.empty(len(odds))
    for fold in (half, ~half):
        learn = fold & ~member
        middle, upper = (
            quantile_regressor(seen[learn], odds[learn], level).predict(seen[~fold]) for level in _LEVELS
        )
        width = np.maximum(upper - middle, 0)
        floor = max(float(np.median(width)), 1e-6) / 4
        scores[~fold] = (odds[~fold] - middle) / np.maximum(width, floor)
    return scores
