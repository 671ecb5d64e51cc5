"""Singling out: a statement that is true of exactly one person, made from published rows alone.

Statements that are true of one published row are tried on the original. In one column: values that occur once, and
whatever lies at or beyond the ends. In several: a row's values in a few columns together, bounded or nearly so. That
every row is published twice hides nobody.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import Draw, repeatable_generator
from privet.attacks.tables._gower_distance import unrepeated
from privet.attacks.tables._predicates import (
    Predicates,
    about_rows,
    at_random,
    columns_for,
    counts,
    expected,
    joined,
    near_rows,
    telling_columns,
    true_of,
)
from privet.attacks.tables._released_rows import released_of
from privet.attacks.tables._synthetic_alignment import AlignedRows, alike
from privet.attacks.tables._table_codes import MISSING, Coded
from privet.attacks.tables._wp29_scores import GUESSES, GuessRound, concluded, refuse_powerless, repeated
from privet.errors import BadAttack

_READER = Adversary("anybody who reads the published table", (), "the released table")
_MEASURE = "share of statements true of exactly one person"
_FEW = 60  # a statement true of more people singles out nobody, however they are parted
_PARTINGS = 100
_Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
_CHOICE = 3  # statements to choose each wanted one from
_TRIES = 50  # statements made for each of those


@register(name="singling-out-univariate", on="table", needs=("members", "control"))
def univariate(target: Any, case: Case) -> RiskEstimate:
    """Make statements about one column that are true of one published row, and try them on the original.

    Settings: `guesses`, `repeats`, `columns`.
    """
    started = time.process_time()
    released = released_of(target)
    tables = alike(released, case)
    wanted = case.whole("guesses", GUESSES)
    made = one_column(unrepeated(tables.published))
    refuse_powerless(len(made), "statement about one column that is true of one published row")

    def play(at: int) -> GuessRound:
        drawn = tables.drawn(case, f"univariate {at}")
        draw = repeatable_generator(case.seed, f"univariate {at}")
        chosen = made.take(_in_turn(made.column[:, 0], wanted, draw))
        column = chosen.column[:, :1]
        return _round(drawn, chosen, at_random(tables.published, draw, column), wanted, draw)

    rounds = repeated(case, "singling-out-univariate", play)
    return concluded(
        "singling-out-univariate", _MEASURE, rounds, case, released, adversary=_READER, started=started
    )


@register(name="singling-out-multivariate", on="table", needs=("members", "control"))
def multivariate(target: Any, case: Case) -> RiskEstimate:
    """Make statements about several columns that are true of one published row, and try them on the original.

    Settings: `parts` (columns in a statement, 3), `guesses`, `repeats`, `columns`.
    """
    started = time.process_time()
    released = released_of(target)
    tables = alike(released, case)
    among = telling_columns(tables.published)
    parts = min(case.whole("parts", 3), len(among))
    if parts < 1:
        raise BadAttack("a statement has at least one part, about a column that varies.", "Set parts=3.")
    wanted = case.whole("guesses", GUESSES)
    rows = unrepeated(tables.published)
    made: list[int] = []

    def play(at: int) -> GuessRound:
        drawn = tables.drawn(case, f"multivariate {at}")
        draw = repeatable_generator(case.seed, f"multivariate {at}")
        chosen = several_columns(rows, among, parts, wanted, draw)
        refuse_powerless(len(chosen), "statement about several columns that is true of one published row")
        made.append(len(chosen))
        column = columns_for(draw, len(chosen), among, parts)
        middle = len(chosen) // 2
        blind = joined(
            [
                at_random(tables.published, draw, column[:middle]),
                at_random(tables.published, draw, column[middle:], near=True),
            ]
        )
        return _round(drawn, chosen, blind, wanted, draw)

    rounds = repeated(case, "singling-out-multivariate", play)
    left_out = len(tables.published.columns) - len(among)
    return concluded(
        "singling-out-multivariate",
        _MEASURE,
        rounds,
        case,
        released,
        adversary=_READER,
        started=started,
        notes=[f"{left_out} columns single out by themselves, or never, and were left out."]
        if left_out
        else [],
        details={"parts": parts, "columns": len(among)},
    )


def _round(drawn: AlignedRows, chosen: Predicates, blind: Predicates, wanted: int, draw: Draw) -> GuessRound:
    here, rows = true_of(drawn.members, chosen, _FEW)
    there, others = true_of(drawn.control, chosen, _FEW)
    size = len(chosen)
    return GuessRound(
        int((np.bincount(here, minlength=size) == 1).sum()),
        int((np.bincount(there, minlength=size) == 1).sum()),
        int((counts(drawn.members, blind) == 1).sum()),
        size,
        wanted,
        _independent(size, len(drawn.members), (here, rows), (there, others), draw),
    )


def _independent(size: int, half: int, here: _Pairs, there: _Pairs, draw: Draw) -> float:
    """How many independent statements are worth as much: statements about the same few people succeed together.

    Members and control are shuffled together and parted anew; the variance of the difference of successes over
    many partings, against what independent statements would have, is the effect of dependence (Kish 1965).
    """
    from scipy.sparse import csr_array

    statement = np.concatenate([here[0], there[0]])
    row = np.concatenate([here[1], there[1] + half])
    true = csr_array((np.ones(len(row), np.float32), (statement, row)), shape=(size, 2 * half))
    sides = np.argsort(draw.random((2 * half, _PARTINGS)), axis=0) < half
    first = true @ sides.astype(np.float32)
    second = np.asarray(true.sum(axis=1)).reshape(-1, 1) - first
    one, other = first == 1, second == 1
    moved = (one.sum(axis=0) - other.sum(axis=0)).astype(float)
    rate = float((one.mean() + other.mean()) / 2)
    alone = 2 * size * rate * (1 - rate)
    return size if alone == 0 else float(size / max(1.0, moved.var() / alone))


def one_column(table: Coded) -> Predicates:
    """Every statement about one column that is true of one row: single values, single gaps, and the ends."""
    columns, lows, highs = [], [], []
    for j in range(len(table.columns)):
        occurs = np.bincount(table.codes[:, j] + 1, minlength=table.sizes[j] + 1)
        single = np.flatnonzero(occurs == 1) - 1
        low, high = single.copy(), single.copy()
        if table.is_number[j]:
            known = table.codes[table.codes[:, j] != MISSING, j]
            if len(known):
                # At or beyond the ends: people further out than anybody published are caught too.
                low[single == known.min()] = 0
                high[single == known.max()] = table.sizes[j]
        columns.append(np.full(len(single), j))
        lows.append(low)
        highs.append(high)
    return Predicates(
        np.concatenate(columns)[:, None].astype(np.int64),
        np.concatenate(lows)[:, None].astype(np.int32),
        np.concatenate(highs)[:, None].astype(np.int32),
    )


def _in_turn(column: NDArray[np.int64], wanted: int, draw: Draw) -> NDArray[np.int64]:
    """So many statements, from one column after the other: no column with many values crowds out the others."""
    order = draw.permutation(len(column))
    ordered = column[order]
    by_column = np.argsort(ordered, kind="stable")
    starts = np.searchsorted(ordered[by_column], ordered[by_column])
    turn = np.empty(len(column), np.int64)
    turn[by_column] = np.arange(len(column)) - starts
    return order[np.lexsort((ordered, turn))][:wanted]


def several_columns(table: Coded, among: list[int], parts: int, wanted: int, draw: Draw) -> Predicates:
    """Different statements about several columns that are true of one row each, the least likely by chance first.

    Half of them bound numbers from one side, half name a narrow span. Of more than are wanted, those are kept that
    chance makes true of the fewest: they stay true of one person in other rows too.
    """
    half = (wanted + 1) // 2
    found = [
        _rarest(table, _single(table, among, parts, _CHOICE * many, draw=draw, how=how), many)
        for how, many in ((about_rows, half), (near_rows, wanted - half))
        if many
    ]
    return joined(found)


def _rarest(table: Coded, made: Predicates, wanted: int) -> Predicates:
    return made.take(np.argsort(expected(table, made), kind="stable")[:wanted])


def _single(
    table: Coded, among: list[int], parts: int, wanted: int, *, draw: Draw, how: Callable[..., Predicates]
) -> Predicates:
    """Different statements that are true of one row each, until there are enough or tries run out."""
    empty = np.zeros((0, parts), np.int64)
    found = [Predicates(empty, empty.astype(np.int32), empty.astype(np.int32))]
    seen = np.zeros(0, np.int64)
    tried = 0
    while len(seen) < wanted and tried < _TRIES * wanted:
        size = int(np.clip(2 * (wanted - len(seen)), 500, 20_000))
        rows = draw.integers(0, len(table), size)
        made = how(table, rows, np.sort(columns_for(draw, size, among, parts), axis=1))
        single = np.flatnonzero(counts(table, made) == 1)
        tried += size
        keys = _names(made.take(single))
        _, first = np.unique(keys, return_index=True)
        fresh = np.sort(first[~np.isin(keys[first], seen)])
        found.append(made.take(single[fresh]))
        seen = np.concatenate([seen, keys[fresh]])
    together = joined(found)
    return together.take(np.arange(min(wanted, len(together))))


def _names(made: Predicates) -> NDArray[np.int64]:
    """One number for each statement; equal statements have equal ones."""
    key = np.full(len(made), 1_469_598_103_934_665_603, np.uint64)
    for part in (made.column, made.low + 1, made.high + 1):
        for at in range(part.shape[1]):
            key = (key ^ part[:, at].astype(np.uint64)) * np.uint64(1_099_511_628_211)
            key ^= key >> np.uint64(29)
    return key.view(np.int64)
