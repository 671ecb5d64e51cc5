"""What needs no solver: the difference of two counts, the mean of a repeated one, and trackers around a limit."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.statistics._reconstruction_scores import scored
from privet.attacks.statistics._released_counts import Answered, Oracle, secrets_of
from privet.errors import NoPower

if TYPE_CHECKING:
    from numpy.typing import NDArray

_INSIDER = Adversary(
    "an analyst who may ask for counts",
    ("who is in the table", "which people each question counts"),
    "the released answers",
)


def _means(answered: Answered) -> dict[bytes, tuple[NDArray[np.bool_], float]]:
    """Every subset that was asked about once, with the mean of its answers."""
    found: defaultdict[bytes, list[int]] = defaultdict(list)
    for row, answer in enumerate(answered.answers):
        if not np.isnan(answer):
            found[np.packbits(answered.asked[row]).tobytes()].append(row)
    return {
        key: (answered.asked[rows[0]], float(answered.answers[rows].mean())) for key, rows in found.items()
    }


@register(name="differencing", on="statistics", needs=("members",))
def differencing(target: Answered, case: Case) -> RiskEstimate:
    """Subtract two counts that differ in one person; repeated answers are averaged first."""
    started = time.process_time()
    truth = secrets_of(case.members, target.people)
    means = _means(target)
    votes = _pairs(means) if len(means) <= target.people else _neighbours(means)
    if not votes:
        raise NoPower("no two questions differ in one person.", "Without such a pair nothing is subtracted.")
    guesses = np.full(target.people, bool(truth.mean() >= 0.5))
    for person, differences in votes.items():
        guesses[person] = float(np.mean(differences)) >= 0.5
    return scored(
        "differencing",
        guesses,
        truth,
        case,
        adversary=_INSIDER,
        questions=len(target.answers),
        started=started,
        details={"people exposed": len(votes) / target.people},
    )


def _pairs(means: Mapping[bytes, tuple[NDArray[np.bool_], float]]) -> dict[int, list[float]]:
    """For each person what every two subsets that differ in them alone say: few questions, each against each."""
    votes: defaultdict[int, list[float]] = defaultdict(list)
    asked = [(mask, int(mask.sum()), value) for mask, value in means.values()]
    none_asked = all(size for _, size, _ in asked)
    for mask, size, value in asked:
        if size == 1 and none_asked:
            votes[int(np.flatnonzero(mask)[0])].append(value)  # a count of one person alone
        for other, others, less in asked:
            if others == size - 1 and not (other & ~mask).any():
                votes[int(np.flatnonzero(mask & ~other)[0])].append(value - less)
    return votes


def _neighbours(means: Mapping[bytes, tuple[NDArray[np.bool_], float]]) -> dict[int, list[float]]:
    """The same where there are more questions than people: each subset without each of its people is looked up."""
    votes: defaultdict[int, list[float]] = defaultdict(list)
    for mask, value in means.values():
        for person in np.flatnonzero(mask).tolist():
            without = mask.copy()
            without[person] = False
            other = means.get(np.packbits(without).tobytes())
            if other is not None:
                votes[person].append(value - other[1])
            elif not without.any():
                votes[person].append(value)
    return votes


@register(name="averaging", on="statistics", needs=("members",))
def averaging(target: Answered, case: Case) -> RiskEstimate:
    """Average the answers to the same question; fresh noise on each repetition averages out."""
    started = time.process_time()
    truth = secrets_of(case.members, target.people)
    means = _means(target)
    repeated = len(target.answers) - int(np.isnan(target.answers).sum()) - len(means)
    if not repeated:
        raise NoPower("no question was answered twice.", "Without a repetition nothing is averaged.")
    right = [round(value) == int(truth[mask].sum()) for mask, value in means.values()]
    return _counts(case, right, len(target.answers), started, repeated)


def _counts(case: Case, right: list[bool], questions: int, started: float, repeated: int) -> RiskEstimate:
    from privet.artifact import AttackCost
    from privet.attacks._attack_scores import rate

    return RiskEstimate(
        attack="averaging",
        measure="share of exact counts found",
        success=rate(sum(right), len(right), case.confidence),
        baseline=0.0,
        adversary=_INSIDER,
        cost=AttackCost(time.process_time() - started, records=len(right), queries=questions),
        promise=case.promise,
        artifact="statistics",
        details={"repetitions": repeated},
    )


def track(oracle: Oracle, people: int, person: int, seed: int = 0) -> float | None:
    """One person's secret from an interface that refuses small and large subsets: a general tracker.

    With T any subset that is answered, and so is everybody else (Denning and Schlörer 1980):
    count(C) = count(C or T) + count(C or not T) - count(T) - count(not T). None if no such T was found.
    """
    draw = repeatable_generator(seed, f"tracker {person}")
    wanted = np.zeros(people, bool)
    wanted[person] = True
    for _ in range(20):
        tracker = draw.random(people) < 0.5
        sets = (wanted | tracker, wanted | ~tracker, tracker, ~tracker)
        found = [oracle(one) for one in sets]
        if all(one is not None for one in found):
            first, second, third, fourth = (float(one) for one in found if one is not None)
            return first + second - third - fourth
    return None


@register(name="tracker", on="statistics", needs=("members", "oracle"))
def tracker(target: Answered | None, case: Case) -> RiskEstimate:
    """Reach one person through subsets that are never small, where small ones are refused."""
    del target
    started = time.process_time()
    oracle: Oracle = case.settings["oracle"]
    people = len(np.asarray(case.members))
    truth = secrets_of(case.members, people)
    found = [track(oracle, people, person, case.seed) for person in range(people)]
    guesses = np.array([bool(truth.mean() >= 0.5) if one is None else one >= 0.5 for one in found])
    return scored(
        "tracker",
        guesses,
        truth,
        case,
        adversary=_INSIDER,
        questions=4 * people,
        started=started,
        details={"people reached": float(np.mean([one is not None for one in found]))},
    )
