"""The membership game: who is in the data, the adversary or chance? One way to set it up and one to score it.

The adversary is shown members and others in one pool and gives each a score; only the scoring knows which is which.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact.risk import Adversary, Cost, Estimate, RiskEstimate
from privet.attack.recipe import recipe_of
from privet.attack.records import Records, records_of, stacked
from privet.attack.registry import Case
from privet.attack.scoring import area, curve, true_positives_at
from privet.attack.shadows import Shadows, Work, complementary, train_shadows
from privet.attack.signals import log_odds
from privet.attack.target import Target, label_of, target_of
from privet.errors import NoPower
from privet.guarantee.adversary import most_auc, most_true_positives

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOW_RATES = {"0.1 %": 0.001, "1 %": 0.01}
_FEWEST = 10
_GUESSED = "No labels were given: the model's own answers stand in for them."


@dataclass(frozen=True)
class Game:
    """A pool of records, members first, and what the target says about them."""

    thing: Any  # as it was given: its recipe may be read off it
    target: Target
    pool: Records
    members: int
    probabilities: NDArray[np.float64]
    codes: NDArray[np.int64]  # the column of each record's label
    notes: tuple[str, ...]
    started: float

    @property
    def log_odds(self) -> NDArray[np.float64]:
        """How sure the target is of each record's label."""
        return log_odds(self.probabilities, self.codes)


def game_of(thing: Any, case: Case) -> Game:
    """Set up the game; where labels are missing, the target's answers stand in for them."""
    started = time.process_time()
    target = target_of(thing)
    label = label_of(thing, case.setting("label", None))
    members, control = records_of(case.members, label), records_of(case.control, label)
    if min(len(members), len(control)) < _FEWEST:
        raise NoPower(
            "there are too few members or other records to tell an attack from luck.",
            f"Give at least {_FEWEST} of each; some hundreds are better.",
        )
    pool = stacked(members, control)
    probabilities = target.probabilities(pool)
    notes: tuple[str, ...] = ()
    if pool.labels is None:
        codes = probabilities.argmax(axis=1)
        pool = replace(pool, labels=codes if target.classes is None else target.classes[codes])
        notes = (_GUESSED,)
    else:
        codes = target.codes(pool.labels)
    return Game(thing, target, pool, len(members), probabilities, codes, notes, started)


def shadows_of(game: Game, case: Case, models: int) -> Shadows:
    """Shadow models for the game, by the recipe that was given or the target's own."""
    recipe = recipe_of(case.setting("recipe", None), game.thing)
    inside = complementary(models, len(game.pool), case.seed)
    return train_shadows(recipe, game.pool, inside, case.seed, work_of(case))


def work_of(case: Case) -> Work:
    """How the case says shadows are trained."""
    return Work(
        case.workers,
        case.setting("backend", "loky"),
        case.setting("address", None),
        case.cache,
        case.progress,
    )


def outcome(
    name: str,
    game: Game,
    scores: NDArray[np.float64],
    case: Case,
    adversary: Adversary,
    *,
    shadows: Shadows | None = None,
    details: dict[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> RiskEstimate:
    """The estimate for scores of the whole pool, where larger means "member"."""
    members, others = scores[: game.members], scores[game.members :]
    promise = case.promise
    bound = None if promise is None else most_auc(promise)
    rates = {said: _at(members, others, rate, case) for said, rate in LOW_RATES.items()}
    broken = tuple(
        f"True positives at {said} false positives are more than the promise allows."
        for said, found in rates.items()
        if found["broken"]
    )
    return RiskEstimate(
        attack=name,
        measure="AUC",
        success=area(members, others, case.confidence),
        baseline=0.5,
        adversary=adversary,
        cost=Cost(
            time.process_time() - game.started + (shadows.elsewhere if shadows else 0.0),
            records=len(scores),
            models=len(shadows) if shadows else 0,
            queries=len(scores),
        ),
        control=_null(others, case),
        bound=bound,
        bound_reason=""
        if bound is None
        else "membership is a test between neighbours (Kairouz, Oh and Viswanath 2015)",
        promise=promise,
        detectable=area(np.ones(len(members)), np.zeros(len(others)), case.confidence).low,
        artifact=game.target.name,
        notes=(*game.notes, *notes, *broken),
        details={
            "true positives": {said: _plain(found) for said, found in rates.items()},
            "curve": curve(members, others).thinned(),
            "members": len(members),
            "control": len(others),
            **(details or {}),
        },
    )


def _null(others: NDArray[np.float64], case: Case) -> Estimate:
    """The same attack between two halves of the records that were not used: chance, if the scoring is fair."""
    return area(others[::2], others[1::2], case.confidence)


def _at(
    members: NDArray[np.float64], others: NDArray[np.float64], false_positives: float, case: Case
) -> dict[str, Any]:
    """The true-positive rate beside what the promise allows; two looks share one chance of a false alarm."""
    found = true_positives_at(members, others, false_positives, case.confidence)
    bound = None if case.promise is None else most_true_positives(case.promise, false_positives)
    surer = 1 - (1 - case.confidence) / len(LOW_RATES)
    broken = bound is not None and true_positives_at(members, others, false_positives, surer).low > bound
    return {"estimate": found, "bound": bound, "broken": broken}


def _plain(found: dict[str, Any]) -> dict[str, float | None]:
    estimate: Estimate = found["estimate"]
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "bound": found["bound"]}
