"""Two releases of the same people: the rows that fit a person in both are fewer than in either.

No promise about the form of one table speaks of a second (Ganta, Kasiviswanathan and Smith, "Composition Attacks and
Auxiliary Information in Data Privacy", KDD 2008).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.tables._record_matching import Matched, matched
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
from privet.disclosure import labels_of, mixed_radix
from privet.errors import BadAttack, NoPower

if TYPE_CHECKING:
    import pyarrow as pa


@register(name="intersection", on="table", needs=("members", "other"))
def intersection(target: Any, case: Case) -> RiskEstimate:
    """Look for a person in two releases at once, and keep the values that both allow.

    Settings: `other`, the second release; `quasi` and `other_quasi`, the columns known of people in each (by their
    roles if left out); `shared`, the columns published as they are in both (the sensitive ones, else all others).
    """
    started = time.process_time()
    first, second = released_of(target), released_of(case.settings["other"])
    original = rows_of(case.members)
    refuse_empty(published=first.rows, other=second.rows, members=original)
    sides = [_quasi(first, case, "quasi"), _quasi(second, case, "other_quasi")]
    shared = _shared(first, second, sides, case)
    refuse_absent(original, [*sides[0], *sides[1], *shared], "the original table")
    hierarchies = case.setting("hierarchies", None)
    found = [
        matched(one.rows, original, [(name, name) for name in quasi], hierarchies)
        for one, quasi in zip((first, second), sides, strict=True)
    ]
    votes, truth = _values([first.rows, second.rows], original, shared, found)
    left = _Left(votes, truth)
    quasi = tuple(dict.fromkeys([*sides[0], *sides[1]]))
    return _scored(left, first, case, started=started, quasi=quasi, shared=shared)


def _quasi(released: Released, case: Case, setting: str) -> tuple[str, ...]:
    stated = case.setting(setting, None)
    if stated is not None:
        names = (stated,) if isinstance(stated, str) else tuple(stated)
        refuse_absent(released.rows, names, "a release")
        return names
    return columns_with("quasi", released, case)


def _shared(first: Released, second: Released, sides: Sequence[Sequence[str]], case: Case) -> tuple[str, ...]:
    stated = case.setting("shared", None)
    if stated is not None:
        names = (stated,) if isinstance(stated, str) else tuple(stated)
    else:
        known = {*sides[0], *sides[1]}
        sensitive = columns_with("sensitive", first, case, needed=False)
        names = tuple(
            name
            for name in sensitive or first.rows.column_names
            if name in second.rows.column_names and name not in known
        )
    if not names:
        raise BadAttack(
            "the releases share no column beside what is known of people.", "Set shared=['diagnosis']."
        )
    for released in (first, second):
        refuse_absent(released.rows, names, "a release")
    return names


def _values(
    releases: Sequence[pa.Table], original: pa.Table, shared: Sequence[str], found: Sequence[Matched]
) -> tuple[list[Any], NDArray[np.int64]]:
    """For each release people by values (rows that fit and hold them), and everybody's own value."""
    from scipy.sparse import csr_array

    names = list(shared)
    tables = coded([*(one.select(names) for one in releases), original.select(names)], names)
    keys, space = mixed_radix(
        [column + 1 for column in np.concatenate([one.codes for one in tables]).T],
        [size + 1 for size in tables[0].sizes],
    )
    labels = labels_of(keys, space)
    parts = np.split(labels, np.cumsum([len(one) for one in tables])[:-1])
    width = int(labels.max()) + 1
    votes = []
    for one, values in zip(found, parts[:2], strict=True):
        held = csr_array((np.ones(len(values)), (one.class_of, values)), shape=(len(one.sizes), width))
        votes.append(csr_array(one.fits @ held))
    return votes, parts[2]


class _Left:
    """What is left for people who are in both releases."""

    def __init__(self, votes: Sequence[Any], truth: NDArray[np.int64]) -> None:
        everybody = np.arange(len(truth))
        own = [np.asarray(one[everybody, truth], float).reshape(-1) for one in votes]
        both = np.flatnonzero((own[0] > 0) & (own[1] > 0))
        if not len(both):
            raise NoPower("nobody is in both releases.", "Give two releases of overlapping people.")
        kept = [one[both] for one in votes]
        meet = kept[0].minimum(kept[1])  # a row in one release has a row in the other
        self.people = len(both)
        self.rows = np.asarray(meet.sum(axis=1)).reshape(-1)
        self.alone = np.stack([np.diff(one.indptr) for one in kept])
        self.values = np.diff(meet.tocsr().indptr)
        self.rows_alone = np.stack([np.asarray(one.sum(axis=1)).reshape(-1) for one in kept])


def _scored(
    left: _Left,
    first: Released,
    case: Case,
    *,
    started: float,
    quasi: tuple[str, ...],
    shared: tuple[str, ...],
) -> RiskEstimate:
    certain = float((left.values == 1).mean())
    return RiskEstimate(
        attack="intersection",
        measure="share of people whose values are certain from both releases",
        success=IntervalEstimate(certain, certain, certain, case.confidence),
        baseline=float((left.alone == 1).any(axis=0).mean()),
        adversary=Adversary(
            "somebody who knows that a person is in both tables",
            tuple(f"the person's {name}" for name in quasi),
            "two released tables",
        ),
        cost=AttackCost(time.process_time() - started, records=left.people),
        promise=promise_of(first, case),
        detectable=1.0,
        artifact=first.name,
        notes=(
            "Each promise is about one table alone; the baseline is what the better of the two gives by itself.",
            "Computed over everybody in both tables, not sampled: it has no interval.",
        ),
        details={
            "people": left.people,
            "columns": list(shared),
            "people_with_one_row_left": float((left.rows <= 1).mean()),
            "fewest_rows_left": int(left.rows.min()),
            "fewest_rows_in_one_release": int(left.rows_alone.min()),
        },
    )
