"""Membership learned from shadow models: a classifier that has seen how models answer who they know (Shokri et al. 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._membership_signals import highest, right_answers
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks._shadow_models import Shadows
from privet.attacks.models._adversary_learners import classifier
from privet.attacks.models._lira import SHADOWS
from privet.attacks.models._membership_game import Game, game_of, outcome, shadows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROWS = 200_000  # examples to learn from
_WHO = Adversary(
    "somebody who can train such models",
    ("records and their labels", "how the model was trained", "data like the training data"),
    "black box: probabilities",
)


@register(name="membership-shadow", on="model", needs=("members", "control", "recipe"))
def shadow(target: Any, case: Case) -> RiskEstimate:
    """Learn from shadow models how members are answered, and look for such answers."""
    game = game_of(target, case)
    shadows = shadows_of(game, case, case.whole("shadows", SHADOWS))
    return outcome(
        "membership-shadow", game, learned_scores(game, shadows, case.seed), case, _WHO, shadows=shadows
    )


def learned_scores(game: Game, shadows: Shadows, seed: int = 0) -> NDArray[np.float64]:
    """The classifier's log odds that the target knows each record."""
    models, records = shadows.inside.shape
    chosen = repeatable_generator(seed, "learned membership").permutation(models * records)[:_ROWS]
    k, i = chosen // records, chosen % records
    examples = _answers(shadows.log_odds[k, i], shadows.highest[k, i], shadows.right[k, i], game.codes[i])
    learner = classifier(examples, shadows.inside[k, i])
    asked = _answers(
        game.log_odds,
        highest(game.probabilities),
        right_answers(game.probabilities, game.codes),
        game.codes,
    )
    return learner.decision(asked)


def _answers(
    odds: NDArray[Any], top: NDArray[Any], right: NDArray[np.bool_], codes: NDArray[np.int64]
) -> NDArray[np.float64]:
    return np.column_stack([odds, top, right, codes]).astype(float)
