"""What the rows that look alike give away about the people behind them, though nobody's row can be told.

k-anonymity says nothing about the values in a class: where all are equal they are known (homogeneity), where few
are left after what is known to be impossible they are nearly known (background knowledge; Machanavajjhala et al.
2007), and where they are spread unlike the whole table a belief moves (skewness; Li, Li and Venkatasubramanian 2007).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.tables._diversity_bounds import most_certain, most_gain
from privet.attacks.tables._record_matching import matched
from privet.attacks.tables._released_rows import (
    Released,
    columns_with,
    promise_of,
    refuse_absent,
    refuse_empty,
    released_of,
    rows_of,
)
from privet.attacks.tables._table_codes import coded
from privet.errors import BadAttack, NoPower

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Beliefs:
    """For each person who may be in the table: how often each value occurs in the rows that fit, and the true one."""

    column: str
    quasi: tuple[str, ...]
    votes: Any = field(
        repr=False
    )  # scipy.sparse.csr_array, people × values: rows that fit and hold the value
    truth: NDArray[np.int64] = field(repr=False)
    overall: NDArray[np.float64] = field(repr=False)  # share of each value in the published table

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def rows(self) -> NDArray[np.float64]:
        """How many rows fit each person."""
        return np.asarray(self.votes.sum(axis=1), float).reshape(-1)

    def of_truth(self) -> NDArray[np.float64]:
        """How many rows that fit hold the person's own value."""
        return np.asarray(self.votes[np.arange(len(self)), self.truth], float).reshape(-1)


def beliefs(released: Released, case: Case) -> Beliefs:
    """Match everybody in the original to the published rows, and count the sensitive values there."""
    original = rows_of(case.members)
    refuse_empty(published=released.rows, members=original)
    quasi = columns_with("quasi", released, case)
    sensitive = columns_with("sensitive", released, case)
    if len(sensitive) > 1:
        raise BadAttack("several columns are sensitive.", "Say which to look at: sensitive='diagnosis'.")
    column = sensitive[0]
    refuse_absent(original, [*quasi, column], "the original table")
    found = matched(
        released.rows, original, [(name, name) for name in quasi], case.setting("hierarchies", None)
    )
    found.refuse_strangers()
    votes, truth, overall = _votes(released.rows, original, column, found.class_of, found.fits)
    fits = np.asarray(found.candidates > 0)
    # A person whose value occurs in no row that fits was left out of the table.
    present = np.flatnonzero(fits & (np.asarray(votes[np.arange(len(truth)), truth]).reshape(-1) > 0))
    if not len(present):
        raise NoPower(
            "no row of the published table fits anybody in the original.",
            "Is this the table it was made from?",
        )
    return Beliefs(column, quasi, votes[present], truth[present], overall)


def _votes(
    published: pa.Table, original: pa.Table, column: str, class_of: NDArray[np.int64], fits: Any
) -> tuple[Any, NDArray[np.int64], NDArray[np.float64]]:
    from scipy.sparse import csr_array

    ours, theirs = coded([published.select([column]), original.select([column])], [column])
    values = ours.codes[:, 0].astype(np.int64) + 1  # a gap is a value as well
    width = ours.sizes[0] + 1
    held = csr_array((np.ones(len(values)), (class_of, values)), shape=(fits.shape[1], width))
    return (
        csr_array(fits @ held),
        theirs.codes[:, 0].astype(np.int64) + 1,
        np.bincount(values, minlength=width) / len(values),
    )


def _ruled_out(excluded: int) -> str:
    return (
        "a value that is not the person's"
        if excluded == 1
        else f"{excluded} values that are not the person's"
    )


def _adversary(found: Beliefs, *more: str) -> Adversary:
    return Adversary(
        "somebody who knows that a person is in the table",
        (*(f"the person's {name}" for name in found.quasi), *more),
        "the released table",
    )


def _exactly(value: float, case: Case) -> IntervalEstimate:
    return IntervalEstimate(value, value, value, case.confidence)


@register(name="homogeneity", on="table", needs=("members",))
def homogeneity(target: Any, case: Case) -> RiskEstimate:
    """Read off a person's value where every row that fits holds the same."""
    return _of_the_worst(target, case, lambda one: _excluding(target, one, "homogeneity", 0))


@register(name="background-knowledge", on="table", needs=("members",))
def background(target: Any, case: Case) -> RiskEstimate:
    """Read off a person's value after ruling out others that are known to be impossible.

    Settings: `excluded`, how many values the attacker can rule out for each person (1): the most frequent ones that
    are not the person's.
    """
    excluded = case.whole("excluded", 1)
    return _of_the_worst(target, case, lambda one: _excluding(target, one, "background-knowledge", excluded))


