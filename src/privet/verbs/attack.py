"""`do: attack`: attacks of one's choice on what an earlier step made, with what an outsider may hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field, field_validator

from privet.errors import BadUsage
from privet.verbs.options import Options
from privet.verbs.verb import Done, Verb, Work, register

if TYPE_CHECKING:
    from privet.artifact.risk import RiskEstimate


class AttackOptions(Options):
    """Which step's work is attacked, and what the adversary has. Every step is attacked by all that fits it anyway."""

    of: Annotated[str, Field(min_length=1)]
    attacks: list[str] | None = None
    auxiliary: str | None = None  # a file that outsiders could have, beside the policy
    truth: str | None = None  # a file that says who is who in it
    settings: dict[str, Any] = Field(default_factory=dict)
    seed: int = 0

    @field_validator("settings")
    @classmethod
    def _own(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """What attacks themselves take. Where work is done and kept is for whoever runs them to say, not for a file."""
        from privet.attack.settings import SETTINGS

        strange = sorted(str(name) for name in settings if name not in SETTINGS - {"address", "backend"})
        if strange:
            raise ValueError(f"attacks in a policy take no {', '.join(strange)}")
        return settings


@register
class Attack(Verb):
    """Reads the same columns as the step that it attacks: its result is scored with the truth."""

    name: ClassVar[str] = "attack"
    output: ClassVar[str] = "report"
    endings: ClassVar[tuple[str, ...]] = (".json",)
    options: ClassVar[type[Options]] = AttackOptions
    beside: ClassVar[tuple[str, ...]] = ("auxiliary", "truth")

    def run(self, work: Work) -> Done:
        """Attack, and keep the report for the owner."""
        from privet.attack import attack

        options = work.options
        earlier = work.earlier.get(options.of)
        things = () if earlier is None else earlier.exposed()
        if not things:
            raise BadUsage(
                f"step {work.name!r} attacks {options.of!r}, which made nothing that can be attacked.",
                "Name an earlier step that makes a table, a model or counts.",
            )
        settings = dict(options.settings)
        if options.truth is not None:
            settings["truth"] = work.beside(options.truth)
        reports = [
            attack(
                one.thing,
                members=one.members,
                control=one.control,
                promise=one.promise,
                auxiliary=work.beside(options.auxiliary),
                attacks=options.attacks,
                seed=options.seed,
                confidence=together(len(things)),
                progress=lambda name, *_: work.say(name),
                **{**one.settings, **settings},
            )
            for one in things
        ]
        found = replace(
            reports[0],
            estimates=furthest(
                [(one.about, risk) for one, made in zip(things, reports, strict=True) for risk in made],
                len(things),
            ),
            left_out=tuple(dict.fromkeys(said for made in reports for said in made.left_out)),
        )
        found.save(work.place)
        return Done(facts={"verdict": found.verdict.value}, risks=found.estimates, untried=found.left_out)


def together(things: int) -> float:
    """The confidence of attacks on each of several things that makes them all hold together, 19 times in 20."""
    return 1 - 0.05 / things


def furthest(found: list[tuple[str, RiskEstimate]], things: int) -> tuple[RiskEstimate, ...]:
    """Of each attack the result that got furthest: against the promise first, then above guessing."""
    best: dict[str, tuple[str, RiskEstimate]] = {}
    for about, risk in found:
        before = best.get(risk.attack)
        if before is None or _reach(risk) > _reach(before[1]):
            best[risk.attack] = (about, risk)
    if things == 1:
        return tuple(risk for _, risk in best.values())
    return tuple(
        replace(risk, notes=(*risk.notes, f"The furthest of {things} things that were looked for: {about}."))
        for about, risk in best.values()
    )


def _reach(risk: RiskEstimate) -> tuple[bool, float]:
    over = risk.bound is not None and risk.success.low > risk.bound
    return over, risk.success.value - risk.baseline
