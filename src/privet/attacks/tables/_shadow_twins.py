"""Membership by shadow twins: the synthesizer is run again, with each person and without, and the twin is compared.

Twins are made of random halves of members and control together, so that each person is in half of them, exactly as shadow
models are (Carlini et al. 2022); what each twin shows of a person is put on the scale of that person's own spread, and one
direction is learned that tells twins with somebody from twins without (Stadler, Oprisanu and Troncoso, "Synthetic Data:
Anonymisation Groundhog Day", 2022, learn it for one target at a time). Whatever is learned, a synthesizer that keeps its
promise is not contradicted: the published twin had no part in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._membership_scores import headline, told_apart
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks._shadow_models import complementary
from privet.attacks.tables._released_rows import promise_of, refuse_absent, refuse_empty, released_of, rows_of
from privet.attacks.tables._table_codes import Coded, as_text, coded
from privet.attacks.tables._twin_traces import questions, traces_of
from privet.attacks.tables._wp29_scores import GUESSES
from privet.errors import BadAttack, NoPower
from privet.guarantee import Person
from privet.source import Table

if TYPE_CHECKING:
    import pyarrow as pa

SHADOWS = 16
_LEAST = 20  # people on either side below which a curve says nothing
_PRIOR = 4.0  # how many shadow twins the pooled spread counts for
_RIDGE = 0.05
_WHO = Adversary(
    "somebody who can run the synthesizer on rows like the originals",
    ("a person's whole row", "how the twin was made", "rows like the originals"),
    "the released table",
)

Make = Callable[["pa.Table", int], Any]


@register(name="membership-shadow-twins", on="table", needs=("members", "control", "recipe"))
def membership_shadow_twins(target: Any, case: Case) -> RiskEstimate:
    """Make the twin again many times, with each person and without, and tell which of the two the published one is like.

    Settings: `recipe`, a function of rows and a seed that makes such a table (`twin_recipe` of a twin); `shadows` (16), how
    often; `guesses`, the people scored on either side; `unit`, the column that names a person with several rows.
    """
    started = time.process_time()
    released, make = released_of(target), _recipe(case)
    pool = _pool(case)
    shadows = complementary(case.whole("shadows", SHADOWS), pool.people, case.seed)
    names = [name for name in released.rows.column_names if name in pool.rows.column_names]
    if not names:
        raise BadAttack(
            "the published table shares no column with the original and the control.",
            "Give tables with the same names of columns.",
        )
    made = _shadow_twins(make, pool, shadows, names, case)
    everything = coded([pool.rows.select(names), released.rows.select(names), *made], names)
    scored = pool.scored
    people, published = everything[0].take(scored), everything[1]
    traces = _traces(people, [published, *everything[2:]], case)
    inside = shadows[:, pool.person[scored]]
    scores = _person_scores(traces[0], traces[1:], inside, pool)
    members, others = scores[pool.is_member], scores[~pool.is_member]
    promise = promise_of(released, case)
    note = str(getattr(make, "note", ""))
    return RiskEstimate(
        attack="membership-shadow-twins",
        adversary=_WHO,
        cost=AttackCost(
            time.process_time() - started, records=len(scores), models=len(shadows), queries=len(shadows)
        ),
        promise=promise,
        artifact=released.name,
        notes=(note,) if note else (),
        details={**told_apart(members, others, promise, case.confidence), "shadows": len(shadows)},
        **headline(members, others, promise, case.confidence),
    )


@dataclass(frozen=True, eq=False)
class _Pool:
    """Members and control below each other, whose each row is, and the rows of those who are scored."""

    rows: pa.Table
    person: NDArray[np.int64]  # of each row
    people: int
    scored: NDArray[np.int64]  # rows
    place: NDArray[np.int64]  # of each scored row's person among those scored
    is_member: NDArray[np.bool_]  # of each person who is scored


def _recipe(case: Case) -> Make:
    found = case.setting("recipe", None)
    if not callable(found):
        raise BadAttack(
            "it is not known how this table was made, and shadow twins are made alike.",
            "Give the setting recipe: pv.twin_recipe(twin, table), or a function of rows and a seed.",
        )
    make: Make = found
    return make


def _pool(case: Case) -> _Pool:
    import pyarrow as pa

    members, control = rows_of(case.members), rows_of(case.control)
    refuse_empty(members=members, control=control)
    names = [name for name in members.column_names if name in control.column_names]
    try:
        rest = control.select(names).cast(members.select(names).schema)
    except pa.ArrowException:
        raise BadAttack(
            "members and control hold different kinds of values in a column of the same name.",
            "Read both in the same way.",
        ) from None
    rows = pa.concat_tables([members.select(names), rest]).combine_chunks()
    is_member = np.arange(len(rows)) < len(members)
    person, known = _persons(rows, is_member, case)
    people = int(person.max(initial=-1)) + 1
    sides = np.zeros(people, bool)
    sides[person[is_member]] = True
    return _drawn(rows, person, known, sides, case)


def _persons(
    rows: pa.Table, is_member: NDArray[np.bool_], case: Case
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Whose each row is, and whether that is known: the same number on both sides is two people's."""
    column = case.setting("unit", None)
    if column is None:
        own = getattr(case.members if isinstance(case.members, Table) else _recipe(case), "unit", None)
        column = own.column if isinstance(own, Person) else None
    if column is None:
        return np.arange(len(rows)), np.ones(len(rows), bool)
    refuse_absent(rows, [column], "the original or the control")
    codes = as_text(rows[column]).combine_chunks().dictionary_encode()
    found = np.asarray(codes.indices.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
    both = np.where(found < 0, -1, 2 * found + is_member)
    return np.unique(both, return_inverse=True)[1].astype(np.int64), both >= 0


def _drawn(
    rows: pa.Table,
    person: NDArray[np.int64],
    known: NDArray[np.bool_],
    sides: NDArray[np.bool_],
    case: Case,
) -> _Pool:
    """Equally many members and others, at most so many."""
    draw = repeatable_generator(case.seed, "shadow people")
    named = np.zeros(len(sides), bool)
    named[person[known]] = True
    each = [np.flatnonzero(named & (sides == side)) for side in (True, False)]
    size = min(*map(len, each), case.whole("guesses", GUESSES))
    if size < _LEAST:
        raise NoPower(
            f"fewer than {_LEAST} people are left on a side.", "Give more members and control rows."
        )
    chosen = np.sort(np.concatenate([draw.permutation(side)[:size] for side in each]))
    scored = np.flatnonzero(np.isin(person, chosen))
    place = np.searchsorted(chosen, person[scored])
    return _Pool(rows, person, len(sides), scored, place, sides[chosen])


def _shadow_twins(
    make: Make, pool: _Pool, inside: NDArray[np.bool_], names: list[str], case: Case
) -> list[pa.Table]:
    """A twin of each half. No shadow is kept beyond the attack."""
    made = []
    for k, half in enumerate(inside):
        if case.progress is not None:
            case.progress("shadow twins", k, len(inside))
        rows = pool.rows.take(np.flatnonzero(half[pool.person]))
        seed = int(repeatable_generator(case.seed, f"shadow twin {k}").integers(2**31 - 1))
        twin = rows_of(make(rows, seed))
        refuse_absent(twin, names, "a shadow twin")
        refuse_empty(**{"a shadow twin": twin})
        made.append(twin.select(names))
    return made


def _traces(people: Coded, tables: list[Coded], case: Case) -> NDArray[np.float64]:
    asked = questions(people, case.seed)
    return np.stack([traces_of(people, table, asked) for table in tables])


def _person_scores(
    observed: NDArray[np.float64],
    shadows: NDArray[np.float64],
    inside: NDArray[np.bool_],
    pool: _Pool,
) -> NDArray[np.float64]:
    """How much more the published twin looks like twins with each person: summed over the person's rows."""
    centre = shadows.mean(axis=0)
    apart = ((shadows - centre) ** 2).sum(axis=0)
    pooled = apart.mean(axis=0) / max(1, len(shadows) - 1)
    variance = np.maximum((_PRIOR * pooled + apart) / (_PRIOR + len(shadows) - 1), 1e-9)
    values = (np.concatenate([observed[None], shadows]) - centre) / np.sqrt(variance)
    # Where one more person is one more count, the best single figure weighs each count by its own variance.
    counts = slice(3, None)
    matched = ((np.concatenate([observed[None], shadows]) - centre)[..., counts] / variance[:, counts]).sum(
        axis=2
    )
    scale = matched[1:].std(axis=0) + 1e-9
    values = np.concatenate([values, (matched / scale)[..., None]], axis=2)
    direction = _direction(values[1:], inside)
    rows = values[0] @ direction
    return np.asarray(np.bincount(pool.place, weights=rows, minlength=len(pool.is_member)), np.float64)


def _direction(values: NDArray[np.float64], inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Fisher's linear discriminant between twins with a person and twins without, over everybody, with a ridge."""
    flat, side = values.reshape(-1, values.shape[2]), inside.reshape(-1)
    mean_in, mean_out = flat[side].mean(axis=0), flat[~side].mean(axis=0)
    centred = flat - np.where(side[:, None], mean_in, mean_out)
    spread = centred.T @ centred / max(1, len(flat) - 2)
    ridge = _RIDGE * np.trace(spread) / len(spread) * np.eye(len(spread)) + 1e-12 * np.eye(len(spread))
    return np.asarray(np.linalg.solve(spread + ridge, mean_in - mean_out))
