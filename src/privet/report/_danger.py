"""How dangerous a result is, for the order and the colour of its mark: a picture must not show a leak in green.

Danger is how much of the way from guessing to certainty an attack went (the advantage of membership inference; the
normalised risk of Giomi et al. 2023): an AUC of 0.95 is 0.9 of it, whatever a promise would allow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

HIGH, RAISED, LOW = "high", "raised", "low"
COLOURS = {HIGH: "--direct", RAISED: "--quasi", LOW: "--leaf"}
_HIGH, _RAISED = 0.5, 0.1


def advantage(reached: float, guessed: float) -> float:
    """How much of the way from guessing to certainty was gone; below nought where guessing is better."""
    return (reached - guessed) / (1 - guessed) if guessed < 1 else 0.0


def danger(evidence: Mapping[str, Any]) -> float:
    """Of one attack's record: over guessing, or over people who were not in the data; beyond 1 where a promise is broken."""
    success, control, bound = evidence["success"], evidence["control"], evidence["bound"]
    guessed = max(evidence["baseline"], control["value"] if control else 0.0)
    broken = bound is not None and success["low"] > bound
    return advantage(success["value"], guessed) + (1.0 if broken else 0.0)


def danger_of_curve(false: Sequence[float], true: Sequence[float], *, rate: float = 0.01) -> float:
    """Of a curve of true over false positives: by its area, or by the people surely found, whichever is worse."""
    pairs = sorted(zip(false, true, strict=True))
    area = sum((b - a) * (low + high) / 2 for (a, low), (b, high) in pairwise(pairs))
    surely = max((found for at, found in pairs if at <= rate + 1e-12), default=0.0)
    return max(advantage(area, 0.5), advantage(surely, rate))


def level(share: float, *, raised: float = _RAISED) -> str:
    """The class of a mark: high, raised or low."""
    return HIGH if share > _HIGH else RAISED if share > raised else LOW
