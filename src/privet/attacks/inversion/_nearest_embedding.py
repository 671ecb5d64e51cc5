"""The plainest reader: for every sent embedding the token whose own embedding is nearest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.inversion._shielded_texts import ShieldedTexts, shielded_texts
from privet.attacks.inversion._token_recovery import recovery, top_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROWS = 1_024
_READER = Adversary("whoever runs the model", ("the model's embeddings",), "the sent embeddings")


@register(name="shield-nearest-euclidean", on="shield", needs=("corpus",))
def nearest_l2(target: Any, case: Case) -> RiskEstimate:
    """Name for every sent embedding the token at the smallest Euclidean distance."""
    return _nearest("shield-nearest-euclidean", target, case, cosine=False)


@register(name="shield-nearest-cosine", on="shield", needs=("corpus",))
def nearest_cosine(target: Any, case: Case) -> RiskEstimate:
    """Name for every sent embedding the token that points most nearly the same way."""
    return _nearest("shield-nearest-cosine", target, case, cosine=True)


def _nearest(name: str, target: Any, case: Case, *, cosine: bool) -> RiskEstimate:
    started = time.process_time()
    texts = shielded_texts(target, case)
    guesses, ranks = nearest_tokens(target.sent_tokens(texts.wanted), texts, cosine=cosine)
    _, plain = nearest_tokens(target.plain_tokens(texts.wanted), texts, cosine=cosine)
    return recovery(
        name,
        texts,
        guesses,
        case,
        adversary=_READER,
        started=started,
        plain=top_rate(plain, texts, 1),
        more={"among": {str(most): top_rate(ranks, texts, most) for most in (1, 10, 100)}},
    )


def nearest_tokens(
    sent: Sequence[NDArray[Any]], texts: ShieldedTexts, *, cosine: bool
) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
    """For every place the nearest token, and the rank of the true one."""
    table = texts.target.table.astype(np.float32)
    if cosine:
        table = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
    sizes = np.zeros(len(table), np.float32) if cosine else (table**2).sum(1)
    rows, truth = np.concatenate(list(sent)), np.concatenate([np.asarray(one) for one in texts.wanted])
    guesses, ranks = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    for at in range(0, len(rows), _ROWS):
        here = slice(at, at + _ROWS)
        far = sizes - 2 * rows[here] @ table.T
        guesses[here] = far.argmin(1)
        own = far[np.arange(len(far)), truth[here]]
        ranks[here] = (far < own[:, None]).sum(1)
    ends = np.cumsum([len(one) for one in texts.wanted])[:-1]
    return list(np.split(guesses, ends)), list(np.split(ranks, ends))
