"""Gradient noise has the deviation it says, and batches the odds; false-alarm rate 1e-9 for each assertion."""

import math

import numpy as np
import pytest
from tests.statistical.binomial import fits

from privet.guarantee._events import Gaussian, PoissonSampled, Repeated, SealedPlan
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import ApproxDP
from privet.ledger import Ledger
from privet.mechanism import NoiseStream, SecretSeed

RUN = "0" * 64


def stream_of(tmp_path, event):
    with Ledger(tmp_path / "a.ledger", limit=ApproxDP(10**6, "1e-3"), unit=Row()) as ledger:
        seed = SecretSeed.fresh()
        plan = SealedPlan(event, "1e-6")
        return NoiseStream(ledger.charge(plan, why="a test", question=seed.question(RUN)), seed, RUN)


@pytest.mark.parametrize(("sigma", "clip"), [("0.7", 1.0), (3, 0.01), ("1.3", 1e6)])
def test_the_right_deviation_and_no_other(tmp_path, sigma, clip):
    step = stream_of(tmp_path, Repeated(PoissonSampled("0.01", Gaussian(sigma)), 10)).step()
    noise = step.noised([np.full(60_000, 2 * clip), np.full((40, 1000), 2 * clip)], clip)
    noise = np.concatenate([part.ravel() for part in noise]) - 2 * clip

    def counts(scale):
        for k in (0, 0.25, 0.5, 1, 1.5, 2, 3, 4):
            beyond = math.erfc(k / math.sqrt(2)) / 2
            yield int((noise > k * scale).sum()), len(noise), beyond
            yield int((noise < -k * scale).sum()), len(noise), beyond

    right = float(sigma) * clip
    assert fits(counts(right))
    assert not fits(counts(0.9 * right))
    assert not fits(counts(1.1 * right))


@pytest.mark.parametrize("q", [0.003, 0.25, 0.9])
def test_every_record_is_in_a_batch_with_its_odds(tmp_path, q):
    stream = stream_of(tmp_path, Repeated(PoissonSampled(q, Gaussian(5)), 200))
    masks = np.array([stream.step().mask(500) for _ in range(200)])
    assert fits([(int(masks.sum()), masks.size, q)])
    assert fits((int(step.sum()), 500, q) for step in masks)
    assert fits((int(record.sum()), 200, q) for record in masks.T)
    pairs = masks[:, ::2] & masks[:, 1::2]
    assert fits([(int(pairs.sum()), pairs.size, q * q)])
    assert not fits([(int(masks.sum()), masks.size, q / 3)])  # missed, at the smallest q, in one run of 10^16
