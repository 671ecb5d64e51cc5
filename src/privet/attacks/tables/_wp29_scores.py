"""How the three criteria of singling out, linkability and inference are scored (Article 29 Working Party 2014, WP216).

The share of right guesses about members says little by itself: what holds for everybody is no breach of anybody's
privacy. The same attack on people who were not used gives the control, and the excess over it is the risk
R = (members - control) / (1 - control) (Giomi, Boenisch, Wehmeyer and Tasnádi, "A Unified Framework for Quantifying
Privacy Risk in Synthetic Data", PoPETs 2023).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case
from privet.attacks._attack_scores import wilson
from privet.attacks.tables._released_rows import Released, promise_of
from privet.errors import NoPower

REPEATS = 5
Played = TypeVar("Played")
GUESSES = 2_000


@dataclass(frozen=True)
class GuessRound:
    """Right guesses about members, about control and by chance, out of so many each."""

    members: int
    control: int
    blind: int
    trials: int
    wanted: int  # how many were asked for
    worth: float | None = None  # how many independent guesses they are worth; None: as many as they are

    @property
    def independent(self) -> float:
        """How many independent guesses they are worth."""
        return self.trials if self.worth is None else self.worth

    def share(self, hits: int, confidence: float) -> IntervalEstimate:
        """A share of the guesses."""
        return share(hits / self.trials, self.independent, confidence)

    def risk(self, confidence: float) -> IntervalEstimate:
        """The excess over control."""
        return excess(self.members / self.trials, self.control / self.trials, self.independent, confidence)


def share(value: float, trials: float, confidence: float) -> IntervalEstimate:
    """A share with Wilson's interval."""
    centre, half = wilson(value * trials, trials, confidence)
    return IntervalEstimate(
        value, min(value, max(0.0, centre - half)), max(value, min(1.0, centre + half)), confidence
    )


def excess(members: float, control: float, trials: float, confidence: float) -> IntervalEstimate:
    """R = 1 - (1 - members) / (1 - control), with an interval from Wilson's two (Donner and Zou 2012, ratios).

    Negative where the attack does worse on members. Where control is always guessed nothing is left to exceed.
    """
    if control >= 1:
        raise NoPower(
            "the attack is always right about people who were not used.",
            "What is attacked here holds for everybody: choose other columns, or a narrower guess.",
        )
    mine, other = share(1 - members, trials, confidence), share(1 - control, trials, confidence)
    value = 1 - mine.value / other.value
    high = 1 - _ratio(mine, other, mine.low, other.high, sign=-1)
    low = 1 - _ratio(mine, other, mine.high, other.low, sign=1)
    return IntervalEstimate(value, min(low, value), max(high, value), confidence)


def _ratio(mine: IntervalEstimate, other: IntervalEstimate, at: float, over: float, *, sign: int) -> float:
    product = mine.value * other.value
    below = over * (2 * other.value - over)
    inside = product**2 - at * (2 * mine.value - at) * below
    if below <= 0:
        return math.inf if sign > 0 else 0.0
    return (product + sign * math.sqrt(max(0.0, inside))) / below


def repeated(case: Case, name: str, play: Callable[[int], Played]) -> list[Played]:
    """The attack over several seeds, which also draw members and control anew."""
    rounds = case.whole("repeats", REPEATS)
    found = []
    for at in range(max(1, rounds)):
        if case.progress is not None:
            case.progress(name, at, rounds)
        found.append(play(at))
    if case.progress is not None:
        case.progress(name, rounds, rounds)
    return found


def refuse_powerless(trials: int, what: str) -> None:
    """An attack that asked nothing has shown nothing."""
    if trials < 1:
        raise NoPower(f"no {what} could be made: nothing was asked, and silence means nothing.", _MORE)


_MORE = "Use more rows or other columns; are all values equal, or every one different?"


def concluded(
    name: str,
    measure: str,
    rounds: Sequence[GuessRound],
    case: Case,
    released: Released,
    *,
    adversary: Adversary,
    started: float,
    notes: Sequence[str] = (),
    details: dict[str, Any] | None = None,
    confidence: float | None = None,
) -> RiskEstimate:
    """The estimate of the middle round, with the spread over all of them."""
    level = case.confidence if confidence is None else confidence
    risks = [one.risk(level) for one in rounds]
    order = sorted(range(len(rounds)), key=lambda at: risks[at].value)
    middle = order[(len(order) - 1) // 2]
    one, risk = rounds[middle], risks[middle]
    said = [*notes, f"Excess over control: {risk.text()}."]
    if one.trials < one.wanted:
        said.append(
            f"Only {one.trials} of {one.wanted} guesses could be made: the interval is as wide as that."
        )
    if one.members <= one.blind:
        said.append(
            "The attack did no better than blind guesses: its silence says little about other attacks."
        )
    return RiskEstimate(
        attack=name,
        measure=measure,
        success=one.share(one.members, level),
        baseline=one.blind / one.trials,
        control=one.share(one.control, level),
        adversary=adversary,
        cost=AttackCost(
            time.process_time() - started,
            records=one.trials,
            queries=sum(3 * each.trials for each in rounds),
        ),
        promise=promise_of(released, case),
        detectable=share(1.0, one.independent, level).low,
        artifact=released.name,
        notes=tuple(said),
        details={
            "risk": {"value": risk.value, "low": risk.low, "high": risk.high, "confidence": level},
            "risks_of_rounds": [each.value for each in risks],
            "guesses": one.trials,
            "guesses_wanted": one.wanted,
            "guesses_independent": one.independent,
            **(details or {}),
        },
    )
