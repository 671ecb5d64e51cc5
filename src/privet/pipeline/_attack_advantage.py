"""How far attacks get beyond guessing, on one scale for tables and models: 0 is guessing, 1 is always right.

A share of right answers s is scaled to (s - r) / (1 - r), where r is what the same adversary reaches without the
protected thing: on others who were not used, where the attack measures that, else by guessing (Giomi, Boenisch, Wehmeyer
and Tasnádi 2023, section 4, for tables). For an area under the curve, with r = 1/2, it is the Gini coefficient 2 AUC - 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from privet.artifact import IntervalEstimate, RiskEstimate
from privet.errors import BadSweep

# What is tried: enough to find what each kind of thing gives away, in a few seconds.
ON_TABLES = ("exact-match", "linkage-exact", "membership-density", "singling-out-univariate")
# Nobody's row is in a twin, so that there is none to link.
ON_TWINS = ("exact-match", "membership-density", "singling-out-univariate")
ON_MODELS = ("membership-loss", "membership-confidence")
NAME = "worst attack's advantage over guessing"


def advantage(found: RiskEstimate) -> IntervalEstimate:
    """The result of one attack on the common scale; the interval allows for that of its control."""
    control = found.control
    if control is None or found.measure == "AUC":
        return _scaled(found.success, found.baseline, found.baseline, found.baseline)
    return _scaled(found.success, control.value, control.low, control.high)


def _scaled(success: IntervalEstimate, without: float, low: float, high: float) -> IntervalEstimate:
    def beyond(reached: float, reference: float) -> float:
        return 0.0 if reference >= 1 else min(1.0, max(0.0, (reached - reference) / (1 - reference)))

    value = beyond(success.value, without)
    return IntervalEstimate(
        value,
        min(value, beyond(success.low, high)),
        max(value, beyond(success.high, low)),
        success.confidence,
    )


@dataclass(frozen=True)
class Judged:
    """What attacks on one thing come to: those that tell something, the worst of them, and what was left out, with why."""

    attack: str
    risk: IntervalEstimate
    attacks: dict[str, IntervalEstimate]
    left_out: tuple[str, ...]


def judged(by_attack: dict[str, IntervalEstimate], untried: Sequence[str] = ()) -> Judged:
    """The verdict on a table, a twin or a model, by one rule for all of them.

    With a handful of guesses anything could have been found, and a lucky one would be the worst attack: a result whose
    interval is everything from 0 to 1 is left out, and named.
    """
    empty = [name for name, one in by_attack.items() if one.low <= 0 and one.high >= 1]
    left_out = (*untried, *(f"{name}: too few guesses to tell anything." for name in empty))
    told = {name: one for name, one in by_attack.items() if name not in empty}
    if not told:
        raise BadSweep(f"no attack could be tried. {' '.join(left_out)}", "Give more rows.")
    return Judged(*worst(told), told, left_out)


def worst(by_attack: dict[str, IntervalEstimate]) -> tuple[str, IntervalEstimate]:
    """The attack that got farthest, and an interval for the largest of all of them.

    Where every interval holds at once, the largest lower end and the largest upper end enclose the largest value.
    """
    name = max(by_attack, key=lambda one: (by_attack[one].value, one))
    return name, IntervalEstimate(
        by_attack[name].value,
        max(one.low for one in by_attack.values()),
        max(one.high for one in by_attack.values()),
        by_attack[name].confidence,
    )


def averaged(estimates: Sequence[IntervalEstimate]) -> IntervalEstimate:
    """The mean over fits that were attacked with the same people: their intervals do not shrink."""
    many = len(estimates)
    value, low, high = (
        sum(getattr(one, end) for one in estimates) / many for end in ("value", "low", "high")
    )
    return IntervalEstimate(value, min(low, value), max(high, value), estimates[0].confidence)


def at_once(confidence: float, attacks: int) -> float:
    """The confidence of each interval with which all of them hold at once (Bonferroni)."""
    return 1 - (1 - confidence) / max(1, attacks)


def attacked_table(
    published: Any,
    members: Any,
    control: Any,
    *,
    quasi: Sequence[str],
    confidence: float,
    names: Sequence[str] = ON_TABLES,
) -> tuple[dict[str, IntervalEstimate], tuple[str, ...]]:
    """What attacks reach on published rows, by name; and those that could not be tried."""
    from privet.attacks import attack
    from privet.errors import PrivetError

    found: dict[str, IntervalEstimate] = {}
    untried = []
    for name in names:
        # Linking goes by what outsiders may know; the other adversaries know whole records.
        settings: dict[str, Any] = {"quasi": list(quasi)} if name.startswith("linkage") else {}
        try:
            made = attack(
                published,
                members=members,
                control=control,
                attacks=[name],
                confidence=at_once(confidence, len(names)),
                **settings,
            )
        except PrivetError as problem:
            untried.append(f"{name}: {problem.fact}")
        else:
            found |= {one.attack: advantage(one) for one in made if one.attack == name}
    return found, tuple(untried)


def attacked_model(
    model: Any, members: Any, control: Any, *, confidence: float
) -> dict[str, IntervalEstimate]:
    """What membership attacks reach on a model, by name. A model of a number is attacked by how far off it is."""
    if model.target.kind == "number":
        return {"membership-residual": _by_residual(model, members, control, confidence)}
    from privet.attacks import attack

    found = attack(
        model,
        members=members,
        control=control,
        attacks=ON_MODELS,
        confidence=at_once(confidence, len(ON_MODELS)),
        label=model.target.name,
    )
    return {one.attack: advantage(one) for one in found if one.attack in ON_MODELS}


def _by_residual(model: Any, members: Any, control: Any, confidence: float) -> IntervalEstimate:
    """Call a record a member where the prediction is close (Yeom, Giacomelli, Fredrikson and Jha 2018)."""
    import numpy as np

    from privet.attacks import area

    def closeness(rows: Any) -> Any:
        target = model.target
        truth = (
            target.lower + (target.encode(rows.column(target.name)) + 1) * (target.upper - target.lower) / 2
        )
        there = ~np.isnan(truth)
        return -np.abs(np.asarray(model.predict(rows), float) - truth)[there]

    found = area(closeness(members), closeness(control), confidence)
    return _scaled(found, 0.5, 0.5, 0.5)
