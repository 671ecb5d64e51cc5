"""What the scores of members and others say about a promise that hides presence, in models and tables alike.

The area under the curve is the headline, unless only a low false-positive rate shows more than the promise allows:
somebody who finds a few people for certain hardly moves the area. Half of the error is the area's, the rest is shared by
the rates, so that a kept promise is contradicted with a probability of at most one minus the confidence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import IntervalEstimate
from privet.attacks._attack_scores import area, curve, true_positives_at
from privet.guarantee import Promise, most_auc, most_true_positives

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]

LOW_RATES = {"0.1 %": 0.001, "1 %": 0.01}
_REASON = "membership is a test between neighbours (Kairouz, Oh and Viswanath 2015)"


def headline(members: Scores, others: Scores, promise: Promise | None, confidence: float) -> dict[str, Any]:
    """The measure that the verdict is about, as fields of a `RiskEstimate`."""
    bound = None if promise is None else most_auc(promise)
    found = area(members, others, confidence)
    reason = {"bound_reason": "" if bound is None else _REASON}
    if bound is not None and found.low <= bound:
        for said, rate in LOW_RATES.items():
            one = _at(members, others, rate, promise, confidence)
            if one["bound"] is not None and one["success"].low > one["bound"]:
                return {"measure": f"true positives at {said} false positives", **one, **reason}
    return {
        "measure": "AUC",
        "success": found,
        "baseline": 0.5,
        # The same attack between two halves of those who were not used: chance, if the scoring is fair.
        "control": area(others[::2], others[1::2], confidence),
        "bound": bound,
        "detectable": area(np.ones(len(members)), np.zeros(len(others)), confidence).low,
        **reason,
    }


def told_apart(members: Scores, others: Scores, promise: Promise | None, confidence: float) -> dict[str, Any]:
    """All measures and the curve, for pictures and for those who read on."""
    rates = {said: _at(members, others, rate, promise, confidence) for said, rate in LOW_RATES.items()}
    return {
        "AUC": _figures(area(members, others, confidence)),
        "true positives": {
            said: {**_figures(one["success"]), "bound": one["bound"], "ceiling": one["detectable"]}
            for said, one in rates.items()
        },
        "curve": curve(members, others).thinned(),
        "members": len(members),
        "control": len(others),
    }


def _at(
    members: Scores, others: Scores, rate: float, promise: Promise | None, confidence: float
) -> dict[str, Any]:
    """True positives at a low rate of false ones, beside what the promise allows."""
    surer = 1 - (1 - confidence) / len(LOW_RATES)
    perfect = true_positives_at(np.ones(len(members)), np.zeros(len(others)), rate, surer)
    return {
        "success": true_positives_at(members, others, rate, surer),
        "baseline": rate,
        "control": true_positives_at(others[::2], others[1::2], rate, surer),
        "bound": None if promise is None else most_true_positives(promise, rate),
        "detectable": perfect.low,
    }


def _figures(found: IntervalEstimate) -> dict[str, float]:
    return {"value": found.value, "low": found.low, "high": found.high, "confidence": found.confidence}
