"""A random number of trials of which only the best is told: how many there are, and what each of them tries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privet.errors import PermitMismatch
from privet.guarantee import Selected, float_down
from privet.ledger import Permit, digest, selection_of
from privet.mechanism._generators import fresh_generator
from privet.mechanism._proofs import proven
from privet.mechanism._secret_seed import SecretSeed

# Laws are narrowed by this share, so that rounding never makes the mean larger than what was booked.
MARGIN = 1e-9


@dataclass(frozen=True)
class Trial:
    """Leave for one trial: which candidate it is, and the permit, seed and run that its noise commits to."""

    candidate: int
    permit: Permit
    seed: SecretSeed
    run: str


@proven("private_trials.proof.md", digest="9a0e77cb56e07aee")
def trials(permit: Permit, runs: Sequence[str]) -> tuple[Trial, ...]:
    """Draw the trials that a selection's permit pays for; `runs` names each candidate's run by its digest.

    Guarantee:
        Whoever tells nothing but the trial with the highest score (ties to any fixed rule) has told what the
        permit's event says: see `trials.proof.md`.
    Assumes:
        Result and score of each trial are drawn with its permit and nothing else that depends on data. The number of
        trials is told to nobody, not even by how long they took.
    """
    if not isinstance(permit, Permit):
        raise PermitMismatch("trials are drawn with a permit.", "Get one from ledger.charge(event, why=…).")
    selection = selection_of(permit.event)
    if len(runs) != len(selection.events):
        raise PermitMismatch(
            "the booked selection has another number of candidates.", "Charge for these candidates."
        )
    picks = drawn_picks(selection, fresh_generator())
    seeds = [SecretSeed.fresh() for _ in picks]
    asked = [digest(seed.question(runs[pick])) for seed, pick in zip(seeds, picks, strict=True)]
    permits = permit.trials(picks, asked)
    return tuple(
        Trial(pick, own, seed, runs[pick]) for pick, own, seed in zip(picks, permits, seeds, strict=True)
    )


@proven("private_trials.proof.md", digest="e2a47af8b8039c8d")
def drawn_picks(selection: Selected, generator: np.random.Generator) -> list[int]:
    """A random number of candidates by the selection's law, each picked uniformly and on its own."""
    mean = float_down(selection.mean)
    if selection.law == "poisson":
        count = int(generator.poisson(mean))
    elif selection.law == "geometric":
        count = int(generator.geometric(min(1.0, (1 + MARGIN) / mean)))
    else:
        count = int(generator.logseries(1 - smallest_share(mean))) if mean > 1 + MARGIN else 1
    return [int(pick) for pick in generator.integers(0, len(selection.events), count)]


@proven("private_trials.proof.md", digest="9c4f5fb19a337232")
def smallest_share(mean: float) -> float:
    """The gamma at which the logarithmic law, P[k] proportional to (1 - gamma)^k / k, has this mean or a hair less.

    The mean (1/gamma - 1) / log(1/gamma) falls as gamma rises.
    """
    low, high = -4.0 * math.log(mean + 1) - 4.0, -1e-12  # logarithms of gamma
    for _ in range(200):
        middle = (low + high) / 2
        if math.expm1(-middle) / -middle > mean:
            low = middle
        else:
            high = middle
    return min(1.0, math.exp(high) * (1 + MARGIN))
