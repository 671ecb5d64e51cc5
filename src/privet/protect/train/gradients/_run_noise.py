"""Where the noise of a run comes from: a stream of independent draws, or of noise that correlates over steps."""

from __future__ import annotations

from privet.ledger import Permit
from privet.mechanism import CorrelatedStep, CorrelatedStream, NoiseStep, NoiseStream, SecretSeed
from privet.protect.train.gradients._training_plan import TrainingPlan

RunStep = NoiseStep | CorrelatedStep
RunStream = NoiseStream | CorrelatedStream


def noise_stream(plan: TrainingPlan, permit: Permit, seed: SecretSeed, run: str, start: int) -> RunStream:
    """The stream that a plan was booked with, from step `start` on; the plan is part of what `run` is the digest of."""
    if plan.rounds is None:
        return NoiseStream(permit, seed, run, start=start, disjoint=plan.disjoint)
    return CorrelatedStream(permit, seed, run, start=start, strategy=plan.rounds.strategy)