def _of_the_worst(target: Any, case: Case, attack: Callable[[Case], RiskEstimate]) -> RiskEstimate:
    """The estimate for the sensitive column that the table gives away most of: against its promise, or beyond guessing."""
    released = released_of(target)
    columns_with("quasi", released, case)  # what is lacking is said before anything is tried
    columns = columns_with("sensitive", released, case)
    if len(columns) == 1:
        return attack(case)
    shared = 1 - (1 - case.confidence) / len(columns)
    found = {
        column: attack(replace(case, confidence=shared, settings={**case.settings, "sensitive": column}))
        for column in columns
    }

    def reach(column: str) -> tuple[bool, float]:
        risk = found[column]
        return risk.bound is not None and risk.success.low > risk.bound, risk.success.value - risk.baseline

    worst = max(columns, key=reach)
    said = f"Tried on {len(columns)} sensitive columns; {worst!r} is given away most."
    return replace(found[worst], notes=(*found[worst].notes, said))


def _excluding(target: Any, case: Case, name: str, excluded: int) -> RiskEstimate:
    started = time.process_time()
    released = released_of(target)
    found = beliefs(released, case)
    own, others = found.of_truth(), _without_most(found, excluded)
    posterior = own / (own + others)
    certain = float((others == 0).mean())
    promise = promise_of(released, case)
    bound, reason = most_certain(promise, found.column, excluded, found.overall)
    different = int((found.overall > 0).sum())
    return RiskEstimate(
        attack=name,
        measure="share of people whose value is certain",
        success=_exactly(certain, case),
        baseline=1.0 if different <= 1 + excluded else 0.0,
        adversary=_adversary(found, *([_ruled_out(excluded)] if excluded else [])),
        cost=AttackCost(time.process_time() - started, records=len(found)),
        bound=bound,
        bound_reason=reason,
        promise=promise,
        detectable=1.0,
        artifact=released.name,
        notes=("Computed over everybody in the table, not sampled: it has no interval.",),
        details={
            "people": len(found),
            "mean_belief_in_the_truth": float(posterior.mean()),
            "people_believed_beyond_nine_in_ten": float((posterior > 0.9).mean()),
        },
    )


def _without_most(found: Beliefs, excluded: int) -> NDArray[np.float64]:
    """How many rows that fit hold other values, after the most frequent of those are ruled out."""
    others = found.rows - found.of_truth()
    if not excluded:
        return others
    votes = found.votes.tocoo()
    wrong = votes.col != found.truth[votes.row]
    person, count = votes.row[wrong], votes.data[wrong]
    order = np.lexsort((-count, person))
    person, count = person[order], count[order]
    place = np.arange(len(person)) - np.searchsorted(person, person)
    gone = place < excluded
    return np.asarray(others - np.bincount(person[gone], weights=count[gone], minlength=len(found)), float)


@register(name="skewness", on="table", needs=("members",))
def skewness(target: Any, case: Case) -> RiskEstimate:
    """Compare what the rows that fit say of a person's value with what the whole table says."""
    return _of_the_worst(target, case, lambda one: _skewness(target, one))


def _skewness(target: Any, case: Case) -> RiskEstimate:
    started = time.process_time()
    released = released_of(target)
    found = beliefs(released, case)
    votes = found.votes.tocoo()
    gains = votes.data / found.rows[votes.row] - found.overall[votes.col]
    highest = round(float(gains.max()), 12)
    own = found.of_truth() / found.rows
    common = int(found.overall.argmax())
    guess = np.asarray(found.votes.argmax(axis=1)).reshape(-1)
    promise = promise_of(released, case)
    bound, reason = most_gain(promise, found.column, found.overall)
    return RiskEstimate(
        attack="skewness",
        measure="largest posterior-prior gap",
        success=_exactly(highest, case),
        baseline=0.0,
        adversary=_adversary(found, "how the values are spread in the whole table"),
        cost=AttackCost(time.process_time() - started, records=len(found)),
        bound=bound,
        bound_reason=reason,
        promise=promise,
        detectable=float(1 - found.overall[found.overall > 0].min()),
        artifact=released.name,
        notes=("Computed over everybody in the table, not sampled: it has no interval.",),
        details={
            "people": len(found),
            "mean_gain_of_belief_in_the_truth": float((own - found.overall[found.truth]).mean()),
            "guessed_right": float((guess == found.truth).mean()),
            "guessed_right_without_the_classes": float((found.truth == common).mean()),
        },
    )
