"""Linkability: two sets of facts, held apart, are tied to one person by a published row near to both.

The attacker has some columns of a person from one place and others from another. If the published rows nearest by
the first and nearest by the second share one, the facts are taken to be of one person. Rows that are equally near
all count, so that ambiguous columns cannot hide a copy.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.tables._gower_distance import add_column, prepared
from privet.attacks.tables._released_rows import released_of
from privet.attacks.tables._synthetic_alignment import alike
from privet.attacks.tables._table_codes import Coded
from privet.attacks.tables._wp29_scores import GUESSES, GuessRound, concluded, repeated
from privet.errors import BadAttack

_CELLS = 4_000_000
_EPSILON = np.float32(1e-6)


@register(name="linkability", on="table", needs=("members", "control"))
def linkability(target: Any, case: Case) -> RiskEstimate:
    """Tie two sets of facts about one person together through the published rows.

    Settings: `halves`, two lists of columns (every other column, the most varied first); `neighbours`, how many
    nearest rows count (1); `guesses`, `repeats`, `columns`.
    """
    started = time.process_time()
    released = released_of(target)
    tables = alike(released, case)
    halves = _halves(tables.published, case)
    neighbours = case.whole("neighbours", 1)
    wanted = case.whole("guesses", GUESSES)

    def play(at: int) -> GuessRound:
        drawn = tables.drawn(case, f"linkability {at}", wanted)
        mixed = repeatable_generator(case.seed, f"linkability {at}").permutation(len(drawn.members))
        right, blind = linked(drawn.members, tables.published, halves, neighbours, mixed)
        control, _ = linked(drawn.control, tables.published, halves, neighbours, None)
        return GuessRound(right, control, blind, len(drawn.members), min(wanted, len(tables.members)))

    rounds = repeated(case, "linkability", play)
    adversary = Adversary(
        "somebody with two lists of facts about people",
        tuple(
            f"{', '.join(repr(tables.published.columns[j]) for j in half)} in the {which} list"
            for half, which in zip(halves, ("first", "second"), strict=True)
        ),
        "the released table",
    )
    return concluded(
        "linkability",
        "share of pairs of facts tied to one person",
        rounds,
        case,
        released,
        adversary=adversary,
        started=started,
        notes=["Blind guesses tie facts of two different people."],
        details={"neighbours": neighbours, "columns": [len(half) for half in halves]},
    )


def _halves(table: Coded, case: Case) -> tuple[list[int], list[int]]:
    stated = case.setting("halves", None)
    if stated is not None:
        unknown = [name for half in stated for name in half if name not in table.columns]
        if unknown or len(stated) != 2 or set(stated[0]) & set(stated[1]) or not all(stated):
            raise BadAttack(
                "halves are two lists of columns that all tables have, with no column in both.",
                "Write halves=[['born', 'zip'], ['ward', 'days']].",
            )
        return [table.at(name) for name in stated[0]], [table.at(name) for name in stated[1]]
    varied = sorted(range(len(table.columns)), key=lambda j: (-len(np.unique(table.codes[:, j])), j))
    if len(varied) < 2:
        raise BadAttack("facts from two places need two columns.", "Give a table with more columns.")
    return sorted(varied[::2]), sorted(varied[1::2])


def linked(
    people: Coded,
    published: Coded,
    halves: Sequence[Sequence[int]],
    neighbours: int,
    mixed: NDArray[np.int64] | None,
) -> tuple[int, int]:
    """How many people's two halves meet in a published row; and how many of one's first with another's second half."""
    theirs = prepared(published)
    mine = prepared(people)
    step = max(1, _CELLS // max(1, len(published)))
    near = [np.empty((len(people), (len(published) + 7) // 8), np.uint8) for _ in halves]
    for start in range(0, len(people), step):
        part = slice(start, min(start + step, len(people)))
        for half, bits in zip(halves, near, strict=True):
            total = np.zeros((part.stop - part.start, len(published)), np.float32)
            for j in half:
                add_column(total, mine[j][part], theirs[j])
            bits[part] = np.packbits(total <= _reach(total, neighbours)[:, None], axis=1)
    right = int((near[0] & near[1]).any(axis=1).sum())
    blind = (
        0
        if mixed is None
        else int((near[0] & near[1][np.roll(mixed, 1)][np.argsort(mixed)]).any(axis=1).sum())
    )
    return right, blind


def _reach(total: NDArray[np.float32], neighbours: int) -> NDArray[np.float32]:
    at = min(neighbours, total.shape[1]) - 1
    return (total.min(axis=1) if at == 0 else np.partition(total, at, axis=1)[:, at]) + _EPSILON
