"""What is wrong with the declarations of a training run, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from privet.guarantee import (
    ApproxDP,
    Change,
    Person,
    Promise,
    Unit,
    ZeroConcentratedDP,
)
from privet.protect.train.gradients._training_account import (
    SAMPLINGS,
)

if TYPE_CHECKING:
    from torch import nn


AMPLIFIED = ("poisson", "truncated", "cyclic")  # ways of sampling that a batch's chance is accounted with
PRECISE = ("torch.float32", "torch.float64")  # what sums of clipped gradients may be computed in


def weight_faults(weights: dict[str, nn.Parameter]) -> list[str]:
    """What is wrong with parameters that are to be trained, in sentences."""
    if not weights:
        return ["the model has no parameters to train (requires_grad)."]
    coarse = [name for name, weight in weights.items() if str(weight.dtype) not in PRECISE]
    if not coarse:
        return []
    return [
        f"{coarse[0]!r} ({len(coarse)} in all) is kept in {weights[coarse[0]].dtype}, in which one record moves a "
        "sum by more than the bound through rounding: train in torch.float32; what is frozen may be coarser."
    ]


def is_positive(value: object) -> bool:
    """Whether it is a positive finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def promise_faults(promise: Promise, sampling: object) -> list[str]:
    """Of the promise, beside the way of sampling."""
    if sampling not in SAMPLINGS:
        return [f"sampling must be one of {', '.join(SAMPLINGS)}."]
    if isinstance(promise, ZeroConcentratedDP) and sampling in AMPLIFIED:
        return [
            "zero-concentrated privacy is not amplified by sampling; promise ApproxDP, or sample in full."
        ]
    if not isinstance(promise, ApproxDP | ZeroConcentratedDP) or not getattr(promise, "delta", 1):
        return ["gradient noise promises ApproxDP(epsilon, delta) or ZeroConcentratedDP(rho)."]
    return []


def size_faults(records: object, batch: object, sampling: object, cut: object, divisor: object) -> list[str]:
    """Of the numbers of records."""
    found = [
        f"{name} must be a whole number of at least 1."
        for name, value in (("records", records), ("batch", batch))
        if not isinstance(value, int) or isinstance(value, bool) or value < 1
    ]
    if not found and isinstance(batch, int) and isinstance(records, int) and batch > records:
        found.append("a batch cannot hold more than all records.")
    if (sampling == "truncated") != isinstance(cut, int):
        found.append('cut says how many records a batch holds at most; "truncated" sampling needs it.')
    elif isinstance(cut, int) and isinstance(batch, int) and cut < batch:
        found.append("cut must be at least the average batch.")
    if divisor is not None and not (isinstance(divisor, int | float) and 0 < divisor < math.inf):
        found.append("the divisor must be a positive constant.")
    return found


def unit_faults(unit: Unit, sampling: object) -> list[str]:
    """Of the unit, beside the way of sampling."""
    if isinstance(unit, Person) and unit.max_rows is None:
        return [
            "a person's records are bounded in every step: say how many count at most, "
            f"Person({unit.column!r}, max_rows=…)."
        ]
    if unit.change is Change.REPLACE and sampling in AMPLIFIED:
        return [
            "amplification by sampling is accounted for units that are added or removed, not replaced: use "
            'Row() or Person(…) as they are (they also cover what is zeroed out), or sampling="shuffled" or "full".'
        ]
    return []


def length_faults(steps: object, noise: object) -> list[str]:
    """Of what decides how long the run is."""
    if (steps is None) == (noise is None):
        return ["give either steps or noise_multiplier: the other follows from the promise."]
    if steps is not None and (not isinstance(steps, int) or isinstance(steps, bool) or steps < 1):
        return ["steps must be a whole number of at least 1."]
    if noise is not None and not (isinstance(noise, int | float) and 0 < noise < math.inf):
        return ["noise_multiplier must be positive and finite."]
    return []
