"""The membership game: who is in the data, the adversary or chance? One way to set it up and one to score it.

The adversary is shown members and others in one pool and gives each a score; only the scoring knows which is which.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_records import AttackRecords, records_of, stacked
from privet.attacks._attack_registry import Case
from privet.attacks._attack_target import AttackTarget, label_of, target_of
from privet.attacks._membership_scores import headline, told_apart
from privet.attacks._membership_signals import log_odds
from privet.attacks._shadow_models import Shadows, ShadowWork, complementary, train_shadows
from privet.attacks._training_recipe import Recipe, recipe_of
from privet.errors import NoPower

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FEWEST = 10
_GUESSED = "No labels were given: the model's own answers stand in for them."


@dataclass(frozen=True)
class Game:
    """A pool of records, members first, and what the target says about them."""

    thing: Any  # as it was given: its recipe may be read off it
    target: AttackTarget
    pool: AttackRecords
    members: int
    probabilities: NDArray[np.float64]
    codes: NDArray[np.int64]  # the column of each record's label
    notes: tuple[str, ...]
    started: float

    @property
    def guessed(self) -> bool:
        """Whether the model's own answers stand in for labels."""
        return _GUESSED in self.notes

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
    # A function does not say what its classes are: a label beyond its columns is none that it knows.
    known = (codes >= 0) & (codes < probabilities.shape[1])
    if not known.all():
        pool, probabilities, codes = pool.take(known), probabilities[known], codes[known]
        notes = (
            *notes,
            f"{int((~known).sum()):,} records without a label that the model knows were left out.",
        )
    used = int(known[: len(members)].sum())
    if min(used, len(codes) - used) < _FEWEST:
        raise NoPower(
            "there are too few members or other records with a label that the model knows.",
            "Are these the labels it was trained with?",
        )
    return Game(thing, target, pool, used, probabilities, codes, notes, started)


def recipe_in(game: Game, case: Case) -> Recipe:
    """The recipe that was given, or the target's own."""
    return recipe_of(case.setting("recipe", None), game.thing)


def shadows_of(game: Game, case: Case, models: int) -> Shadows:
    """Shadow models for the game, by the recipe that was given or the target's own."""
    recipe = recipe_in(game, case)
    inside = complementary(models, len(game.pool), case.seed)
    return train_shadows(recipe, game.pool, inside, case.seed, work_of(case))


def work_of(case: Case) -> ShadowWork:
    """How the case says shadows are trained."""
    return ShadowWork(
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
    return RiskEstimate(
        attack=name,
        adversary=adversary,
        cost=AttackCost(
            time.process_time() - game.started + (shadows.elsewhere if shadows else 0.0),
            records=len(scores),
            models=len(shadows) if shadows else 0,
            queries=len(scores),
        ),
        promise=case.promise,
        artifact=game.target.name,
        notes=(*game.notes, *notes, *_said(game, case, shadows)),
        details={**told_apart(members, others, case.promise, case.confidence), **(details or {})},
        **headline(members, others, case.promise, case.confidence),
    )


def _said(game: Game, case: Case, shadows: Shadows | None) -> tuple[str, ...]:
    """What is to be known of how the shadows were trained."""
    note = "" if shadows is None else recipe_in(game, case).note
    return (note,) if note else ()
