"""What a mechanism will do to an answer, from formulas alone: nothing is read, drawn or spent."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from privet.errors import UnsupportedEvent
from privet.guarantee import pure
from privet.guarantee.amounts import float_up, readable
from privet.guarantee.events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    RandomizedResponse,
    Repeated,
    ThresholdedKeys,
    TruncatedKeys,
)
from privet.mechanism.thresholding import drawn_threshold

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Explanation:
    """The error to expect of one event, for each entry and in the answer's own steps.

    The three numbers are None for mechanisms that add no noise to a number (selection, randomised response);
    the sentence then says what to expect instead.
    """

    mechanism: str
    standard_deviation: float | None
    mean_absolute: float | None
    half_width: float | None  # at 95 %
    sentence: str


def explain(event: Event) -> Explanation:
    """What to expect of the event's mechanism."""
    if isinstance(event, Repeated) and isinstance(event.event, Exponential | PermuteAndFlip):
        one = explain(event.event)
        return replace(one, sentence=f"In each group: {one.sentence}")
    for kind, name, sentence in _WORDS:
        if isinstance(event, kind):
            return _explained(event, name, sentence)
    raise UnsupportedEvent(
        f"a {event.kind} event is not drawn by one mechanism.", "Explain each of its parts on its own."
    )


def _explained(event: Event, name: str, sentence: Callable[[Any, float], str]) -> Explanation:
    if isinstance(event, Exponential | PermuteAndFlip | RandomizedResponse):
        return Explanation(name, None, None, None, sentence(event, 0.0))
    from privet.guarantee.error import spread

    found = spread(event)
    half_width = float(found.half_width(CONFIDENCE))
    return Explanation(
        name, found.standard_deviation, found.mean_absolute, half_width, sentence(event, half_width)
    )


def _noise(event: DiscreteLaplace | DiscreteGaussian | Laplace | Gaussian, half_width: float) -> str:
    what = "whole-number" if isinstance(event, DiscreteLaplace | DiscreteGaussian) else "real"
    return f"Each entry gets independent {what} noise; 95 % of the entries move by at most {readable(half_width)}."


def _keys(event: ThresholdedKeys, half_width: float) -> str:
    if event.reach * event.parts > 1:
        alone = pure.threshold_delta(event.scale, event.threshold, 1, event.reach, event.parts)
        return (
            f"A key is shown where its noisy number exceeds {event.threshold}. A key that a single person has is shown "
            f"with probability {readable(alone)} at most."
        )
    threshold = drawn_threshold(event, float_up(event.scale))
    decay = -1 / float_up(event.scale)
    lone = math.exp(threshold * decay) / (1 + math.exp(decay))
    return (
        f"A key is shown where its noisy number of persons exceeds {threshold}. A key that a single person "
        f"has is shown with probability {readable(lone)}; one that "
        f"{math.ceil(threshold + half_width + 1)} or more persons have, with probability 0.975 or more."
    )


def _selected(event: TruncatedKeys, _: float) -> str:
    lone = pure.truncated_delta(event.scale, event.bound, 1)
    return (
        f"A key is shown where its noisy number of persons exceeds {event.bound}. A key that a single person has is "
        f"shown with probability {readable(lone)}, one of {event.bound + 1} persons more often than not, one of more "
        f"than {2 * event.bound} always."
    )


def _choice(event: Exponential | PermuteAndFlip, _: float) -> str:
    tail = 2 * math.log(1 / (1 - CONFIDENCE)) / float(event.epsilon)
    return (
        "One candidate is chosen. With probability 0.95 its score falls short of the best by at most "
        f"{readable(tail)} + {readable(2 / event.epsilon)}·ln(candidates) times what one privacy unit can move a score."
    )


def _answers(event: RandomizedResponse, _: float) -> str:
    true = 1 - event.p + event.p / event.buckets
    if event.p == 1:
        return "Every answer is replaced by a random one: nothing can be learnt from them."
    # A bucket that nobody is in comes out with probability p/buckets; removing that bias divides by 1 - p.
    rare = float(event.p / event.buckets)
    error = math.sqrt(rare * (1 - rare)) / float(1 - event.p)
    return (
        f"An answer comes out as it was with probability {readable(true)}. A rare answer's share, estimated from n "
        f"persons, has a standard error of about {readable(error)}/√n."
    )


_WORDS: tuple[tuple[type[Event], str, Callable[[Any, float], str]], ...] = (
    (DiscreteLaplace, "discrete Laplace noise", _noise),
    (DiscreteGaussian, "discrete Gaussian noise", _noise),
    (Laplace, "Laplace noise", _noise),
    (Gaussian, "Gaussian noise", _noise),
    (ThresholdedKeys, "thresholded keys", _keys),
    (TruncatedKeys, "keys selected with truncated noise", _selected),
    (Exponential, "exponential mechanism", _choice),
    (PermuteAndFlip, "permute-and-flip", _choice),
    (RandomizedResponse, "randomised response", _answers),
)
