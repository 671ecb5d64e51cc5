"""Words that nobody listed: found by extending prefixes, or by joining fragments, each with an estimated count."""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Answer
from privet.guarantee.oracles import CHECKS
from privet.protect.collect._frequency_estimates import Frequencies, estimated
from privet.protect.collect._protocols import FragmentPuzzle, PrefixExtension

if TYPE_CHECKING:
    from privet.protect.collect._collected import Collected
    from privet.protect.collect._collection import Collection

KEPT = 256  # prefixes that are extended, and fragments that are joined, at each step
MOST_CANDIDATES = 200_000
MEANING = (
    "estimated number of people with this word; intervals hold for all candidates together, so that choosing the most "
    "frequent does not spoil them: a word whose interval reaches 0 may be nobody's"
)


def word_answers(
    found: Collected, collection: Collection, z: float, *, kept: int = KEPT
) -> tuple[dict[str, Any], tuple[Answer, ...]]:
    """The words found, most frequent first.

    They are chosen by the counts that are shown, so each interval is as wide as all candidates together need
    (Bonferroni): an interval for one word alone would miss the truth of chosen ones far too often.
    """
    protocol = collection.protocol
    if isinstance(protocol, PrefixExtension):
        codes, part = extended_prefixes(protocol, found, collection.public_seed, kept)
        scale = found.reports / max(part.reports, 1)
    else:
        assert isinstance(protocol, FragmentPuzzle)
        codes, part = joined_fragments(protocol, found, collection.public_seed, kept)
        scale = 1.0
    order = np.argsort(-part.counts, kind="stable")[:kept]
    counts = part.counts[order] * scale
    alone = 2 * (1 - NormalDist().cdf(z))
    z = -NormalDist().inv_cdf(alone / (2 * max(part.candidates, 1)))
    # Of prefixes, who reported whole words is random as well.
    errors = np.sqrt(part.errors[order] ** 2 + np.maximum(part.counts[order], 0) * (1 - 1 / scale)) * scale
    low, high = (tuple(float(value) for value in counts + sign * z * errors) for sign in (-1, 1))
    words = protocol.question.texts(codes[order])
    answer = Answer("count", MEANING, tuple(float(value) for value in counts), low, high)
    return {"word": tuple(words)}, (answer,)


def extended_prefixes(
    protocol: PrefixExtension, found: Collected, seed: int, kept: int
) -> tuple[NDArray[np.int64], Frequencies]:
    """The most frequent whole texts, by extending the most frequent prefixes (PEM; Wang, Li and Jha 2021)."""
    oracle = protocol.oracle
    letters, size = len(protocol.question.alphabet) + 1, oracle.pool * oracle.range
    codes = np.zeros((1, 0), np.int64)
    part = Frequencies(np.zeros(0), np.zeros(0), 0)
    for number, length in enumerate(protocol.prefix_lengths):
        for _ in range(length - codes.shape[1]):
            codes = _extended(codes, letters)
        cells = found.cells[""].dense(number * size, size).reshape(oracle.pool, oracle.range)
        part = estimated(
            oracle, cells, found.counts.get(str(number), 0), protocol.words(codes, length, seed), seed
        )
        best = np.argsort(-part.counts, kind="stable")[:kept]
        codes, part = codes[best], Frequencies(part.counts[best], part.errors[best], part.reports, len(codes))
    return codes, part


def _extended(codes: NDArray[np.int64], letters: int) -> NDArray[np.int64]:
    """Each prefix with every character; one that has ended stays as it is."""
    ended = codes[:, -1] == 0 if codes.shape[1] else np.zeros(len(codes), np.bool_)
    first = 0 if codes.shape[1] else 1  # no text is empty
    more = np.arange(first, letters)
    grown = np.column_stack([np.repeat(codes[~ended], len(more), axis=0), np.tile(more, int((~ended).sum()))])
    stayed = np.column_stack([codes[ended], np.zeros(int(ended.sum()), np.int64)])
    return np.concatenate([grown, stayed])


def joined_fragments(
    protocol: FragmentPuzzle, found: Collected, seed: int, kept: int
) -> tuple[NDArray[np.int64], Frequencies]:
    """Texts whose fragments are frequent at every place under one check, estimated by the sketch of texts (SFP; Apple 2017)."""
    letters = len(protocol.question.alphabet) + 1
    grid = np.indices((letters,) * protocol.fragment).reshape(protocol.fragment, -1).T
    pieces = np.tile(grid, (CHECKS, 1))
    checks = np.repeat(np.arange(CHECKS), len(grid))
    chosen = []
    for number in range(len(protocol.starts)):
        words = protocol.pieces(checks, pieces, number, seed)
        part = estimated(
            protocol.oracle, found.cells[str(number)], found.counts.get(str(number), 0), words, seed
        )
        best = np.argsort(-part.counts, kind="stable")[:kept]
        chosen.append((checks[best], pieces[best]))
    codes = _joined(chosen, protocol, seed)
    words = protocol.words(codes, seed)
    part = estimated(protocol.oracle, found.cells["words"], found.counts["words"], words, seed)
    return codes, replace(part, candidates=len(codes))


def _joined(
    chosen: list[tuple[NDArray[np.int64], NDArray[np.int64]]], protocol: FragmentPuzzle, seed: int
) -> NDArray[np.int64]:
    """Every way to put fragments of one check together whose text has that check."""
    found = [np.zeros((0, protocol.question.length), np.int64)]
    for check in range(CHECKS):
        codes = np.zeros((1, 0), np.int64)
        for checks, pieces in chosen:
            inside = pieces[checks == check]
            pairs = len(codes) * len(inside)
            if not pairs or pairs > MOST_CANDIDATES:
                codes = codes[:0]
                break
            codes = np.concatenate(
                [np.repeat(codes, len(inside), axis=0), np.tile(inside, (len(codes), 1))], axis=1
            )
        if codes.shape[1] != protocol.question.length:
            continue
        ended = np.maximum.accumulate(codes == 0, axis=1)
        codes = codes[(codes[:, 0] > 0) & ~(ended & (codes > 0)).any(axis=1)]
        found.append(codes[protocol.checks(protocol.words(codes, seed)) == check])
    return np.concatenate(found)
