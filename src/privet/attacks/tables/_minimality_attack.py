"""Minimality: that classes were not left smaller says how sensitive values lie in them (Wong et al., VLDB 2007).

The attacker knows everybody's quasi-identifiers from a register and that the table was generalized only as far as
diversity required. A class that was joined from smaller ones was joined because one of them lacked diversity, and
the ways to deal the values out to the people that would not have needed it fall away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.tables._downcoding import parts_of
from privet.attacks.tables._generalized_cells import paths_of
from privet.attacks.tables._possible_worlds import MOST, dealt, refuse_many
from privet.attacks.tables._record_matching import matched
from privet.attacks.tables._released_rows import (
    Released,
    columns_with,
    promise_of,
    refuse_empty,
    released_of,
    rows_of,
)
from privet.attacks.tables._table_codes import as_text, coded
from privet.errors import BadAttack, NoPower
from privet.guarantee import AlphaK, LDiversity, Promise, parts

Fails = Callable[[Sequence[int]], bool]


@dataclass(frozen=True, eq=False)
class Class:
    """One class: people in finer groups, the values published for it, and whose they are in truth."""

    group: NDArray[np.int64] = field(repr=False)  # of each person
    values: NDArray[np.int64] = field(repr=False)  # how often each value is published
    truth: NDArray[np.int64] = field(repr=False)  # each person's value


@dataclass(frozen=True, eq=False)
class Dealt:
    """Sums over all ways to deal the values out: all of them, and those that would have been published finer."""

    every: float
    fine: float
    every_values: NDArray[np.float64] = field(
        repr=False
    )  # groups × values: chance that a person of it has a value
    fine_values: NDArray[np.float64] = field(repr=False)

    def belief(self, elsewhere: float) -> NDArray[np.float64]:
        """Groups × values, given that a group lacks diversity here or elsewhere.

        `elsewhere` is the chance that none does in the other classes; 1 where each class is judged by itself.
        """
        rest = self.every - elsewhere * self.fine
        if rest <= 0:
            return self.every_values / self.every
        return np.asarray((self.every_values - elsewhere * self.fine_values) / rest, float)


@register(name="minimality", on="table", needs=("members", "hierarchies"))
def minimality(target: Any, case: Case) -> RiskEstimate:
    """Tell people's values, knowing that the table was made no coarser than its diversity required.

    Settings: `hierarchies`, paths by column; `recoding` "local" (default: each class was generalized as little as it
    could) or "global"; `share`, the largest share of a value in a class, where no promise of diversity says it.
    """
    started = time.process_time()
    released = released_of(target)
    promise = promise_of(released, case)
    sensitive = columns_with("sensitive", released, case)[0]
    fails = _requirement(promise, sensitive, case)
    local = case.setting("recoding", "local") == "local"
    best = max(
        (_beliefs(found, fails, local=local) for found in _columns(released, sensitive, case)),
        key=lambda one: float(one[0].mean()),
        default=None,
    )
    if best is None:
        raise NoPower(
            "no class can be taken apart.", "Give the hierarchies of columns that were generalized."
        )
    after, before = best
    mean = float(after.mean())
    return RiskEstimate(
        attack="minimality",
        measure="mean belief in a person's value",
        success=IntervalEstimate(mean, mean, mean, case.confidence),
        baseline=float(before.mean()),
        adversary=Adversary(
            "somebody who knows how the table was made",
            ("everybody's quasi-identifiers", "the hierarchies", "that the least generalization was chosen"),
            "the released table",
        ),
        cost=AttackCost(time.process_time() - started, records=len(after)),
        promise=promise,
        detectable=1.0,
        artifact=released.name,
        notes=(
            "The promise is about the values of a class, not about what the search for it gives away; the baseline "
            "is the belief without that knowledge.",
        ),
        details={
            "people": len(after),
            "certain": float((after > 1 - 1e-9).mean()),
            "certain_without": float((before > 1 - 1e-9).mean()),
            "largest_gain": float((after - before).max()),
        },
    )


def _requirement(promise: Promise | None, column: str, case: Case) -> Fails:
    """Whether a group, as counts of values, lacks the diversity that was asked for."""
    share = case.setting("share", None)
    if share is not None:
        return lambda counts: max(counts) > float(share) * sum(counts) + 1e-9
    for part in () if promise is None else parts(promise):
        match part:
            case LDiversity(column=name, l=l, variant="distinct") if name == column:
                least = l
                return lambda counts: sum(count > 0 for count in counts) < least
            case AlphaK(column=name, alpha=alpha) if name == column:
                most = float(alpha)
                return lambda counts: max(counts) > most * sum(counts) + 1e-9
    raise BadAttack(
        "nothing says what diversity was required.", "Set share=0.5, or give LDiversity (distinct) or AlphaK."
    )


def _columns(released: Released, sensitive: str, case: Case) -> list[list[Class]]:
    """For each generalized column, the classes that it can be taken apart in."""
    original = rows_of(case.members)
    refuse_empty(published=released.rows, members=original)
    hierarchies = {name: paths_of(one) for name, one in dict(case.settings["hierarchies"]).items()}
    quasi = columns_with("quasi", released, case)
    found = matched(released.rows, original, [(name, name) for name in quasi], hierarchies)
    ours, theirs = coded([released.rows.select([sensitive]), original.select([sensitive])], [sensitive])
    once = np.diff(found.fits.indptr) == 1
    of_person = np.full(original.num_rows, -1, np.int64)
    of_person[once] = found.fits.indices[found.fits.indptr[:-1][once]]
    example = np.unique(found.class_of, return_index=True)[1]
    columns = []
    for name in quasi:
        labels = as_text(released.rows.column(name)).to_pylist()
        values = np.array(as_text(original.column(name)).to_pylist(), object)
        classes = []
        for which in range(len(found.sizes)):
            people = np.flatnonzero(of_person == which)
            split = parts_of(hierarchies.get(name, []), labels[example[which]])
            if not split or len(people) != found.sizes[which]:
                continue
            part = {value: at for at, inside in enumerate(split.values()) for value in inside}
            if not {*values[people]} <= {*part}:
                continue
            published = ours.codes[found.class_of == which, 0] + 1
            classes.append(
                Class(
                    np.array([part[str(value)] for value in values[people]]),
                    np.bincount(published, minlength=ours.sizes[0] + 1),
                    theirs.codes[people, 0].astype(np.int64) + 1,
                )
            )
        if classes:
            columns.append(classes)
    return columns


def _beliefs(
    classes: Sequence[Class], fails: Fails, *, local: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Everybody's belief in their true value, with and without the knowledge."""
    ways = [_dealt(one, fails) for one in classes]
    fine = np.array([one.fine / one.every for one in ways])
    after, before = [], []
    for at, (one, way) in enumerate(zip(classes, ways, strict=True)):
        _, group = np.unique(one.group, return_inverse=True)
        kept = np.flatnonzero(one.values > 0)
        value = np.searchsorted(kept, one.truth)
        elsewhere = 1.0 if local else float(np.prod(np.delete(fine, at)))
        after.append(way.belief(elsewhere)[group, value])
        before.append(one.values[one.truth] / len(one.truth))
    return np.concatenate(after), np.concatenate(before)


def _dealt(one: Class, fails: Fails) -> Dealt:
    sizes = np.unique(one.group, return_counts=True)[1].tolist()
    values = one.values[one.values > 0].tolist()
    every = fine = 0.0
    every_values = np.zeros((len(sizes), len(values)))
    fine_values = np.zeros_like(every_values)
    for number, (way, weight) in enumerate(dealt(sizes, values)):
        if number >= MOST:
            refuse_many(number + 1)
        shares = np.array(way, float) / np.array(sizes, float)[:, None] * weight
        every += weight
        every_values += shares
        if not any(fails(group) for group in way):
            fine += weight
            fine_values += shares
    return Dealt(every, fine, every_values, fine_values)
