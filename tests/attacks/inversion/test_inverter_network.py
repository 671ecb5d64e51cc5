"""Networks that learn to read: texts in, tokens out, each place by itself or with those around it."""

import numpy as np
import torch
from tests.attacks.inversion.toy_shields import VOCABULARY, ToyShield, corpus

from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.inversion._inverter_network import (
    caught_pairs,
    fresh_pairs,
    inverter_network,
    share_read,
    split_known,
    trained_inverter,
)

SHIELD = ToyShield(turned=True)
TOKENS = [SHIELD.tokens(one) for one in corpus(200, 2)]


def test_a_turn_that_the_nearest_token_cannot_read_is_learned() -> None:
    learned, held = split_known(TOKENS, 0)
    assert len(learned) + len(held) == 200
    sources = [
        (fresh_pairs(SHIELD.sent_tokens, learned), 60),
        (caught_pairs(SHIELD.sent_tokens, learned), 20),
    ]
    state = torch.random.get_rng_state()
    made = trained_inverter(
        sources, (held, SHIELD.sent_tokens(held)), SHIELD.table, reads_around=False, seed=0
    )
    assert torch.equal(state, torch.random.get_rng_state())
    new = [SHIELD.tokens(one) for one in corpus(50, 7)]
    assert share_read(made.guesses(SHIELD.sent_tokens(new)), new) > 0.8


def test_caught_pairs_stay_and_fresh_ones_do_not() -> None:
    noisy = ToyShield(deviation=1.0)
    for pairs, same in ((caught_pairs, True), (fresh_pairs, False)):
        source = pairs(noisy.sent_tokens, TOKENS[:1])
        first, second = (source(repeatable_generator(at), 1)[1][0] for at in (1, 2))
        assert np.array_equal(first, second) is same


def test_shapes_and_what_a_place_sees() -> None:
    given, mask = torch.randn(2, 5, 12), torch.ones(2, 5, dtype=torch.bool)
    other = given.clone()
    other[:, 4] = other[:, 4].flip(1) * 2
    for reads_around in (False, True):
        network = inverter_network(SHIELD.table, reads_around=reads_around)
        first, second = network(given, mask), network(other, mask)
        assert first.shape == (2, 5, VOCABULARY)
        assert torch.allclose(first[:, 0], second[:, 0], atol=1e-6) is not reads_around
    classes = inverter_network(SHIELD.table, reads_around=True, classes=3)
    assert classes(given, mask).shape == (2, 3)
