"""Was this text trained on? Membership inference on language models, held against the promise for one unit.

Texts of which others are near duplicates are left out: for them the promise says less, and a control text that is nearly a
trained one is no control.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._membership_scores import headline, told_apart
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks._shadow_models import Shadows, complementary
from privet.attacks.memorization._blind_baseline import differing
from privet.attacks.memorization._causal_model import CausalModel, causal_model
from privet.attacks.memorization._group_promise import group_promise
from privet.attacks.memorization._near_duplicates import cluster_sizes
from privet.attacks.memorization._shadow_texts import shadow_trainer
from privet.attacks.memorization._text_records import texts_of
from privet.attacks.memorization._text_signals import (
    LEAST_LIKELY,
    beyond_reference,
    for_each_bit,
    least_likely,
    mean_log_probability,
)
from privet.attacks.models import online_scores
from privet.errors import BadAttack, NoPower

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 2_000  # texts of each side
SHADOWS = 8
_FEWEST = 10
_ACCESS = "black box: token probabilities"
_KNOWS = ("texts",)
_READER = Adversary("somebody who holds texts", _KNOWS, _ACCESS)
_TRAINER = Adversary(
    "somebody who can train such models",
    (*_KNOWS, "how the model was trained", "texts like those trained on"),
    _ACCESS,
)


@dataclass(frozen=True)
class TextGame:
    """A pool of texts, members first, as the target sees them."""

    model: CausalModel
    texts: list[str]
    tokens: list[list[int]]
    members: int
    units: int  # the most that one text may lie in
    unfair: str
    notes: tuple[str, ...]
    started: float

    def scored_by(self, model: CausalModel) -> list[NDArray[np.float64]]:
        """The log-probabilities of every text's tokens in a model, which may have a tokenizer of its own."""
        same = model.tokenizer is self.model.tokenizer
        return model.log_probabilities(
            self.tokens if same else [model.tokens(one)[: model.window] for one in self.texts]
        )


def text_game(target: Any, case: Case) -> TextGame:
    """Set up the game with texts that stand alone."""
    started = time.process_time()
    model = causal_model(target)
    column = case.setting("text", None)
    sides = [texts_of(one, column) for one in (case.members, case.control)]
    sizes = cluster_sizes([one for side in sides for one in side])
    alone = [sizes[: len(sides[0])] == 1, sizes[len(sides[0]) :] == 1]
    notes: tuple[str, ...] = ()
    if dropped := sum(int((~one).sum()) for one in alone):
        notes = (f"{dropped:,} texts that others nearly repeat were left out: the promise is for one unit.",)
    chosen: list[list[tuple[str, list[int]]]] = []
    for name, side, single in zip(("members", "control"), sides, alone, strict=True):
        kept = [one for one, yes in zip(side, single, strict=True) if yes]
        order = repeatable_generator(case.seed, f"texts of the {name}").permutation(len(kept))[
            : case.whole("windows", MOST)
        ]
        whole = [(kept[at], model.tokens(kept[at])[: model.window]) for at in sorted(order.tolist())]
        texts = [pair for pair in whole if len(pair[1]) > 1]
        if len(texts) < _FEWEST:
            raise NoPower(
                "there are too few texts that stand alone to tell an attack from luck.",
                f"Give at least {_FEWEST} members and as many others; some hundreds are better.",
            )
        chosen.append(texts)
    pool = [text for side in chosen for text, _ in side]
    tokens = [row for side in chosen for _, row in side]
    longest = max(len(row) for row in tokens[: len(chosen[0])])
    units = 1 if model.sequence is None else math.ceil(longest / model.sequence)
    if units > 1:
        notes = (*notes, f"A text may lie in {units} sequences: the bound is that of so many units.")
    unfair = differing(pool[: len(chosen[0])], pool[len(chosen[0]) :])
    return TextGame(model, pool, tokens, len(chosen[0]), units, unfair, notes, started)


def _outcome(
    name: str,
    game: TextGame,
    scores: NDArray[np.float64],
    case: Case,
    *,
    adversary: Adversary = _READER,
    models: int = 0,
) -> RiskEstimate:
    members, others = scores[: game.members], scores[game.members :]
    promise = group_promise(case.promise, game.units)
    return RiskEstimate(
        attack=name,
        adversary=adversary,
        cost=AttackCost(time.process_time() - game.started, len(scores), models, len(scores)),
        promise=case.promise,
        unfair=game.unfair,
        artifact=game.model.name,
        notes=game.notes,
        details=told_apart(members, others, promise, case.confidence),
        **headline(members, others, promise, case.confidence),
    )


@register(name="text-membership-loss", on="language", needs=("members", "control"))
def text_loss(target: Any, case: Case) -> RiskEstimate:
    """Call texts trained on where the model's loss is low (Yeom et al. 2018)."""
    game = text_game(target, case)
    return _outcome("text-membership-loss", game, mean_log_probability(game.scored_by(game.model)), case)


@register(name="text-membership-min-k", on="language", needs=("members", "control"))
def text_min_k(target: Any, case: Case) -> RiskEstimate:
    """Call texts trained on where even their least likely tokens are likely (Shi et al. 2024)."""
    game = text_game(target, case)
    share = case.number("share", LEAST_LIKELY)
    if not 0 < share <= 1:
        raise BadAttack("share is above 0 and at most 1.", f"Set share={LEAST_LIKELY}.")
    return _outcome("text-membership-min-k", game, least_likely(game.scored_by(game.model), share), case)


@register(name="text-membership-zlib", on="language", needs=("members", "control"))
def text_zlib(target: Any, case: Case) -> RiskEstimate:
    """Call texts trained on where the model finds them likelier than a compressor does (Carlini et al. 2021)."""
    game = text_game(target, case)
    return _outcome("text-membership-zlib", game, for_each_bit(game.scored_by(game.model), game.texts), case)


@register(name="text-membership-reference", on="language", needs=("members", "control", "reference"))
def text_reference(target: Any, case: Case) -> RiskEstimate:
    """Call texts trained on where they are likelier than to a model that was not (Carlini et al. 2021)."""
    game = text_game(target, case)
    reference = causal_model(case.setting("reference", None))
    scores = beyond_reference(game.scored_by(game.model), game.scored_by(reference))
    return _outcome("text-membership-reference", game, scores, case, models=1)


@register(name="text-membership-lira", on="language", needs=("members", "control", "recipe"))
def text_lira(target: Any, case: Case) -> RiskEstimate:
    """Compare a text's loss with that in small models that were trained on it and that were not (Carlini et al. 2022)."""
    game = text_game(target, case)
    train = shadow_trainer(case.setting("recipe", None), game.model)
    inside = complementary(case.whole("shadows", SHADOWS), len(game.texts), case.seed)
    rows = []
    for at, chosen in enumerate(inside):
        if case.progress:
            case.progress("training shadow models", at, len(inside))
        shadow = causal_model(
            train([game.texts[one] for one in np.flatnonzero(chosen).tolist()], case.seed + at)
        )
        rows.append(mean_log_probability(game.scored_by(shadow)))
    scores = np.stack(rows).astype(np.float32)
    shadows = Shadows(inside, scores, np.zeros_like(inside), np.zeros((*inside.shape, 1), np.float32))
    observed = mean_log_probability(game.scored_by(game.model))
    ratios = online_scores(observed, shadows, case.setting("variance", "shrunk"))
    return _outcome("text-membership-lira", game, ratios, case, adversary=_TRAINER, models=len(inside))
