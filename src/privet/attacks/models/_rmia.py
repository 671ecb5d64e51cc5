"""RMIA: is the record's probability raised more than other records' are (Zarifzadeh, Liu and Shokri 2024)?

Works with very few reference models. How much a model that saw a record would raise its probability (`a`) is not known
beforehand; it is chosen by attacking a reference model, whose members the adversary knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import curve
from privet.attacks._shadow_models import Shadows
from privet.attacks.models._membership_game import game_of, outcome, shadows_of
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

REFERENCES = 4
_CHOICES = tuple(round(0.1 * step, 1) for step in range(11))
_WHO = Adversary(
    "somebody with a few models of the same kind",
    ("records and their labels", "how the model was trained", "data like the training data"),
    "black box: probabilities",
)


def relative_scores(
    observed: NDArray[np.float64], outside: NDArray[np.float64], rise: float, gamma: float = 1.0
) -> NDArray[np.float64]:
    """The share of other records that this one beats, by the ratio of its probability to what was to be expected.

    `outside` is the mean probability by models that did not see the record; ((1 + a) outside + 1 - a) / 2 stands for
    the mean over models that did and did not (section 3.3 of the paper).
    """
    ratio = observed / np.maximum(((1 + rise) * outside + (1 - rise)) / 2, 1e-12)
    found: NDArray[np.float64] = np.searchsorted(np.sort(gamma * ratio), ratio, side="right") / len(ratio)
    return found


def outside_mean(shadows: Shadows, skip: int | None = None) -> NDArray[np.float64]:
    """Each record's mean probability over the models that did not see it, leaving one model aside."""
    counted = ~shadows.inside
    if skip is not None:
        counted = counted.copy()
        counted[skip] = False
    return np.asarray((_chance(shadows.log_odds) * counted).sum(axis=0) / np.maximum(counted.sum(axis=0), 1))


def tuned_rise(shadows: Shadows) -> float:
    """The `a` with which the other reference models best tell the members of each reference model."""
    found = []
    for rise in _CHOICES:
        areas = []
        for k in range(len(shadows)):
            scores = relative_scores(_chance(shadows.log_odds[k]), outside_mean(shadows, k), rise)
            found_curve = curve(scores[shadows.inside[k]], scores[~shadows.inside[k]])
            areas.append(np.trapezoid(found_curve.true_positives, found_curve.false_positives))
        found.append(float(np.mean(areas)))
    return _CHOICES[int(np.argmax(found))]


@register(name="membership-rmia", on="model", needs=("members", "control", "recipe"))
def relative(target: Any, case: Case) -> RiskEstimate:
    """Compare how far the record's probability is raised with how far other records' are."""
    models = case.whole("references", REFERENCES)
    if models < REFERENCES:
        raise BadAttack("it takes four reference models to choose how to read them.", "Ask for four or more.")
    game = game_of(target, case)
    shadows = shadows_of(game, case, models)
    rise = case.number("rise", tuned_rise(shadows))
    scores = relative_scores(_chance(game.log_odds), outside_mean(shadows), rise, case.number("gamma", 1.0))
    return outcome("membership-rmia", game, scores, case, _WHO, shadows=shadows, details={"rise": rise})


def _chance(odds: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-odds.astype(float))))
