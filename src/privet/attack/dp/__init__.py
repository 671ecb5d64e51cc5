"""Auditing implementations of differential privacy: canaries, epsilons from below, structure, falsifiers."""

from privet.attack.dp.auditing import audit_one_run
from privet.attack.dp.canaries import GradientCanaries, RecordCanaries, mislabelled
from privet.attack.dp.falsifier import Neighbours, falsify
from privet.attack.dp.floating import float_laplace_score
from privet.attack.dp.observed import Claim, Observed, Recorder
from privet.attack.dp.told_apart import CanaryRun

__all__ = [
    "CanaryRun",
    "Claim",
    "GradientCanaries",
    "Neighbours",
    "Observed",
    "RecordCanaries",
    "Recorder",
    "audit_one_run",
    "falsify",
    "float_laplace_score",
    "mislabelled",
]
