"""Reports of one person over time: fresh noise on each of them averages out, an answer that is kept does not."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from privet.artifact import RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.local._local_client import asked, client_of
from privet.attacks.local._local_guesses import PEOPLE, best_columns, candidates, guessed, known_oracle
from privet.attacks.local._report_likelihoods import likelihoods

NAME = "report-averaging"


@register(name=NAME, on="client")
def report_averaging(target: Any, case: Case) -> RiskEstimate:
    """Add up what many reports of one person say, and guess the value that they favour.

    Made-up people hold one value each, all alike, and report `reports` (100) times; there are `draws` (2000) of them.
    What so many reports are promised together is the sum of their epsilons where each is fresh, and stays that of the kept
    answer where the client keeps one: averaging is what memoisation is for (Erlingsson et al. 2014; Ding et al. 2017).
    """
    started = time.process_time()
    client = client_of(target, case.seed)
    oracle = known_oracle(client)
    people, times = case.whole("draws", PEOPLE), case.whole("reports", 100)
    draw = repeatable_generator(case.seed, NAME)
    values = candidates(len(client.values))
    truth = draw.integers(0, len(values), people)
    scores = np.zeros((people, len(values)))
    for reports in client.repeated(asked(client.values, values[truth]), times):
        scores += likelihoods(oracle, reports, values, client.seed)
    right = best_columns(scores, draw.random(scores.shape)) == truth
    return guessed(
        NAME,
        right,
        1 / len(values),
        case,
        measure="share of values guessed",
        epsilon=client.together(times, case.promise),
        reports=times,
        started=started,
        details={"values": len(values)},
    )
