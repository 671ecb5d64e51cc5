"""A run written down step by step; what was not written down is not made up."""

from dataclasses import replace

import numpy as np
import pytest
from tests.attacks.dp_audit.toy import CLAIM

from privet.attacks.dp_audit import Observed, Recorder, TrainingClaim
from privet.errors import BadAttack


def test_a_recorder_writes_a_run_down() -> None:
    recorder = Recorder(CLAIM, records=5)
    for step in range(3):
        exact = [np.zeros((2, 2)), np.zeros(1)]
        recorder.step([part + step for part in exact], exact=exact, norms=[1.0, 2.0], batch=[0, step])
    run = recorder.observed()
    assert run.noisy.shape == (3, 5)
    assert run.participation is not None
    assert run.participation.tolist() == [4, 1, 1, 0, 0]
    assert run.batches is not None
    assert run.batches.tolist() == [2, 2, 2]
    assert run.norms is not None
    assert len(run.norms) == 6
    assert run.noise is not None
    assert run.noise[2] == pytest.approx(2 / (CLAIM.sigma * CLAIM.clip))


def test_claims_and_shapes_must_be_possible() -> None:
    with pytest.raises(BadAttack, match="claim"):
        TrainingClaim(sigma=0, clip=1, q=0.1, steps=1, delta=1e-5)
    with pytest.raises(BadAttack, match="shape"):
        Observed(CLAIM, np.zeros((2, 2)), exact=np.zeros((2, 3)))
    with pytest.raises(BadAttack, match="no step"):
        Recorder(CLAIM, records=1).observed()


@pytest.mark.parametrize(
    "wrong",
    [
        {"sigma": float("inf")},
        {"clip": 0},
        {"q": 0},
        {"q": 1.1},
        {"steps": 0},
        {"delta": 0},
        {"delta": 1},
        {"sigma": -1},
    ],
)
def test_impossible_claims_are_refused(wrong: dict) -> None:
    with pytest.raises(BadAttack, match="a claim has"):
        replace(CLAIM, **wrong)


def test_what_was_left_out_of_a_step_is_not_known_of_the_run() -> None:
    """Exact sums of one step of two: their noise cannot be told."""
    recorder = Recorder(CLAIM, records=3)
    recorder.step(np.ones(2), exact=np.zeros(2), batch=[0])
    recorder.step(np.ones(2))
    run = recorder.observed()
    assert (run.steps, run.exact, run.noise, run.participation, run.batches) == (2, None, None, None, None)


def test_somebody_who_is_in_a_batch_twice_counts_twice() -> None:
    recorder = Recorder(CLAIM, records=2)
    recorder.step(np.ones(1), batch=[1, 1])
    assert recorder.observed().participation.tolist() == [0, 2]
