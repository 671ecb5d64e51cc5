"""How much of the sent texts was read: all tokens, and rare ones, names and numbers apart, each with an interval.

Tokens of one text are not independent, so the interval is that of a ratio over texts (Cochran 1977, section 2.11).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_scores import rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privet.attacks._attack_registry import Case
    from privet.attacks.inversion._shielded_texts import ShieldedTexts

MEASURE = "share of tokens read"
COULD_HAVE_WORKED = (
    0.5  # of plain embeddings' tokens: an attack that reads fewer of those could not have worked
)


def recovery(
    name: str,
    texts: ShieldedTexts,
    found: Sequence[NDArray[np.int64]],
    case: Case,
    *,
    adversary: Adversary,
    started: float,
    plain: float,
    more: dict[str, Any] | None = None,
    notes: tuple[str, ...] = (),
) -> RiskEstimate:
    """The estimate of an attack that names a token for every place. `plain` is what it reads of plain embeddings."""
    right = [np.equal(guess, one) for guess, one in zip(found, texts.wanted, strict=True)]
    kinds = {kind: _share(right, masks, case.confidence) for kind, masks in kinds_of(texts).items()}
    names = _names_read(texts, right, case.confidence)
    details = {
        "kinds": {kind: asdict(one) for kind, (one, count) in kinds.items() if count and kind != "all"}
        | ({} if names is None else {"names": asdict(names[0])}),
        "counts": {kind: count for kind, (_, count) in kinds.items()}
        | ({} if names is None else {"names": names[1]}),
        "plain": plain,
        "worked": plain >= COULD_HAVE_WORKED,
    }
    guess = texts.guess()
    same = [np.equal(one, guess) for one in texts.wanted]
    return RiskEstimate(
        attack=name,
        measure=MEASURE,
        success=kinds["all"][0],
        baseline=_share(same, kinds_of(texts)["all"], case.confidence)[0].value,
        adversary=adversary,
        cost=AttackCost(time.process_time() - started, records=len(texts.wanted)),
        artifact=texts.target.name,
        notes=(*texts.notes(), *notes),
        details={**details, **(more or {})},
    )


def kinds_of(texts: ShieldedTexts) -> dict[str, list[NDArray[np.bool_]]]:
    """For each kind of token, which places of the wanted texts hold one."""
    special = np.array(sorted(texts.target.special), np.int64)
    counts = texts.counts
    of_digits = {token: any(map(str.isdigit, texts.target.token_text(token))) for token in _distinct(texts)}
    found: dict[str, list[NDArray[np.bool_]]] = {"all": [], "rare": [], "numbers": []}
    for one in texts.wanted:
        own = ~np.isin(one, special)
        found["all"].append(own)
        found["rare"].append(own & np.array([counts[token] <= texts.rare for token in one], bool))
        found["numbers"].append(own & np.array([of_digits[token] for token in one], bool))
    return found


def top_rate(ranks: Sequence[NDArray[np.int64]], texts: ShieldedTexts, most: int) -> float:
    """Share of tokens that stand among the first `most` of an attack's list."""
    masks = kinds_of(texts)["all"]
    hits = sum(int((one[mask] < most).sum()) for one, mask in zip(ranks, masks, strict=True))
    return hits / max(1, sum(int(mask.sum()) for mask in masks))


def _distinct(texts: ShieldedTexts) -> set[int]:
    return {token for one in texts.wanted for token in one}


def _share(
    right: Sequence[NDArray[np.bool_]], masks: Sequence[NDArray[np.bool_]], confidence: float
) -> tuple[IntervalEstimate, int]:
    """The share of right places among those of a mask, and how many there are."""
    hits = np.array([int(one[mask].sum()) for one, mask in zip(right, masks, strict=True)])
    sizes = np.array([int(mask.sum()) for mask in masks])
    return clustered_rate(hits, sizes, confidence), int(sizes.sum())


def clustered_rate(hits: NDArray[Any], sizes: NDArray[Any], confidence: float) -> IntervalEstimate:
    """A share whose trials come in clusters: the exact interval of as many independent trials as the clusters are worth."""
    hits, sizes = hits[sizes > 0].astype(float), sizes[sizes > 0].astype(float)
    total, clusters = float(sizes.sum()), len(sizes)
    if not clusters:
        return IntervalEstimate(0.0, 0.0, 1.0, confidence)
    value = float(hits.sum()) / total
    worth = float(clusters)
    if 0 < value < 1 and clusters > 1:
        variance = float(((hits - value * sizes) ** 2).sum()) / total**2 * clusters / (clusters - 1)
        if variance > 0:
            worth = min(max(value * (1 - value) / variance, 1.0), total)
    whole = max(1, round(worth))
    exact = rate(round(value * whole), whole, confidence)
    return IntervalEstimate(value, min(value, exact.low), max(value, exact.high), confidence)


def _names_read(
    texts: ShieldedTexts, right: Sequence[NDArray[np.bool_]], confidence: float
) -> tuple[IntervalEstimate, int] | None:
    """Names of which every token was read. None where no names were given."""
    if not texts.names:
        return None
    hits, sizes = np.zeros(len(right)), np.zeros(len(right))
    for place, (one, good) in enumerate(zip(texts.wanted, right, strict=True)):
        taken = np.zeros(len(one), bool)
        for name in sorted(texts.names, key=len, reverse=True):
            for at in range(len(one) - len(name) + 1):
                if tuple(one[at : at + len(name)]) == name and not taken[at : at + len(name)].any():
                    taken[at : at + len(name)] = True
                    sizes[place] += 1
                    hits[place] += bool(good[at : at + len(name)].all())
    return clustered_rate(hits, sizes, confidence), int(sizes.sum())
