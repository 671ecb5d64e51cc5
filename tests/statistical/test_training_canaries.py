"""One run of `train_model` with canaries, audited from its weights alone: below the promise with its noise, above it without.

At a confidence of one in a million, a run that keeps its promise is accused once in a million times. More kinds of runs, and more
canaries, are in `bench/training_canaries.py`.
"""

import pytest
from bench.training_canaries import audited, without_noise

import privet as pv

PROMISE = pv.ApproxDP("0.5", "1e-12")
CERTAIN = 1 - 1e-6


def shown(name):
    return audited(name, 200, PROMISE, steps=8, confidence=CERTAIN)["canaries-one-run"]


@pytest.mark.parametrize("name", ["flat", "adaptive", "people"])
def test_canaries_stay_hidden_and_without_noise_they_are_found(name) -> None:
    found = shown(name)
    assert found.success.low <= found.bound
    assert found.verdict.value != "contradicts the promise"
    with without_noise():
        lost = shown(name)
    assert lost.success.low > lost.bound
    assert lost.verdict.value == "contradicts the promise"
