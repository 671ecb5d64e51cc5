"""Membership from a single answer: members are answered with less loss, more confidence, less entropy.

Cheap and without other models; says who is well fitted, not who is better fitted than expected, so it finds few people
at low false-positive rates (Yeom et al. 2018; Song and Mittal 2021).
"""

from __future__ import annotations

from typing import Any

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._membership_signals import certainty, informed_certainty
from privet.attacks.models._membership_game import game_of, outcome

_LABELLED = Adversary("somebody who may ask the model", ("a record", "its label"), "black box: probabilities")
_BLIND = Adversary("somebody who may ask the model", ("a record",), "black box: probabilities")


@register(name="membership-loss", on="model", needs=("members", "control"))
def loss_threshold(target: Any, case: Case) -> RiskEstimate:
    """Call a record a member where its loss is small."""
    game = game_of(target, case)
    return outcome("membership-loss", game, game.log_odds, case, _BLIND if game.guessed else _LABELLED)


@register(name="membership-confidence", on="model", needs=("members", "control"))
def confidence_threshold(target: Any, case: Case) -> RiskEstimate:
    """Call a record a member where the model is sure of any class; needs no label."""
    game = game_of(target, case)
    return outcome("membership-confidence", game, game.probabilities.max(axis=1), case, _BLIND)


@register(name="membership-entropy", on="model", needs=("members", "control"))
def entropy_threshold(target: Any, case: Case) -> RiskEstimate:
    """Call a record a member where the answer's entropy is small; with labels, the modified entropy."""
    game = game_of(target, case)
    if game.guessed:
        return outcome("membership-entropy", game, certainty(game.probabilities), case, _BLIND)
    scores = informed_certainty(game.probabilities, game.codes)
    return outcome("membership-entropy", game, scores, case, _LABELLED)
