"""Poisoning: what people who made themselves up can do to an estimate, by reports that favour values of their choice."""

from __future__ import annotations

import math
import time
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.attacks._attack_registry import Case, register
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.local._crafted_supports import fake_people, honest_people, most_people
from privet.attacks.local._local_client import asked, client_of
from privet.attacks.local._local_guesses import known_oracle
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAME = "poisoning"
_FORGERS = Adversary(
    "fake users, who follow no protocol",
    ("the public specification",),
    "reports of their own",
)


@register(name=NAME, on="client")
def poisoning(target: Any, case: Case) -> RiskEstimate:
    """Send made-up reports that favour chosen values as much as one report can (maximal gain), and see how far these rise.

    Cao, Jia and Gong 2021. `share` (0.01) of all `draws` (20000) reports are fake; `values` are the promoted ones [default:
    the last]. The measure is how much the estimated shares of these rise together. No promise of privacy limits it; the
    most that the mathematics of the oracle allows stands in the notes, and guessing is fake users who lie about their value
    and then follow the protocol.
    """
    started = time.process_time()
    client = client_of(target, case.seed)
    oracle = known_oracle(client)
    reports, share, repeats = (
        case.whole("draws", 20_000),
        case.number("share", 0.01),
        case.whole("repeats", 10),
    )
    fakes = max(1, round(share * reports))
    if not 0 < share < 1 or fakes >= reports:
        raise BadAttack("share, the part of fake reports, lies between 0 and 1.", "Set share=0.01.")
    promoted = _promoted(client.values, case.setting("values", None))
    gains, before = [], []
    for at in range(repeats):
        draw = repeatable_generator(case.seed, f"{NAME} {at}")
        held = draw.integers(0, len(client.values), reports - fakes)
        given = client.report(asked(client.values, held))
        honest = honest_people(oracle, given, promoted, client.seed)
        made = fake_people(oracle, promoted, fakes, client.seed, draw)
        gains.append((honest + made) / reports - honest / len(held))
        before.append(float(np.isin(held, promoted).mean()))
    beta, truth = fakes / reports, float(np.mean(before))
    most = beta * (most_people(oracle, promoted) - truth)
    return RiskEstimate(
        attack=NAME,
        measure="rise of the promoted shares",
        success=_mean(gains, case.confidence),
        baseline=beta * (1 - truth),
        adversary=_FORGERS,
        cost=AttackCost(time.process_time() - started, records=reports, queries=repeats * fakes),
        promise=case.promise,
        artifact="client",
        notes=(
            "No promise of privacy limits what fake reports do.",
            f"Each fake report raises the promoted values by at most {most / beta + truth:.4g} people together; "
            f"with {beta:.2%} of them fake, the shares rise by at most {most:.4g} on average.",
        ),
        details={"most by the oracle": most, "fake share": beta, "promoted": len(promoted)},
    )


def _promoted(values: Any, given: Any) -> NDArray[np.int64]:
    if given is None:
        return np.array([len(values) - 1])
    wanted = list(given) if isinstance(given, list | tuple) else [given]
    known = list(values)
    if not wanted or any(one not in known for one in wanted) or len(set(map(str, wanted))) < len(wanted):
        raise BadAttack("a promoted value is none that the client has.", "Give values=[…] of its question.")
    return np.array([known.index(one) for one in wanted])


def _mean(gains: list[float], confidence: float) -> IntervalEstimate:
    value = float(np.mean(gains))
    spread = float(np.std(gains, ddof=1)) / math.sqrt(len(gains)) if len(gains) > 1 else abs(value)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * spread
    return IntervalEstimate(value, value - half, value + half, confidence)
