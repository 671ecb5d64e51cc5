"""Inference: what is not known of a person is read off the published rows nearest by what is known.

A guess about a number is right within a share of its value, as far as one about a category is right when equal.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.tables._gower_distance import add_column, blocks, prepared
from privet.attacks.tables._released_rows import Released, columns_with, refuse_absent, released_of
from privet.attacks.tables._synthetic_alignment import AlignedRows, alike
from privet.attacks.tables._table_codes import MISSING, Coded
from privet.attacks.tables._wp29_scores import GUESSES, GuessRound, concluded, repeated
from privet.errors import BadAttack, NoPower

_EPSILON = np.float32(1e-6)
_TOLERANCE = 0.05


@register(name="inference", on="table", needs=("members", "control"))
def inference(target: Any, case: Case) -> RiskEstimate:
    """Guess what is not known of a person from the published rows nearest by what is.

    Settings: `secret`, a column or several (default: the sensitive ones, else each in turn); `known`, the columns
    that the attacker has (all others); `tolerance` for numbers, as a share of the column's span (0.05); `guesses`,
    `repeats`. With several secrets the worst is reported, at a confidence that allows for the choice (Bonferroni).
    """
    started = time.process_time()
    released = released_of(target)
    tables = alike(released, case)
    secrets = _secrets(tables.published, released, case)
    known = _known(tables.published, case)
    wanted = case.whole("guesses", GUESSES)
    tolerance = case.number("tolerance", _TOLERANCE)

    def play(at: int) -> list[GuessRound]:
        drawn = tables.drawn(case, f"inference {at}", wanted)
        mine = guessed_right(drawn.members, tables.published, secrets, known, tolerance)
        others = guessed_right(drawn.control, tables.published, secrets, known, tolerance)
        blind = [_blindly(drawn, tables.published, secret, tolerance) for secret in secrets]
        size = len(drawn.members)
        most = min(wanted, len(tables.members))
        return [
            GuessRound(int(a), int(b), c, size, most) for a, b, c in zip(mine, others, blind, strict=True)
        ]

    rounds = repeated(case, "inference", play)
    confidence = 1 - (1 - case.confidence) / len(secrets)
    risks, worst = _worst(rounds, confidence)
    names = [tables.published.columns[secret] for secret in secrets]
    return concluded(
        "inference",
        "share of unknown values guessed right",
        [each[worst] for each in rounds],
        case,
        released,
        adversary=Adversary(
            "somebody who knows a part of a person's row",
            (f"every column but {names[worst]!r}" if known is None else f"{len(known)} columns",),
            "the released table",
        ),
        started=started,
        notes=[] if len(secrets) == 1 else [f"The worst of {len(secrets)} columns is {names[worst]!r}."],
        details={"secret": names[worst], "risk_by_column": dict(zip(names, risks, strict=True))},
        confidence=confidence,
    )


def _worst(rounds: Sequence[Sequence[GuessRound]], confidence: float) -> tuple[list[float | None], int]:
    """The middle risk of each secret, None where nothing can be exceeded; and the secret where it is largest."""
    risks: list[float | None] = []
    for at in range(len(rounds[0])):
        try:
            found = sorted(each[at].risk(confidence).value for each in rounds)
        except NoPower:
            risks.append(None)
            continue
        risks.append(found[(len(found) - 1) // 2])
    known = [risk for risk in risks if risk is not None]
    if not known:
        raise NoPower(
            "every value is always guessed, for people who were not used as well.",
            "These columns hold the same for everybody: choose others as secret.",
        )
    return risks, risks.index(max(known))


def _secrets(table: Coded, released: Released, case: Case) -> list[int]:
    stated = case.setting("secret", None)
    if stated is None:
        sensitive = columns_with("sensitive", released, case, needed=False)
        names = [name for name in sensitive if name in table.columns] or list(table.columns)
    else:
        names = [stated] if isinstance(stated, str) else list(stated)
        refuse_absent(released.rows, names, "the published table")
    if len(table.columns) < 2:
        raise BadAttack(
            "with one column there is nothing to guess it from.", "Give a table with more columns."
        )
    return [table.at(name) for name in names]


def _known(table: Coded, case: Case) -> list[int] | None:
    stated = case.setting("known", None)
    if stated is None:
        return None
    lacking = [name for name in stated if name not in table.columns]
    if lacking or not stated:
        raise BadAttack(
            "what is known must be columns that all tables have.", "Check the names.", columns=lacking
        )
    return [table.at(name) for name in stated]


def guessed_right(
    people: Coded, published: Coded, secrets: Sequence[int], known: Sequence[int] | None, tolerance: float
) -> NDArray[np.int64]:
    """For each secret how many people's values are guessed right.

    The distance by all columns is made once; each secret's own part is taken away from it again.
    """
    at = list(range(len(people.columns))) if known is None else list(known)
    mine, theirs = prepared(people), prepared(published)
    right = np.zeros(len(secrets), np.int64)
    for part, total in blocks(people.only(at), published.only(at)):
        for place, secret in enumerate(secrets):
            if secret in at:
                add_column(total, mine[secret][part], theirs[secret], -1)
            guess = _guess(total, published, secret)
            right[place] += int(_is_right(people, secret, part, guess, tolerance).sum())
            if secret in at:
                add_column(total, mine[secret][part], theirs[secret])
    return right


def _guess(total: NDArray[np.float32], published: Coded, secret: int) -> NDArray[np.float64]:
    """The most frequent code among the nearest rows, or the mean of their numbers; NaN or -1 for a gap."""
    close = total <= total.min(axis=1, keepdims=True) + _EPSILON
    person, row = np.nonzero(close)
    if published.is_number[secret]:
        values = published.numbers[row, secret]
        known = ~np.isnan(values)
        size = np.bincount(person[known], minlength=len(total))
        sums = np.bincount(person[known], weights=values[known], minlength=len(total))
        return np.asarray(np.divide(sums, size, out=np.full(len(total), np.nan), where=size > 0), float)
    width = published.sizes[secret] + 1
    keys, votes = np.unique(person * width + published.codes[row, secret] + 1, return_counts=True)
    order = np.lexsort((-votes, keys // width))
    first = np.unique((keys // width)[order], return_index=True)[1]
    return np.asarray(keys[order][first] % width - 1, float)


def _is_right(
    people: Coded, secret: int, part: slice, guess: NDArray[np.float64], tolerance: float
) -> NDArray[np.bool_]:
    if not people.is_number[secret]:
        found: NDArray[np.bool_] = people.codes[part, secret] == guess
        return found
    truth = people.numbers[part, secret]
    gap = people.codes[part, secret] == MISSING
    with np.errstate(invalid="ignore"):
        near: NDArray[np.bool_] = np.abs(truth - guess) <= tolerance
    return np.where(gap, np.isnan(guess), near)


def _blindly(drawn: AlignedRows, published: Coded, secret: int, tolerance: float) -> int:
    """The best that one guess for everybody does: the most frequent published value, or the fullest span of numbers."""
    if not published.is_number[secret]:
        common = int(np.bincount(published.codes[:, secret] + 1).argmax()) - 1
        return int((drawn.members.codes[:, secret] == common).sum())
    values = np.sort(published.numbers[~np.isnan(published.numbers[:, secret]), secret])
    if not len(values):
        return int((drawn.members.codes[:, secret] == MISSING).sum())
    inside = np.searchsorted(values, values + 2 * tolerance, "right") - np.arange(len(values))
    centre = values[int(inside.argmax())] + tolerance
    with np.errstate(invalid="ignore"):
        return int((np.abs(drawn.members.numbers[:, secret] - centre) <= tolerance).sum())
