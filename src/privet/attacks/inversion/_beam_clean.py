"""BeamClean: learn the noise from what is sent, and read it with a prior on language (arXiv 2505.13758).

The noise is taken for Gaussian with an offset and a variance of its own in each entry, the same at every place, and fitted by
the likelihood of the sent embeddings with the tokens summed out. For centres that are known the likelihood is climbed by
expectation and maximization in closed form (Dempster, Laird and Rubin 1977) in place of gradient steps. Then a beam follows the
texts that explain what was sent and are likely by pairs of words.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.inversion._shielded_texts import ShieldedTexts, shielded_texts
from privet.attacks.inversion._token_recovery import recovery

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAMPLE, _MOST_WORK = (
    4_000,
    40_000_000,
)  # sent embeddings that the noise is learned from; entries of places × tokens
_ROUNDS, _STILL = 40, 0.005
_WIDTH, _CANDIDATES = 20, 400
_TRUST = 0.7  # in a pair of words that was seen, against the frequency of the second alone
_READER = Adversary(
    "whoever runs the model",
    ("the model's embeddings", "texts like those that are sent", "that noise is added, not how much"),
    "the sent embeddings",
)


@register(name="shield-beam-clean", on="shield", needs=("corpus",))
def beam_clean(target: Any, case: Case) -> RiskEstimate:
    """Learn the noise without being told, and search for the likeliest text."""
    started = time.process_time()
    texts = shielded_texts(target, case)
    prior = pair_prior(texts)
    sent = target.sent_tokens(texts.wanted)
    noise = learned_noise(sent, target.table, prior.single, case.seed)
    plain_sent = target.plain_tokens(texts.wanted)
    plain_noise = learned_noise(plain_sent, target.table, prior.single, case.seed)
    plain = _read(plain_sent, target.table, plain_noise, prior)
    hits = sum(int(np.equal(one, true).sum()) for one, true in zip(plain, texts.wanted, strict=True))
    unit = float(np.mean(target.table.astype(float) ** 2))
    return recovery(
        "shield-beam-clean",
        texts,
        _read(sent, target.table, noise, prior),
        case,
        adversary=_READER,
        started=started,
        plain=hits / sum(map(len, texts.wanted)),
        more={"variance": float(noise.variance.mean()) / unit},
        notes=(
            f"Noise as the attack sees it: variance {float(noise.variance.mean()) / unit:.3g}, in units of the embeddings' mean square.",
            "The prior on language is one of pairs of words.",
        ),
    )


@dataclass(frozen=True)
class PairPrior:
    """Probabilities of tokens alone and after another, from the adversary's texts."""

    single: NDArray[np.float64]
    after: dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]]

    def given(self, token: int | None) -> NDArray[np.float64]:
        """The probability of each token after this one."""
        seen = None if token is None else self.after.get(token)
        if seen is None:
            return self.single
        found = (1 - _TRUST) * self.single
        found[seen[0]] += _TRUST * seen[1]
        return found


def pair_prior(texts: ShieldedTexts) -> PairPrior:
    """Counted in the adversary's texts, every token once more than it stands there."""
    size = len(texts.target.table)
    counts = np.ones(size)
    pairs: dict[int, dict[int, int]] = {}
    for one in (*texts.known, *texts.guessed):
        np.add.at(counts, one, 1)
        for first, second in pairwise(one):
            row = pairs.setdefault(first, {})
            row[second] = row.get(second, 0) + 1
    after = {}
    for first, row in pairs.items():
        weights = np.array(list(row.values()), float)
        after[first] = np.array(list(row), np.int64), weights / weights.sum()
    return PairPrior(counts / counts.sum(), after)


@dataclass(frozen=True)
class LearnedNoise:
    """Offset and variance of each entry."""

    offset: NDArray[np.float64]
    variance: NDArray[np.float64]

    def log_likelihood(self, rows: NDArray[Any], table: NDArray[Any]) -> NDArray[np.float64]:
        """Of each row under each token, rows × tokens, up to what all tokens share."""
        weights = 1 / self.variance
        centred = rows - self.offset
        found = centred @ (table * weights).T - 0.5 * (table**2 @ weights)
        return np.asarray(found)


def learned_noise(
    sent: Sequence[NDArray[Any]], table: NDArray[Any], prior: NDArray[np.float64], seed: int = 0
) -> LearnedNoise:
    """The noise that makes what was sent likeliest, tokens being drawn by their frequency."""
    rows = np.concatenate(list(sent)).astype(float)
    table = table.astype(float)
    most = max(200, min(_SAMPLE, _MOST_WORK // len(table)))
    if len(rows) > most:
        rows = rows[repeatable_generator(seed, "noise of a shield").permutation(len(rows))[:most]]
    floor = 1e-4 * float((table**2).mean())
    centre = prior @ table
    spread = prior @ (table - centre) ** 2
    # By moments first: variances of token and noise add up.
    start = max(float((rows.var(0) - spread).mean()), 0.05 * float(spread.mean()), floor)
    noise = LearnedNoise(rows.mean(0) - centre, np.full(table.shape[1], start))
    for _ in range(_ROUNDS):
        scores = noise.log_likelihood(rows, table) + np.log(prior)
        scores -= scores.max(1, keepdims=True)
        share = np.exp(scores)
        share /= share.sum(1, keepdims=True)
        first, second = share @ table, share @ table**2
        offset = (rows - first).mean(0)
        moved = rows - offset
        variance = np.maximum((moved**2 - 2 * moved * first + second).mean(0), floor)
        change = abs(float(variance.mean()) / float(noise.variance.mean()) - 1)
        noise = LearnedNoise(offset, variance)
        if change < _STILL:
            break
    return noise


def _read(
    sent: Sequence[NDArray[Any]], table: NDArray[Any], noise: LearnedNoise, prior: PairPrior
) -> list[NDArray[np.int64]]:
    wide = table.astype(float)
    return [_beam(noise.log_likelihood(one.astype(float), wide), prior) for one in sent]


def _beam(scores: NDArray[np.float64], prior: PairPrior) -> NDArray[np.int64]:
    """The likeliest text among those that a beam follows."""
    few = min(_CANDIDATES, scores.shape[1])
    paths: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    single = np.log(prior.single)
    for row in scores:
        shown = np.argpartition(-(row + single), few - 1)[:few]
        totals = np.concatenate(
            [
                total + row[shown] + np.log(prior.given(path[-1] if path else None)[shown])
                for total, path in paths
            ]
        )
        best = np.argsort(-totals)[:_WIDTH]
        paths = [(float(totals[at]), (*paths[at // few][1], int(shown[at % few]))) for at in best.tolist()]
    return np.array(paths[0][1], np.int64)
