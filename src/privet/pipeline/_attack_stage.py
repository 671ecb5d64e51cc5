"""The attack stage: whatever a step made is attacked by everything that fits it, and held against the policy's limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from privet.errors import PrivetError
from privet.pipeline._run_record import StepRecord
from privet.verbs import freed, furthest, together

if TYPE_CHECKING:
    from privet.artifact import RiskEstimate
    from privet.verbs import Exposed

ALONE = "no attack fits what was made here: its promise stands alone."
# Risks that a released table states of itself, which limits may name too.
OWN_RISKS = {"risk-highest": "highest_risk", "risk-mean": "mean_risk"}


def limit_names() -> list[str]:
    """What limits may be set for: every registered attack, and the risks a table states."""
    from privet.attacks import attacks

    return [*(attack.name for attack in attacks()), *OWN_RISKS]


def attacked(
    exposed: Callable[[], tuple[Exposed, ...]], say: Callable[[str], None], **more: Any
) -> tuple[tuple[RiskEstimate, ...], tuple[str, ...]]:
    """What attacks on what a step exposes found, and which were not tried and why. `more` goes to every attack."""
    from privet.attacks import attack

    try:
        things = exposed()
    except PrivetError as refusal:
        return (), (refusal.fact,)
    if not things:
        return (), (ALONE,)
    found: list[tuple[str, RiskEstimate]] = []
    untried: list[str] = []
    for one in things:
        try:
            report = attack(
                one.thing,
                members=freed(one.members),  # evidence about what was made for the same purpose
                control=freed(one.control),
                promise=one.promise,
                confidence=together(len(things)),
                progress=lambda name, *_: say(f"attack: {name}"),
                **{**one.settings, **more},
            )
        except PrivetError as refusal:
            untried += refusal.details.get("faults") or [refusal.fact]
            continue
        found += [(one.about, risk) for risk in report.estimates]
        untried += report.left_out
    return furthest(found, len(things)), tuple(dict.fromkeys(untried))


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
        said += [f"{step.name}: {why}" for step, risk in found if (why := risk.beyond(limit))]
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
