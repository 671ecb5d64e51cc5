"""Can members be told from control without the model? Then attacks that compare them say nothing about it.

A classifier of words that never saw the model, trained on half of the texts and tried on the other half (Das, Zhang and
Tramèr 2024): where it does better than chance, the two were not drawn alike.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from privet.attacks._attack_scores import area

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WIDE = 4_096
_SURE = 0.999999
_WORSE = 0.55  # an area below this is no way to tell anybody


def blind_scores(
    members: Sequence[str], control: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How much each text's words look like the members': naive Bayes, fitted on the half that it is not in."""
    sides = [_counts(one) for one in (members, control)]
    scores = [np.zeros(len(one)) for one in sides]
    for half in (0, 1):
        fitted = [one[half::2].sum(axis=0) + 1.0 for one in sides]
        odds = np.log(fitted[0] / fitted[0].sum()) - np.log(fitted[1] / fitted[1].sum())
        for own, counts in zip(scores, sides, strict=True):
            part = counts[1 - half :: 2]
            own[1 - half :: 2] = part @ odds / np.maximum(1, part.sum(axis=1))
    return scores[0], scores[1]


def differing(members: Sequence[str], control: Sequence[str]) -> str:
    """Why the two cannot be compared, or nothing; a fair control is refused once in a million times."""
    found = area(*blind_scores(members, control), _SURE)
    if found.low <= _WORSE:
        return ""
    return (
        f"Members and control can be told apart by their words alone, without the model (AUC {found.value:.3f}): they were not "
        "drawn alike, and nothing follows about the promise."
    )


def _counts(texts: Sequence[str]) -> NDArray[np.float64]:
    found = np.zeros((len(texts), _WIDE))
    for row, text in enumerate(texts):
        for word in set(text.lower().split()):
            found[row, zlib.crc32(word.encode(errors="surrogatepass")) % _WIDE] = 1.0
    return found
