"""Shadow models: of the target's shape, with fresh weights, trained on what they are given, the same for the same seed."""

import numpy as np
import pytest
import torch
from tests.attacks.memorization.tiny_models import ByteTokenizer, network, notes

from privet.attacks.memorization._causal_model import CausalModel
from privet.attacks.memorization._shadow_texts import ShadowTexts, shadow_trainer
from privet.attacks.memorization._text_signals import mean_log_probability
from privet.errors import BadAttack

TARGET = CausalModel(network(width=32), ByteTokenizer())
TEXTS = notes(8, 1)


def test_a_shadow_learns_its_texts_and_leaves_the_target_alone() -> None:
    before = [one.clone() for one in TARGET.network.parameters()]
    made = ShadowTexts(epochs=15)(TARGET, TEXTS, seed=1)
    assert all(
        torch.equal(one, other) for one, other in zip(before, TARGET.network.parameters(), strict=True)
    )
    tokens = [TARGET.tokens(one) for one in TEXTS]
    learned, untrained = (
        mean_log_probability(one.log_probabilities(tokens)).mean() for one in (made, TARGET)
    )
    assert learned > untrained + 1
    again = ShadowTexts(epochs=15)(TARGET, TEXTS, seed=1)
    assert np.allclose(again.log_probabilities(tokens)[0], made.log_probabilities(tokens)[0], atol=1e-3)


def test_tied_weights_stay_tied() -> None:
    made = ShadowTexts(epochs=1)(TARGET, TEXTS, seed=1).network
    assert made.lm_head.weight is made.model.embed_tokens.weight


def test_recipes_are_functions() -> None:
    assert shadow_trainer(lambda texts, seed: (len(texts), seed), TARGET)(TEXTS, 3) == (8, 3)
    with pytest.raises(BadAttack):
        shadow_trainer(3, TARGET)
    with pytest.raises(BadAttack):
        ShadowTexts()(TARGET, ["a"], 0)
