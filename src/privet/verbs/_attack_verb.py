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

SHADOW_TWINS = "membership-shadow-twins"
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
            description="In a policy the name of an earlier step; else a model's folder, the file of a table or a "
            "released answer, or a collection's specification (several with commas).",
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
    again = SHADOW_TWINS in (options.attacks or ()) or "shadows" in settings
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
            **{**one.settings, **(_recipe(one) if again else {}), **settings},
        )
        for one in things
    ]
    return replace(
        reports[0],
        estimates=furthest(
            [(one.about, risk) for one, made in zip(things, reports, strict=True) for risk in made],
            len(things),
        ),
        left_out=tuple(dict.fromkeys(_asked(said, things) for made in reports for said in made.left_out)),
    )


def _recipe(one: Exposed) -> dict[str, Any]:
    """How the thing is made again, as a setting."""
    found = None if one.recipe is None else one.recipe()
    return {} if found is None else {"recipe": found}


def _asked(said: str, things: tuple[Exposed, ...]) -> str:
    """Why something was left out; what takes long is run where it is asked for."""
    if said.startswith(f"{SHADOW_TWINS} needs") and any(one.recipe is not None for one in things):
        return f"{SHADOW_TWINS} makes the twin again many times, and runs where it is named (--attack {SHADOW_TWINS})."
    return said


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
    architecture: str | None = None,
    **more: Any,
) -> AttackReport:
    """Attack a file or a folder. Members of a declared data set are rows that it gives out, on its terms."""
    from privet.dataset import DataSet
    from privet.verbs._request import Request
    from privet.verbs._request_execution import rows_for

    rows: Any = members
    if members is not None and DataSet.of(members).declaration is not None:
        rows, _, _ = rows_for(AttackVerb(), DataSet.of(members), Request(members, options, purpose=purpose))
    things = _collections_of(options.of)
    if architecture is not None:
        things = network_at(options.of, architecture)
    thing = _exposed_output(options.of, rows) or Exposed(
        things or options.of, rows, control, promise, recipe=_recipe_of(options.of, rows)
    )
    return attacked(options, (thing,), Path.cwd(), say=say, **more)


def network_at(place: str, architecture: str) -> Any:
    """The network in a folder, in the architecture that `module:name` imports: code of whoever types the command."""
    import sys
    from importlib import import_module

    from privet.protect.train import load_model

    module, colon, name = architecture.partition(":")
    if not (colon and module and name):
        raise BadUsage(
            "the architecture is named as module:name.",
            "--architecture networks:Ward for class Ward in networks.py.",
        )
    here = str(Path.cwd())
    sys.path.append(here)
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as problem:
        raise BadUsage(
            f"there is no {name!r} in a module {module!r} that can be imported.",
            "Run the command where the module lies, or install it.",
        ) from problem
    finally:
        sys.path.remove(here)
    return load_model(place, found)


def _collections_of(place: str) -> Any:
    """The collection whose specification a file holds, or a list of those in several files, with commas; None otherwise."""
    from privet.artifact import is_there, load_record
    from privet.errors import PrivetError
    from privet.protect.collect import Collection

    paths = [Path(one) for one in place.split(",")]
    try:
        if any(path.suffix != ".json" or not is_there(path) for path in paths):
            return None
        if any(load_record(path, "a record").get("artifact") != Collection.kind for path in paths):
            return None
    except PrivetError:
        return None
    found = [Collection.load(path) for path in paths]
    return found[0] if len(found) == 1 else found


def _exposed_output(place: str, members: Any) -> Exposed | None:
    """Trials of the question that the PAC release in a file answers, on the rows that it was asked of; None for other things."""
    from privet.artifact import ReleasedOutput
    from privet.guarantee import unit_from_json
    from privet.source import Table, admitted_by, open_table
    from privet.verbs._pac_verb import PacOptions, exposed_worlds

    path = Path(place)
    if members is None or _record_kind(path) != "released-output":
        return None
    released = ReleasedOutput.load(path)
    if released.asked is None:
        return None
    unit = unit_from_json(released.unit)
    rows = replace(members, unit=unit) if isinstance(members, Table) else open_table(members, unit=unit)
    admitted_by(rows, "report")
    return exposed_worlds(PacOptions.model_validate(released.asked), rows, Path.cwd())


def _recipe_of(place: str, members: Any) -> Callable[[], Any] | None:
    """How the twin in a file is made again; None for other things."""
    from privet.artifact import ReleasedTwin
    from privet.source import Table

    path = Path(place)
    if path.suffix != ".parquet" or _record_kind(path) != "released-twin":
        return None

    def recipe() -> Any:
        from privet.protect.synthesize import twin_recipe

        return twin_recipe(ReleasedTwin.load(path), members if isinstance(members, Table) else None)

    return recipe


def _record_kind(path: Path) -> str | None:
    """What a file says of itself; None where it is none of our records."""
    from privet.artifact import is_there, load_record
    from privet.errors import PrivetError

    if path.suffix not in {".json", ".parquet"} or not is_there(path) or path.is_dir():
        return None
    try:
        found = load_record(path, "a record").get("artifact")
    except PrivetError:
        return None
    return found if isinstance(found, str) else None
