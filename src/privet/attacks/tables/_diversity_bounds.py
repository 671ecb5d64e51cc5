"""The most that promises about sensitive values allow somebody who finds a person's class."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privet.guarantee import AlphaK, BetaLikeness, DeltaDisclosure, LDiversity, Promise, TCloseness, parts

Bound = tuple[float | None, str]


def most_certain(promise: Promise | None, column: str, excluded: int, overall: NDArray[np.float64]) -> Bound:
    """The largest share of people whose value is certain after so many values were ruled out.

    With l different values in every class and fewer than l - 1 ruled out, two are left (Machanavajjhala et al. 2007,
    Section 3). A class with one value lies at a distance of 1 - its share from the table.
    """
    for part in () if promise is None else parts(promise):
        match part:
            case LDiversity(column=name, l=l) if name == column and l >= excluded + 2:
                return 0.0, f"every class keeps {l} different values"
            case AlphaK(column=name, alpha=alpha) if name == column and alpha < 1 and not excluded:
                return 0.0, "no value fills a class"
            case TCloseness(column=name, t=t, distance="equal") if name == column and not excluded:
                if float(t) < 1 - float(overall.max()):
                    return 0.0, "a class of one value would be further than t from the table"
    return None, ""


def most_gain(promise: Promise | None, column: str, overall: NDArray[np.float64]) -> Bound:
    """The largest posterior-prior gap of any value, from its share in the table to its share in a class.

    t-closeness by equal distances bounds the total variation, hence every value; by ordered distances moving one
    rank costs 1 / (m - 1), so that the variation is at most t (m - 1).
    """
    shares = overall[overall > 0]
    found: list[tuple[float, str]] = []
    for part in () if promise is None else parts(promise):
        match part:
            case TCloseness(column=name, t=t, distance="equal") if name == column:
                found.append((float(t), "no class is further than t from the table"))
            case TCloseness(column=name, t=t, distance="ordered") if name == column:
                found.append((min(1.0, float(t) * (len(shares) - 1)), "t, for moving a value by one rank"))
            case BetaLikeness(column=name, beta=beta) if name == column:
                found.append(
                    (float(np.minimum(float(beta) * shares, 1 - shares).max()), "beta times a share")
                )
            case DeltaDisclosure(column=name, delta=delta) if name == column:
                most = (math.exp(float(delta)) - 1) * shares
                found.append((float(np.minimum(most, 1 - shares).max()), "e^delta times a share"))
            case AlphaK(column=name, alpha=alpha) if name == column:
                found.append(
                    (max(0.0, float(alpha) - float(shares.min())), "no value exceeds alpha in a class")
                )
    return min(found, default=(None, ""))
