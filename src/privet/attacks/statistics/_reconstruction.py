"""Reconstruction of a secret column from counts over many subsets (Dinur and Nissim 2003).

The attacker looks for secrets between 0 and 1 whose counts are as near to all answers as can be, a linear
programme, and rounds them. With questions enough, any small error on the answers gives the column away; only noise
of the order of the square root of the number of people protects.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from privet.artifact import Adversary, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks.statistics._reconstruction_scores import scored
from privet.attacks.statistics._released_counts import Answered, secrets_of
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

_OUTSIDER = Adversary(
    "an analyst who may ask for counts",
    ("who is in the table", "which people each question counts"),
    "the released answers",
)


def reconstruct(answered: Answered) -> NDArray[np.float64]:
    """The fractions between 0 and 1 that fit the answers best: the least sum of absolute errors, by HiGHS."""
    from scipy.optimize import linprog
    from scipy.sparse import block_array, csr_array, eye_array

    known = ~np.isnan(answered.answers)
    asked = csr_array(answered.asked[known].astype(float))
    answers = answered.answers[known]
    if not len(answers):
        raise BadAttack("no question was answered.", "There is nothing to reconstruct from.")
    questions, people = asked.shape
    slack = eye_array(questions, format="csr")
    above = block_array([[asked, -slack], [-asked, -slack]], format="csr")
    found = linprog(
        np.concatenate([np.zeros(people), np.ones(questions)]),
        A_ub=above,
        b_ub=np.concatenate([answers, -answers]),
        bounds=[(0, 1)] * people + [(0, None)] * questions,
        method="highs",
    )
    if not found.success:
        raise BadAttack("the solver found no fit.", "Are the answers finite numbers?")
    return np.asarray(found.x[:people], float)


@register(name="reconstruction", on="statistics", needs=("members",))
def reconstruction(target: Answered, case: Case) -> RiskEstimate:
    """Solve for everybody's secret from all answers together."""
    started = time.process_time()
    truth = secrets_of(case.members, target.people)
    fractions = reconstruct(target)
    return scored(
        "reconstruction",
        fractions >= 0.5,
        truth,
        case,
        adversary=_OUTSIDER,
        questions=len(target.answers),
        started=started,
        details={"undecided": float(((fractions > 0.01) & (fractions < 0.99)).mean())},
    )
