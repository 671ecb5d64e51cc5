"""What survives a round: candidates drawn or ranked by their noisy votes. All of it is post-processing of noise.

Private Evolution (Lin, Gopi, Kulkarni, Nori and Yekhanin, ICLR 2024) draws with replacement, in proportion to what lies
above a threshold. Aug-PE (Xie et al., ICML 2024) keeps the candidates with most votes, and those themselves beside their
variations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privet.mechanism import Draws

Numbers = NDArray[np.float64]


def drawn(votes: Numbers, count: int, threshold: float, draws: Draws) -> NDArray[np.int64]:
    """Places drawn with replacement in proportion to the votes above the threshold; all alike where none is."""
    above = np.maximum(votes - threshold, 0.0)
    total = above.sum()
    odds = above / total if total > 0 else np.full(len(votes), 1 / len(votes))
    return draws.choice(len(votes), size=count, replace=True, p=odds)


def ranked(votes: Numbers, count: int) -> NDArray[np.int64]:
    """The places with most votes; of equal ones the first, and all over again where there are too few."""
    order = np.argsort(-votes, kind="stable")[:count]
    return np.resize(order, count)


def apportioned(count: int, shares: Numbers) -> NDArray[np.int64]:
    """Whole numbers that add up to `count`, as near to the shares as can be (largest remainders), at least one each."""
    wanted = np.maximum(shares, 0) * count
    whole: NDArray[np.int64] = np.maximum(np.floor(wanted).astype(np.int64), 1)
    while whole.sum() > count and whole.max() > 1:
        whole[np.argmax(whole)] -= 1
    short = count - int(whole.sum())
    if short > 0:
        for place in np.argsort(-(wanted - np.floor(wanted)), kind="stable")[:short]:
            whole[place] += 1
        whole[np.argmax(shares)] += count - int(whole.sum())
    return whole
