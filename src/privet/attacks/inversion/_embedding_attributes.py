"""What sent embeddings tell of the person, without a word being read: sex, diagnosis, sentiment, whatever has labels."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import rate
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.inversion._inverter_network import Inverter, Send, inverter_network
from privet.attacks.memorization import texts_of
from privet.errors import BadAttack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_STEPS, _BATCH, _RATE, _LONGEST = 300, 32, 2e-3, 64
_READER = Adversary(
    "whoever runs the model, with a classifier that was trained",
    ("the shield itself", "texts like those that are sent, with the attribute of each"),
    "the sent embeddings",
)


@register(name="shield-attribute", on="shield", needs=("corpus", "attribute"))
def attribute(target: Any, case: Case) -> RiskEstimate:
    """Train a classifier to tell an attribute of the person from the sent embeddings."""
    started = time.process_time()
    texts, labels = texts_of(case.settings["corpus"]), list(case.settings["attribute"])
    if len(labels) != len(texts):
        raise BadAttack(
            f"there are {len(texts)} texts and {len(labels)} values of the attribute.",
            "Give the attribute of each text of the corpus, in its order.",
        )
    values = sorted(set(labels), key=str)
    if len(values) < 2 or len(texts) < 8:
        raise BadAttack("an attribute has two values or more, and 8 texts or more.", "Give more texts.")
    codes = np.array([values.index(one) for one in labels])
    order = repeatable_generator(case.seed, "attributes behind a shield").permutation(len(texts))
    half = len(texts) // 2
    tokens = [target.tokens(one)[:_LONGEST] for one in texts]
    learned, asked = order[:half].tolist(), order[half:].tolist()
    of = _Labelled(tokens, codes, learned, asked)
    hits = _told(target.sent_tokens, of, target.table, case)
    plain = _told(target.plain_tokens, of, target.table, case)
    commonest = Counter(codes[learned].tolist()).most_common(1)[0][0]
    return RiskEstimate(
        attack="shield-attribute",
        measure="share of persons whose attribute is told",
        success=rate(hits, len(asked), case.confidence),
        baseline=float(np.mean(codes[asked] == commonest)),
        adversary=_READER,
        cost=AttackCost(time.process_time() - started, records=len(asked)),
        artifact=target.name,
        notes=("An attribute that the model is asked to predict is told by its answers as well.",),
        details={"plain": plain / len(asked), "values": len(values), "worked": True},
    )


@dataclass(frozen=True)
class _Labelled:
    """Texts with an attribute: which are learned from, and which are asked about."""

    tokens: list[list[int]]
    codes: NDArray[Any]
    learned: Sequence[int]
    asked: Sequence[int]


def _told(send: Send, of: _Labelled, table: NDArray[np.float32], case: Case) -> int:
    """How many of those that are asked about are told rightly."""
    import torch
    from torch.nn import functional as nnf

    draw = repeatable_generator(case.seed, "classifier of attributes")
    with torch.random.fork_rng():
        torch.manual_seed(int(draw.integers(2**31)))
        network = inverter_network(table, reads_around=True, classes=int(of.codes.max()) + 1)
    rows = np.concatenate(send([of.tokens[at] for at in of.learned[: 4 * _BATCH]]))
    made = Inverter(network, rows.mean(0), rows.std(0) + 1e-6)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=0.05)
    steps = min(_STEPS, case.whole("steps", _STEPS))
    for step in range(steps):
        chosen = [of.learned[at] for at in draw.integers(0, len(of.learned), _BATCH).tolist()]
        given, mask = made.batch(send([of.tokens[at] for at in chosen]))
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (0.5 + 0.5 * math.cos(math.pi * step / steps))
        optimizer.zero_grad()
        loss: Any = nnf.cross_entropy(network(given, mask), torch.from_numpy(of.codes[chosen]))
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        said = [
            int(network(*made.batch([one])).argmax(-1)) for one in send([of.tokens[at] for at in of.asked])
        ]
    return int(np.equal(said, of.codes[list(of.asked)]).sum())
