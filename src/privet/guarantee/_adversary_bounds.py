"""What a promise allows an adversary at most, in the measures that attacks are scored by.

Differential privacy says that telling two neighbouring data sets apart is a hypothesis test with a bounded
power: true positives are at most e^epsilon times false positives plus delta, and the same with the two sides
exchanged (Wasserman and Zhou 2010, Theorem 2.4; Kairouz, Oh and Viswanath 2015, Theorem 2.1). Everything here
follows from that one region. A promise that says nothing about a measure gives None: nothing is made up.
"""

from __future__ import annotations

import math
from fractions import Fraction

from privet.guarantee._differential import ApproxDP, LocalDP, PureDP, ZeroConcentratedDP
from privet.guarantee._pac_privacy import PacPrivacy
from privet.guarantee._promise import Promise, parts
from privet.guarantee._syntactic_promises import AlphaK, KAnonymity, RiskThreshold

# zCDP promises a curve; one point of it bounds the attack. Smaller deltas make worse bounds for common attacks.
_DELTAS = tuple(10.0**-power for power in (2, 3, 4, 5, 6, 8, 10))


def most_true_positives(promise: Promise, false_positives: float) -> float | None:
    """The largest true-positive rate of any membership test with this false-positive rate."""
    if not 0 <= false_positives <= 1:
        raise ValueError("a rate lies between 0 and 1")
    pairs = _pairs(promise)
    return min((_region(*pair, false_positives) for pair in pairs), default=None)


def most_auc(promise: Promise) -> float | None:
    """The largest area under the curve of true over false positives that the promise allows."""
    return min((_area(*pair) for pair in _pairs(promise)), default=None)


def most_accuracy(promise: Promise) -> float | None:
    """The largest share of right guesses about membership, where members and others are equally many.

    For (epsilon, delta) it is (e^epsilon + delta) / (1 + e^epsilon) (Kairouz et al. 2015, Remark A.1); for PAC
    privacy it is the posterior that the mutual information allows (Xiao and Devadas 2023, Theorem 1).
    """
    if isinstance(promise, PacPrivacy):
        return promise.posterior()
    return min(
        (min(1.0, (_exp(epsilon) + delta) / (1 + _exp(epsilon))) for epsilon, delta in _pairs(promise)),
        default=None,
    )


def most_guessed(epsilon: float, share: float) -> float:
    """The largest chance of guessing a person's value from reports that are epsilon-locally differentially private together.

    The most common value has this share before anything is seen. Bayes' rule moves its odds by at most e^epsilon, and
    those of no other value further than these; so it holds for whatever follows from the value, and any guess.
    """
    if not 0 < share <= 1:
        raise ValueError("a share lies above 0 and up to 1")
    likely = _exp(epsilon) * share
    return likely / (likely + 1 - share)


def most_linked(promise: Promise) -> float | None:
    """The largest chance of pointing at the right row of somebody who is known to be in the table."""
    found = [bound for part in parts(promise) if (bound := _linked(part)) is not None]
    return min(found, default=None)


def _linked(promise: Promise) -> float | None:
    match promise:
        case KAnonymity(k=k) | AlphaK(k=k):
            return 1 / k
        case RiskThreshold(highest=highest) if highest is not None:
            return float(highest)
    return None


def promised_epsilon(promise: Promise, delta: Fraction | float) -> float | None:
    """The epsilon that the promise means at this delta; None if it means none."""
    match promise:
        case PureDP() | LocalDP():
            return float(promise.epsilon)
        case ApproxDP():
            return float(promise.epsilon) if promise.delta <= delta else None
        case ZeroConcentratedDP():
            from privet.guarantee._zero_concentrated import epsilon_of_rho

            return epsilon_of_rho(promise.rho, Fraction(delta))
    return None


def _pairs(promise: Promise) -> list[tuple[float, float]]:
    """Every (epsilon, delta) that the promise is known to imply."""
    return [pair for part in parts(promise) for pair in _single(part)]


def _single(promise: Promise) -> list[tuple[float, float]]:
    match promise:
        case PureDP() | LocalDP():
            return [(float(promise.epsilon), 0.0)]
        case ApproxDP():
            return [(float(promise.epsilon), float(promise.delta))]
        case ZeroConcentratedDP():
            from privet.guarantee._zero_concentrated import epsilon_of_rho

            return [(epsilon_of_rho(promise.rho, Fraction(delta)), delta) for delta in _DELTAS]
    return []


def _region(epsilon: float, delta: float, false_positives: float) -> float:
    ahead = _exp(epsilon) * false_positives + delta
    behind = 1 - (1 - delta - false_positives) / _exp(epsilon)
    return min(1.0, ahead, behind)


def _area(epsilon: float, delta: float) -> float:
    """The two straight sides of the region meet where both rates of error are (1 - delta) / (1 + e^epsilon)."""
    meet = (1 - delta) / (1 + _exp(epsilon))
    first = meet * (delta + (1 - meet)) / 2  # from (0, delta) to (meet, 1 - meet)
    second = (1 - delta - meet) * ((1 - meet) + 1) / 2  # from there to (1 - delta, 1)
    return min(1.0, first + second + delta)


def _exp(epsilon: float) -> float:
    # Beyond this doubles overflow; a promise of so large an epsilon bounds nothing anyway.
    return math.exp(min(epsilon, 700.0))
