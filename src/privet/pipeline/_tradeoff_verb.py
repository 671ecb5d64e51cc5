"""`do: tradeoff`: techniques and strengths weighed against each other on the rows of a purpose, for the owner."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from privet.dataset import Declaration, Positive, Purpose
from privet.verbs import Done, Options, Verb, VerbWork, register

LEARNED = ("quasi", "sensitive", "insensitive")
_K = Annotated[int, Field(ge=2)]


class TradeoffOptions(Options):
    """What is to be predicted, and which techniques and strengths are tried; what is left out is tried as usual."""

    target: Annotated[str, Field(description="The column whose prediction is the use: classes or a number.")]
    techniques: Annotated[
        list[Literal["anonymize", "train"]] | None,
        Field(description="anonymize,train [default: all that fit]."),
    ] = None
    k: Annotated[list[_K] | None, Field(description="Sizes of classes [default: 2,5,10,25].")] = None
    k_all: Annotated[
        list[_K] | None, Field(description="The same with all columns made coarse [default: 5,25].")
    ] = None
    l: Annotated[  # noqa: E741  the literature's name
        _K | None, Field(description="Different sensitive values in a class [default: 3].")
    ] = None
    epsilon: Annotated[
        list[Positive] | None, Field(description="Privacy losses [default: 0.1,0.5,1,2,4,8,20].")
    ] = None
    delta: Annotated[
        Decimal | None, Field(gt=0, lt=1, description="Their failure probability [default: 1e-6].")
    ] = None
    max_suppressed: Annotated[
        Decimal | None,
        Field(ge=0, lt=1, description="The share of rows that may be left out [default: 0.1]."),
    ] = None
    repeats: Annotated[
        int | None, Field(ge=1, le=50, description="Fits of each private model [default: 5].")
    ] = None


@register
class TradeoffVerb(Verb):
    """Reads what may be published or learned from of its purpose's columns, and books nothing: its result is the owner's."""

    name: ClassVar[str] = "tradeoff"
    output: ClassVar[str] = "report"
    endings: ClassVar[tuple[str, ...]] = (".json",)
    options: ClassVar[type[Options]] = TradeoffOptions

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """All of the purpose that are neither identifiers nor free text, and the target."""
        unit = declaration.dataset.unit.column
        used = [
            name
            for name in purpose.columns
            if name in declaration.columns and declaration.columns[name].role in LEARNED and name != unit
        ]
        return tuple(dict.fromkeys([*used, options.target]))

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """Private models need to know how many rows of one person count."""
        del options, purpose
        unit = declaration.dataset.unit
        if unit.column == "row" or unit.max_rows is not None:
            return []
        return [("target", "nothing says how many rows of one person count: give the unit's max_rows")]

    def run(self, work: VerbWork) -> Done:
        """Sweep, and keep the record for the owner."""
        from privet.pipeline._sweep_settings import Sweep
        from privet.pipeline._tradeoff import tradeoff

        options = work.options
        given: dict[str, Any] = options.model_dump(exclude={"target", "techniques"}, exclude_none=True)
        settings: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in given.items()
        }
        found = tradeoff(
            work.table,
            target=options.target,
            techniques=options.techniques,
            sweep=Sweep(**settings),
            purpose=work.purpose,
            progress=lambda label, *_: work.say(label),
        )
        found.save(work.place)
        best = found.proposed
        return Done(
            facts={
                "standing": found.standing.value,
                "points": len(found.points),
                "proposed": None if best is None else f"{best.technique}, {best.label}",
                "reason": found.reason,
            }
        )
