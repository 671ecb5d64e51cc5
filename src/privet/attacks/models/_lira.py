"""LiRA: is this answer likelier from models that saw the record, or from models that did not (Carlini et al. 2022)?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_records import records_of, stacked
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_target import label_of
from privet.attacks._shadow_models import Shadows, complementary, train_shadows
from privet.attacks.models._membership_game import Game, game_of, outcome, recipe_in, shadows_of, work_of
from privet.attacks.models._record_vulnerability import per_record, tail
from privet.attacks.models._shadow_statistics import centre_and_spread
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHADOWS = 16
_KNOWS = ("records and their labels", "how the model was trained", "data like the training data")
_ONLINE = Adversary(
    "somebody who can train such models, with the record too", _KNOWS, "black box: probabilities"
)
_OFFLINE = Adversary("somebody who trained such models beforehand", _KNOWS, "black box: probabilities")


def online_scores(
    observed: NDArray[np.float64], shadows: Shadows, variance: str = "shrunk"
) -> NDArray[np.float64]:
    """The log ratio of two normal densities: with the record in, and out."""
    values = shadows.log_odds.astype(float)
    mean_in, spread_in = centre_and_spread(values, shadows.inside, variance)
    mean_out, spread_out = centre_and_spread(values, ~shadows.inside, variance)
    found: NDArray[np.float64] = (
        ((observed - mean_out) / spread_out) ** 2 - ((observed - mean_in) / spread_in) ** 2
    ) / 2 + np.log(spread_out / spread_in)
    return found


def offline_scores(
    observed: NDArray[np.float64], shadows: Shadows, variance: str = "shrunk"
) -> NDArray[np.float64]:
    """How far above its answers without the record an answer lies, in standard deviations.

    In the order of 1 - P[N(mean_out, spread_out) > observed], without that probability's rounding to one.
    """
    mean, spread = centre_and_spread(shadows.log_odds.astype(float), ~shadows.inside, variance)
    found: NDArray[np.float64] = (observed - mean) / spread
    return found


@register(name="membership-lira", on="model", needs=("members", "control", "recipe"))
def online(target: Any, case: Case) -> RiskEstimate:
    """Compare the answer with those of shadow models that saw the record and that did not."""
    game = game_of(target, case)
    shadows = shadows_of(game, case, case.whole("shadows", SHADOWS))
    scores = online_scores(game.log_odds, shadows, case.setting("variance", "shrunk"))
    details = {"vulnerability": tail(per_record(shadows), scores, game, tuple(case.setting("groups", ())))}
    return outcome("membership-lira", game, scores, case, _ONLINE, shadows=shadows, details=details)


@register(name="membership-lira-offline", on="model", needs=("members", "control", "recipe"))
def offline(target: Any, case: Case) -> RiskEstimate:
    """Compare the answer with those of shadow models that never saw the record."""
    game = game_of(target, case)
    shadows = _without(game, case)
    scores = offline_scores(game.log_odds, shadows, case.setting("variance", "shrunk"))
    return outcome("membership-lira-offline", game, scores, case, _OFFLINE, shadows=shadows)


def _without(game: Game, case: Case) -> Shadows:
    """Shadows of auxiliary records with labels, where there are such; else of the pool, each read only where out."""
    models = case.whole("shadows", SHADOWS)
    if case.auxiliary is None:
        return shadows_of(game, case, models)
    auxiliary = records_of(case.auxiliary, label_of(game.thing, case.setting("label", None)))
    if auxiliary.labels is None:
        raise BadAttack("the auxiliary records have no labels.", "Shadow models are trained with labels.")
    everything = stacked(game.pool, auxiliary)
    inside = np.zeros((models, len(everything)), bool)
    inside[:, len(game.pool) :] = complementary(models, len(auxiliary), case.seed)
    found = train_shadows(recipe_in(game, case), everything, inside, case.seed, work_of(case))
    own = slice(None, len(game.pool))
    return Shadows(
        found.inside[:, own],
        found.log_odds[:, own],
        found.right[:, own],
        found.highest[:, own],
        found.elsewhere,
    )
