"""The attack stage: whatever a step made is attacked by everything that fits it, and held against the policy's limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from privet.errors import PrivetError
from privet.pipeline.record import StepRecord

if TYPE_CHECKING:
    from privet.artifact.risk import RiskEstimate
    from privet.pipeline.sources import Seen

# Risks that a released table states of itself, which limits may name too.
OWN_RISKS = {"risk-highest": "highest_risk", "risk-mean": "mean_risk"}


def limit_names() -> list[str]:
    """What limits may be set for: every registered attack, and the risks a table states."""
    from privet.attack.registry import attacks

    return [*(attack.name for attack in attacks()), *OWN_RISKS]


def attacked(
    thing: Any, seen: Seen, say: Callable[[str], None]
) -> tuple[tuple[RiskEstimate, ...], tuple[str, ...]]:
    """What attacks on a thing found, and which were not tried and why. The people kept apart are the control."""
    if thing is None:
        return (), ("no attack is made for this kind of thing: its promise stands alone.",)
    from privet.attack import attack

    try:
        found = attack(
            thing, members=seen.table, control=seen.held, progress=lambda name, *_: say(f"attack: {name}")
        )
    except PrivetError as refusal:
        return (), tuple(refusal.details.get("faults") or (refusal.fact,))
    return found.estimates, found.left_out


def findings(steps: Iterable[StepRecord], limits: Mapping[str, float]) -> tuple[str, ...]:
    """For every limit that is not kept, why: beaten, or not tested. A limit that nothing was held against is not kept."""
    said: list[str] = []
    made = list(steps)
    for name, limit in limits.items():
        if name in OWN_RISKS:
            said += _own(name, limit, made)
            continue
        found = [(step, risk) for step in made for risk in step.risks if risk.attack == name]
        if not found:
            said.append(f"{name} has a limit of {limit:g} and was not run.")
        for step, risk in found:
            if risk.success.value > limit:
                said.append(
                    f"{step.name}: {name} reached {risk.measure} {risk.success.text()}, above the limit of {limit:g}."
                )
            elif risk.detectable is not None and risk.detectable <= limit:
                said.append(
                    f"{step.name}: {name} could not have shown more than {risk.detectable:.4g}, so the limit of "
                    f"{limit:g} was not tested."
                )
    return tuple(said)


def _own(name: str, limit: float, steps: list[StepRecord]) -> list[str]:
    stated = [
        (step, float(step.facts["after"][OWN_RISKS[name]]))
        for step in steps
        if isinstance(step.facts.get("after"), dict) and OWN_RISKS[name] in step.facts["after"]
    ]
    if not stated:
        return [f"{name} has a limit of {limit:g}, and no table was made that it is about."]
    return [
        f"{step.name}: {name} is {value:.4g}, above the limit of {limit:g}."
        for step, value in stated
        if value > limit
    ]
