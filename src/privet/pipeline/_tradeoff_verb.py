"""Tradeoff: techniques and strengths weighed against each other on the same people, for the owner."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from privet.dataset import ASK_UNIT, Declaration, Positive, Purpose
from privet.errors import UnitNotStated
from privet.guarantee import Person, Row
from privet.pipeline._sweep_settings import Sweep
from privet.source import Role
from privet.verbs import MOST_ROWS, Done, Flag, Options, Verb, VerbWork, register

if TYPE_CHECKING:
    from privet.dataset import DataSet
    from privet.source import Table
    from privet.verbs import Request

LEARNED = ("quasi", "sensitive", "insensitive")
_STRENGTHS = {"k", "k_all", "l", "epsilon", "delta", "models", "max_suppressed", "repeats", "twin"}
_K = Annotated[int, Field(ge=2)]


class TradeoffOptions(Options):
    """What is to be predicted, and which techniques and strengths are tried; what is left out is tried as usual."""

    target: Annotated[
        str,
        Field(description="The column whose prediction is the use: classes or a number."),
        Flag(example="outcome"),
    ]
    techniques: Annotated[
        list[Literal["anonymize", "train", "synthesize", "pac"]] | None,
        Field(
            min_length=1,
            description="anonymize,train,synthesize,pac [default: the first two, where they fit].",
        ),
        Flag(commas=True, example="anonymize,train"),
    ] = None
    k: Annotated[
        list[_K] | None,
        Field(description="Sizes of classes [default: 2,5,10,25]."),
        Flag(commas=True, example="2,5,10"),
    ] = None
    k_all: Annotated[
        list[_K] | None,
        Field(
            description="The same with all columns generalized [default: 5,25; none where other sizes are named]."
        ),
        Flag(commas=True, example="5,25"),
    ] = None
    l: Annotated[  # noqa: E741  the literature's name
        _K | None, Field(description="Different sensitive values in a class."), Flag(example="3")
    ] = 3
    epsilon: Annotated[
        list[Positive] | None,
        Field(min_length=1, description="Privacy losses [default: 0.1,0.5,1,2,4,8,20]."),
        Flag(commas=True, example="0.5,1,2"),
    ] = None
    delta: Annotated[
        Decimal, Field(gt=0, lt=1, description="Their failure probability."), Flag(example="1e-6")
    ] = Decimal("1e-6")
    models: Annotated[
        list[Literal["linear", "centroids", "boosted_trees", "mlp", "objective", "ebm"]] | None,
        Field(
            min_length=1,
            description="Learners: linear, centroids, boosted_trees, mlp, ebm, objective [default: linear].",
        ),
        Flag(commas=True, example="linear,mlp"),
    ] = None
    twin: Annotated[
        Literal["aim", "mst", "evolve", "auto"], Field(description="How synthetic twins are made.")
    ] = "aim"
    max_suppressed: Annotated[
        Decimal,
        Field(ge=0, lt=1, description="The share of rows that may be left out."),
        Flag(example="0.1"),
    ] = Decimal("0.1")
    repeats: Annotated[
        int, Field(ge=1, le=50, description="Fits of each private model."), Flag(example="5")
    ] = 5
    schema_file: Annotated[
        str | None,
        Field(alias="schema", description="Public bounds and values, as `privet schema` drafts them."),
        Flag(names=("--schema",), file="in"),
    ] = None
    records: Annotated[
        int | None,
        Field(gt=0, description="About how many units there are, if public."),
        Flag(example="1000"),
    ] = None
    public_data: Annotated[bool, Field(description="The rows are public.")] = False
    surrogate: Annotated[bool, Field(description="The rows are made up, in place of the real ones.")] = False

    @model_validator(mode="after")
    def _one_standing(self) -> Self:
        if self.public_data and self.surrogate:
            raise ValueError("rows are public or made up: not both")
        return self

    def sweep(self) -> Sweep:
        """The strengths."""
        said = self.model_dump(include=_STRENGTHS)
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in said.items()
            if value is not None or name == "l"
        }
        return Sweep(**given)

    @property
    def standing(self) -> str:
        """What the rows are said to be."""
        return "public" if self.public_data else "surrogate" if self.surrogate else "owner-only"


@register
class TradeoffVerb(Verb):
    """Reads what may be published or learned from of its purpose's columns; its result is the owner's.

    It is booked where a request names a ledger. What it would cost depends on how many people there are, which a plan
    does not read: a step of a policy books nothing.
    """

    name: ClassVar[str] = "tradeoff"
    output: ClassVar[str] = "report"
    endings: ClassVar[tuple[str, ...]] = (".json",)
    options: ClassVar[type[Options]] = TradeoffOptions
    beside: ClassVar[tuple[str, ...]] = ("schema_file",)

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

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """Whose rows they are is never guessed; roles are as stated, else as an audit proposes them, for the owner's figures."""
        from privet.audits import classify

        if asked.unit is None:
            raise UnitNotStated("say whose presence is hidden.", ASK_UNIT)
        unit = Row() if asked.unit == "row" else Person(asked.unit, max_rows=asked.max_rows or MOST_ROWS)
        table = data.table(roles=dict(asked.roles) or None, unit=unit, delimiter=asked.delimiter)
        known = {role.value for role in Role}
        found = {name: Role(one.role) for name, one in classify(table).items() if one.role in known}
        return replace(table, roles={**found, **table.roles})

    def run(self, work: VerbWork) -> Done:
        """Sweep, and keep the record for the owner."""
        from privet.pipeline._tradeoff import tradeoff

        options: TradeoffOptions = work.options
        found = tradeoff(
            work.table,
            target=options.target,
            techniques=options.techniques,
            sweep=options.sweep(),
            standing=options.standing,
            ledger=work.ledger,
            schema=work.beside(options.schema_file),
            records=options.records,
            purpose=work.purpose,
            why=work.why,
            progress=lambda label, done, total: work.say(f"{label} ({done} of {total} done)"),
        )
        if work.to is not None:
            found.save(work.to)
        best = found.proposed
        return Done(
            facts={
                "standing": found.standing.value,
                "points": len(found.points),
                "proposed": None if best is None else f"{best.technique}, {best.label}",
                "reason": found.reason,
            },
            made=found,
        )
