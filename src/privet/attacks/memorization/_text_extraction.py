"""Prefix and suffix: shown the beginning of a text that it was trained on, does a model recite what followed?

The protocol of VaultGemma's report: 50 tokens are shown, the likeliest 50 are asked for, and compared with the true ones;
*exact* is every token, *approximate* an edit distance of at most a tenth of the suffix (Ippolito et al. 2023). What is
recited of texts that were never trained on is chance, and the figure that the promise starts from.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._attack_scores import rate, upper_rate
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.memorization._causal_model import CausalModel, causal_model
from privet.attacks.memorization._edit_distance import edit_distances
from privet.attacks.memorization._group_promise import group_promise
from privet.attacks.memorization._near_duplicates import COPIES, cluster_sizes, copies_band
from privet.attacks.memorization._text_entropy import BANDS, entropy_bands, entropy_rates
from privet.attacks.memorization._text_records import texts_of
from privet.errors import NoPower
from privet.guarantee import Promise, most_true_positives

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME = "text-extraction"
NEVER = "never trained"
PREFIX = SUFFIX = 50  # tokens
WINDOWS = 1_000  # texts of each side that are tried
_NEAR = 0.1  # of the suffix
_FEWEST = 10
_READER = Adversary(
    "somebody who knows how a text begins", ("the first tokens of texts",), "black box: the likeliest token"
)
_REASON = "what is recited without having been seen, times what the promise allows (Wasserman and Zhou 2010)"


@dataclass(frozen=True)
class Recited:
    """What came of the texts of one side; one entry for each that was long enough."""

    exact: NDArray[np.bool_]
    near: NDArray[np.bool_]
    copies: NDArray[np.int64]
    entropy: NDArray[np.float64]
    short: int  # texts that are too short to be tried

    def __len__(self) -> int:
        return len(self.exact)


def recited(
    model: CausalModel,
    texts: Sequence[str],
    *,
    prefix: int = PREFIX,
    suffix: int = SUFFIX,
    windows: int = WINDOWS,
    seed: int = 0,
    copies: NDArray[np.int64] | None = None,
) -> Recited:
    """Show the beginnings of texts, each kind of near duplicates once, and compare what follows with what is true."""
    counts = np.ones(len(texts), np.int64) if copies is None else copies
    order = repeatable_generator(seed, "texts to extract").permutation(len(texts))
    chosen: list[tuple[list[int], int]] = []
    seen: set[tuple[int, ...]] = set()
    short = 0
    for at in order.tolist():
        tokens = model.tokens(texts[at])[: prefix + suffix]
        if len(tokens) < prefix + suffix:
            short += 1
            continue
        if len(chosen) < windows and tuple(tokens) not in seen:
            seen.add(tuple(tokens))
            chosen.append((tokens, int(counts[at])))
    whole = np.array([tokens for tokens, _ in chosen], np.int64).reshape(-1, prefix + suffix)
    said = model.continuations(whole[:, :prefix], suffix)
    apart = edit_distances(said, whole[:, prefix:])
    return Recited(
        apart == 0,
        apart <= math.floor(_NEAR * suffix),
        np.array([count for _, count in chosen], np.int64),
        entropy_rates([model.text(row.tolist()) for row in whole]),
        short,
    )


@register(name=NAME, on="language", needs=("members", "control"))
def text_extraction(target: Any, case: Case) -> RiskEstimate:
    """Show how a trained text begins, and see whether the model recites what followed."""
    started = time.process_time()
    model = causal_model(target)
    column = case.setting("text", None)
    trained, control = texts_of(case.members, column), texts_of(case.control, column)
    prefix, suffix = case.whole("prefix", PREFIX), case.whole("suffix", SUFFIX)
    asked: dict[str, Any] = {
        "prefix": prefix,
        "suffix": suffix,
        "windows": case.whole("windows", WINDOWS),
        "seed": case.seed,
    }
    sizes = cluster_sizes([*trained, *control])
    seen = recited(model, trained, copies=cluster_sizes(trained), **asked)
    # A control text that has a near duplicate among trained ones was trained on.
    alone = sizes[len(trained) :] == cluster_sizes(control)
    never = recited(model, [one for one, apart in zip(control, alone, strict=True) if apart], **asked)
    if min(len(seen), len(never)) < _FEWEST:
        raise NoPower(
            f"there are too few texts of {prefix + suffix} tokens on one side to tell reciting from luck.",
            f"Give at least {_FEWEST} of each, or ask for shorter ones: prefix=20 and suffix=20.",
        )
    once = seen.copies == 1
    error = case.confidence  # shared evenly by both ends and both sides in `rate`
    success = rate(int(seen.near[once].sum()), int(once.sum()), 1 - (1 - error) / 2)
    chance = rate(int(never.near.sum()), len(never), 1 - (1 - error) / 2)
    bound = _allowed(case.promise, 1, chance.high) if once.any() else None
    notes = _notes(seen, never, int((~alone).sum()), prefix, suffix)
    return RiskEstimate(
        attack=NAME,
        measure="share of once-trained texts recited",
        success=success,
        baseline=chance.value,
        adversary=_READER,
        cost=AttackCost(
            time.process_time() - started, len(seen) + len(never), queries=len(seen) + len(never)
        ),
        control=chance,
        bound=bound,
        bound_reason="" if bound is None else _REASON,
        promise=case.promise,
        detectable=rate(int(once.sum()), int(once.sum()), 1 - (1 - error) / 2).low,
        artifact=model.name,
        notes=notes,
        details={
            "prefix": prefix,
            "suffix": suffix,
            "by copies": [*_by_copies(seen, case, chance.high), _row(NEVER, never, slice(None), case)],
            "by entropy": _by_entropy(seen, never, case),
        },
    )


def _allowed(promise: Promise | None, copies: int, chance: float) -> float | None:
    grouped = group_promise(promise, copies)
    return None if grouped is None else most_true_positives(grouped, min(1.0, chance))


def _by_copies(seen: Recited, case: Case, chance: float) -> list[dict[str, Any]]:
    bands = np.array([copies_band(int(one)) for one in seen.copies])
    rows = []
    for low, _ in COPIES:
        which = bands == copies_band(low)
        if which.any():
            most = int(seen.copies[which].max())
            rows.append(
                {
                    **_row(copies_band(low), seen, which, case),
                    "allowed": _allowed(case.promise, most, chance),
                }
            )
    return rows


def _by_entropy(seen: Recited, never: Recited, case: Case) -> list[dict[str, Any]]:
    bands, (low, high) = entropy_bands(np.concatenate([seen.entropy, never.entropy]))
    own, others = bands[: len(seen)], bands[len(seen) :]
    edges = (f"up to {low:.2f}", f"{low:.2f} to {high:.2f}", f"above {high:.2f}")
    return [
        {
            "bits a byte": edges[band],
            **_row(f"trained, {BANDS[band]} entropy", seen, own == band, case),
            "never trained": _row(NEVER, never, others == band, case),
        }
        for band in range(len(BANDS))
    ]


def _row(name: str, side: Recited, which: Any, case: Case) -> dict[str, Any]:
    """Counts with upper limits: nought of n is "at most", and never "none"."""
    exact, near = side.exact[which], side.near[which]
    error = 1 - case.confidence
    return {
        "copies": name,
        "texts": len(exact),
        "exact": int(exact.sum()),
        "exact at most": upper_rate(int(exact.sum()), len(exact), error),
        "approximate": int(near.sum()),
        "approximate at most": upper_rate(int(near.sum()), len(near), error),
    }


def _notes(seen: Recited, never: Recited, dropped: int, prefix: int, suffix: int) -> tuple[str, ...]:
    said = [
        f"{prefix} tokens are shown and the likeliest {suffix} asked for; an edit distance of at most a tenth counts as recited.",
        "Copies count near duplicates among the trained texts. A promise for one unit covers a text that stands in one unit.",
    ]
    if seen.short or never.short:
        said.append(f"{seen.short + never.short:,} texts were too short, and were not tried.")
    if dropped:
        said.append(f"{dropped:,} control texts are near duplicates of trained ones, and were left out.")
    return tuple(said)
