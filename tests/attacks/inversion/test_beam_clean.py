"""BeamClean: it finds the noise that was added, and reads more than the nearest token does."""

import numpy as np
import pytest
from tests.attacks.inversion.toy_shields import ToyShield, corpus

from privet.attacks._attack_registry import Case
from privet.attacks.inversion._beam_clean import beam_clean, learned_noise, pair_prior
from privet.attacks.inversion._nearest_embedding import nearest_l2
from privet.attacks.inversion._shielded_texts import shielded_texts

CASE = Case(auxiliary=corpus(300, 2), settings={"corpus": corpus(80, 1)})


def test_it_reads_more_than_the_nearest_token_and_knows_the_noise() -> None:
    made = ToyShield(deviation=1.0)
    found, near = beam_clean(made, CASE), nearest_l2(ToyShield(deviation=1.0), CASE)
    assert found.success.value > near.success.value + 0.05
    assert found.details["variance"] == pytest.approx(1 / float(np.mean(made.table**2)), rel=0.05)
    assert found.details["worked"]


def test_the_noise_of_each_entry_and_an_offset_are_found() -> None:
    made = ToyShield()
    texts = shielded_texts(made, CASE)
    draw = np.random.default_rng(3)
    spread = np.linspace(0.2, 0.8, 12)
    sent = [one + 0.5 + spread * draw.normal(size=one.shape) for one in made.plain_tokens(texts.known * 3)]
    found = learned_noise(sent, made.table, pair_prior(texts).single)
    assert np.allclose(np.sqrt(found.variance), spread, rtol=0.1)
    assert np.allclose(found.offset, 0.5, atol=0.1)


def test_a_prior_is_made_of_pairs_that_were_seen() -> None:
    prior = pair_prior(shielded_texts(ToyShield(), CASE))
    for given in (None, 0, 5):
        assert float(prior.given(given).sum()) == pytest.approx(1)
    after = 1 + 7 * 5 % 59
    assert prior.given(5)[after] > 5 * prior.single[after]
