"""Readers that were trained on public texts through the very shield: place by place, with the places around, on averages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.inversion._inverter_network import (
    Send,
    caught_pairs,
    fresh_pairs,
    share_read,
    split_known,
    trained_inverter,
)
from privet.attacks.inversion._shielded_texts import ShieldedTexts, shielded_texts
from privet.attacks.inversion._token_recovery import recovery
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_STEPS = 800
_SENDS = 8
_SHARES = (0.01, 0.1)  # of the pairs, for somebody who caught them and has no shield
_FEWER = 3  # times fewer steps where it is only seen whether a reader of this kind can learn at all
_KNOWS = ("the shield itself", "the model's embeddings", "texts like those that are sent")
_READER = Adversary("whoever runs the model, with a reader that was trained", _KNOWS, "the sent embeddings")
_WAITER = Adversary(
    "whoever runs the model, and sees one text several times", _KNOWS, "the sent embeddings of several sends"
)


@register(name="shield-inverter-mlp", on="shield", needs=("corpus",))
def inverter_mlp(target: Any, case: Case) -> RiskEstimate:
    """Train a network to read every place by itself, on pairs that the shield makes."""
    return _inverted("shield-inverter-mlp", target, case, reads_around=False)


@register(name="shield-inverter-transformer", on="shield", needs=("corpus",))
def inverter_transformer(target: Any, case: Case) -> RiskEstimate:
    """Train a transformer to read every place with those around it, on pairs that the shield makes."""
    return _inverted("shield-inverter-transformer", target, case, reads_around=True)


@register(name="shield-averaging", on="shield", needs=("corpus",))
def averaging(target: Any, case: Case) -> RiskEstimate:
    """Average several sends of the same text, and train a network to read the averages."""
    started = time.process_time()
    sends = case.whole("sends", _SENDS)
    texts = shielded_texts(target, case)

    def averaged(sequences: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        total = [one.astype(float) for one in target.sent_tokens(sequences)]
        for _ in range(sends - 1):
            for place, one in enumerate(target.sent_tokens(sequences)):
                total[place] += one
        return [(one / sends).astype(np.float32) for one in total]

    found = _read(texts, averaged, case, reads_around=False)
    return recovery(
        "shield-averaging",
        texts,
        found,
        case,
        adversary=_WAITER,
        started=started,
        plain=_read_plain(texts, case, reads_around=False),
        more={"sends": sends},
        notes=(f"Each text is sent {sends} times.",),
    )


def _inverted(name: str, target: Any, case: Case, *, reads_around: bool) -> RiskEstimate:
    started = time.process_time()
    texts = shielded_texts(target, case)
    more: dict[str, Any] = {}
    if not reads_around:
        more["by pairs"] = [
            {"share": share, "read": _with_few(texts, case, share)}
            for share in _shares(case)
            if share * len(texts.known) >= 2
        ]
    return recovery(
        name,
        texts,
        _read(texts, target.sent_tokens, case, reads_around=reads_around),
        case,
        adversary=_READER,
        started=started,
        plain=_read_plain(texts, case, reads_around=reads_around),
        more=more,
    )


def _shares(case: Case) -> Sequence[float]:
    given = case.setting("pairs", _SHARES)
    if not all(isinstance(one, int | float) and 0 < one <= 1 for one in given):
        raise BadAttack("shares of pairs lie above 0 and are at most 1.", "Give pairs=(0.01, 0.1).")
    return tuple(map(float, given))


def _read(texts: ShieldedTexts, send: Send, case: Case, *, reads_around: bool) -> list[NDArray[np.int64]]:
    """Train on all texts there are, last on those that were guessed to be like the wanted ones; then read."""
    steps = case.whole("steps", _STEPS)
    learned, held = split_known(texts.known, case.seed)
    sources = [(fresh_pairs(send, learned), steps)]
    if texts.guessed:
        own, held = (
            split_known(texts.guessed, case.seed) if len(texts.guessed) >= 4 else (texts.guessed, held)
        )
        sources = [(sources[0][0], steps - steps // 3), (fresh_pairs(send, own), max(1, steps // 3))]
    made = trained_inverter(
        sources, (held, send(held)), texts.target.table, reads_around=reads_around, seed=case.seed
    )
    return made.guesses(send(texts.wanted))


def _read_plain(texts: ShieldedTexts, case: Case, *, reads_around: bool) -> float:
    """What such a reader gets of plain embeddings, with fewer steps: whether it could have worked."""
    send, steps = texts.target.plain_tokens, max(1, case.whole("steps", _STEPS) // _FEWER)
    learned, held = split_known(texts.known, case.seed)
    made = trained_inverter(
        [(fresh_pairs(send, learned), steps)],
        (held, send(held)),
        texts.target.table,
        reads_around=reads_around,
        seed=case.seed,
    )
    return share_read(made.guesses(send(texts.wanted)), texts.wanted)


def _with_few(texts: ShieldedTexts, case: Case, share: float) -> float:
    """What is read by somebody who caught a share of the pairs and can make no others."""
    learned, held = split_known(texts.known, case.seed)
    few = learned[: max(2, round(share * len(learned)))]
    send = texts.target.sent_tokens
    steps = max(1, case.whole("steps", _STEPS) // _FEWER)
    made = trained_inverter(
        [(caught_pairs(send, few), steps)],
        (held, send(held)),
        texts.target.table,
        reads_around=False,
        seed=case.seed,
    )
    return share_read(made.guesses(send(texts.wanted)), texts.wanted)
