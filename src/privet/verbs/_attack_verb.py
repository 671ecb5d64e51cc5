"""Attack: attacks of one's choice on what was made, with what an outsider may hold.

In a policy it is what an earlier step made; on the command line a file or a folder, with the rows it is scored with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, field_validator

from privet.errors import BadUsage
from privet.verbs._verb import Done, Exposed, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.artifact import RiskEstimate
    from privet.attacks import AttackReport
    from privet.guarantee import Promise

_LISTS = ("quasi", "sensitive", "groups")  # settings that are columns, even if there is one alone


def _settings(said: Any) -> Any:
    """Whole numbers, numbers and lists, where a command line has only words."""
    if not isinstance(said, Mapping):
        return said
    found = {name: _value(value) if isinstance(value, str) else value for name, value in said.items()}
    return {
        name: [value] if name in _LISTS and not isinstance(value, list) else value
        for name, value in found.items()
    }


def _value(text: str) -> Any:
    if "," in text:
        return [_value(part.strip()) for part in text.split(",")]
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


class AttackOptions(Options):
    """What is attacked, and what the adversary has. Every step of a policy is attacked by all that fits it anyway."""

    of: Annotated[
        str,
        Field(
            min_length=1,
            description="In a policy the name of an earlier step; else a model's folder, or the file of a table or a "
            "released answer.",
        ),
        Flag(argument=True, example="privet attack THING, or privet attack --list"),
    ]
    attacks: Annotated[
        list[str] | None,
        Field(description="Run this attack only [default: all that fit]."),
        Flag(names=("--attack",), example="exact-match"),
    ] = None
    auxiliary: Annotated[
        str | None, Field(description="A table that the adversary has."), Flag(file="in")
    ] = None
    truth: Annotated[str | None, Field(description="Who is who in it, to score that."), Flag(file="in")] = (
        None
    )
    settings: Annotated[
        dict[str, Any],
        BeforeValidator(_settings),
        Field(description="What an attack takes: label=diagnosis, quasi=zip,born."),
        Flag(names=("--set",), example="label=diagnosis"),
    ] = Field(default_factory=dict)
    seed: Annotated[int, Field(description="For the adversary's own chance.")] = 0
    confidence: Annotated[float, Field(description="Of all intervals together."), Flag(example="0.95")] = 0.95

    @field_validator("settings")
    @classmethod
    def _own(cls, settings: dict[str, Any]) -> dict[str, Any]:
        """What attacks themselves take. Where work is done and kept is for whoever runs them to say, not for a file."""
        from privet.attacks import SETTINGS

        strange = sorted(str(name) for name in settings if name not in SETTINGS - {"address", "backend"})
        if strange:
            raise ValueError(f"takes no {', '.join(strange)}")
        return settings


@register
class AttackVerb(Verb):
    """Reads the same columns as the step that it attacks: its result is scored with the truth."""

    name: ClassVar[str] = "attack"
    output: ClassVar[str] = "report"
    endings: ClassVar[tuple[str, ...]] = (".json",)
    options: ClassVar[type[Options]] = AttackOptions
    beside: ClassVar[tuple[str, ...]] = ("auxiliary", "truth")

    def run(self, work: VerbWork) -> Done:
        """Attack, and keep the report for the owner."""
        earlier = work.earlier.get(work.options.of)
        things = () if earlier is None else earlier.exposed()
        if not things:
            raise BadUsage(
                f"step {work.name!r} attacks {work.options.of!r}, which made nothing that can be attacked.",
                "Name an earlier step that makes a table, a model or counts.",
            )
        # That its purpose allows what the rows are used for here was found out with the policy.
        things = tuple(replace(one, members=freed(one.members), control=freed(one.control)) for one in things)
        found = attacked(work.options, things, work.folder, say=lambda name, *_: work.say(name))
        found.save(work.place)
        return Done(facts={"verdict": found.verdict.value}, risks=found.estimates, untried=found.left_out)


def attacked(
    options: AttackOptions,
    things: tuple[Exposed, ...],
    folder: Path,
    *,
    say: Callable[[str, int, int], None],
    **more: Any,
) -> AttackReport:
    """What attacks on several things found; of each attack the result that got furthest. `more` goes to every attack."""
    from privet.attacks import attack

    settings = {**options.settings, **more}
    if options.truth is not None:
        settings["truth"] = folder / options.truth
    reports = [
        attack(
            one.thing,
            members=one.members,
            control=one.control,
            promise=one.promise,
            auxiliary=None if options.auxiliary is None else folder / options.auxiliary,
            attacks=options.attacks,
            seed=options.seed,
            confidence=together(len(things), options.confidence),
            progress=say,
            **{**one.settings, **settings},
        )
        for one in things
    ]
    return replace(
        reports[0],
        estimates=furthest(
            [(one.about, risk) for one, made in zip(things, reports, strict=True) for risk in made],
            len(things),
        ),
        left_out=tuple(dict.fromkeys(said for made in reports for said in made.left_out)),
    )


def freed(rows: Any) -> Any:
    """Rows whose use here was checked already, without the terms of the step that they were given out for."""
    from privet.source import Table

    return replace(rows, terms=()) if isinstance(rows, Table) else rows


def together(things: int, confidence: float = 0.95) -> float:
    """The confidence of attacks on each of several things that makes them all hold together."""
    return 1 - (1 - confidence) / things


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


def attacked_file(
    options: AttackOptions,
    members: str | None,
    control: str | None,
    *,
    purpose: str | None,
    promise: Promise | None,
    say: Callable[[str, int, int], None],
    **more: Any,
) -> AttackReport:
    """Attack a file or a folder. Members of a declared data set are rows that it gives out, on its terms."""
    from privet.dataset import DataSet
    from privet.verbs._request import Request
    from privet.verbs._request_execution import rows_for

    rows: Any = members
    if members is not None and DataSet.of(members).declaration is not None:
        rows, _, _ = rows_for(AttackVerb(), DataSet.of(members), Request(members, options, purpose=purpose))
    return attacked(options, (Exposed(options.of, rows, control, promise),), Path.cwd(), say=say, **more)
