"""Audit: what the columns of a table would give away, for the owner."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from privet._address_secrets import without_password
from privet.artifact import OwnerOnly, written_whole
from privet.dataset import Declaration, Purpose
from privet.verbs._verb import Done, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.dataset import DataSet
    from privet.source import Table
    from privet.verbs._request import Request


class AuditOptions(Options):
    """What an outsider may know, what must not be learned, and what else there is to measure with."""

    quasi: Annotated[
        list[str] | None,
        Field(description="Columns an outsider may know: a,b,c [default: found]."),
        Flag(commas=True),
    ] = None
    sensitive: Annotated[
        list[str] | None,
        Field(description="Columns an outsider must not learn [default: found]."),
        Flag(commas=True),
    ] = None
    population: Annotated[
        str | None, Field(description="A table of everybody, for k-map and journalist risk."), Flag(file="in")
    ] = None
    auxiliary: Annotated[
        str | None, Field(description="A table that an attacker could have, to link with."), Flag(file="in")
    ] = None
    truth: Annotated[
        str | None, Field(description="Who is who in both tables, to score the linkage."), Flag(file="in")
    ] = None
    link: Annotated[
        dict[str, str],
        Field(description="Columns that mean the same in both: born=date_of_birth."),
        Flag(example="born=date_of_birth"),
    ] = Field(default_factory=dict)
    linker: Annotated[Literal["auto", "splink", "own"], Field(description="Who links by probability.")] = (
        "auto"
    )
    weights: Annotated[str | None, Field(description="A column of survey weights.")] = None
    fraction: Annotated[
        float | None,
        Field(gt=0, le=1, description="The part of the population that the table holds."),
        Flag(example="0.01"),
    ] = None
    missing: Annotated[
        Literal["own-value", "wildcard", "ignored"],
        Field(description="What a missing value means for who looks alike."),
    ] = "own-value"
    presidio: Annotated[bool, Field(description="Also look into text with Presidio, offline.")] = False


@register
class AuditVerb(Verb):
    """Reads the columns of its purpose, spends nothing, and writes figures without values."""

    name: ClassVar[str] = "audit"
    output: ClassVar[str] = "audit"
    endings: ClassVar[tuple[str, ...]] = (".json",)
    options: ClassVar[type[Options]] = AuditOptions
    beside: ClassVar[tuple[str, ...]] = ("population", "auxiliary", "truth")

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """All of the purpose, and the weights."""
        del declaration
        weights = () if options.weights is None else (options.weights,)
        return tuple(dict.fromkeys([*purpose.columns, *weights]))

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """What columns are is said in the declaration, and nowhere else."""
        del declaration, purpose
        return [
            (part, "the declaration says what the columns are: leave this out")
            for part in ("quasi", "sensitive")
            if getattr(options, part)
        ]

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """With the roles that somebody has said; whose rows they are may be left for the audit to propose."""
        return data.table(roles=asked.roles or None, delimiter=asked.delimiter)

    def run(self, work: VerbWork) -> Done:
        """Measure, and keep the record."""
        from privet.audits import audit
        from privet.engine import reader_status

        options: AuditOptions = work.options
        found = audit(
            work.table,
            quasi=options.quasi,
            sensitive=options.sensitive,
            unit=work.table.unit or work.unit,
            population=_table(work, options.population),
            auxiliary=_table(work, options.auxiliary),
            truth=_table(work, options.truth),
            link=options.link or None,
            linker=options.linker,
            weights=options.weights,
            fraction=options.fraction,
            missing="own value" if options.missing == "own-value" else options.missing,
            presidio=options.presidio,
            source=None if work.source is None else shown_source(work.source),
            progress=work.say,
        )
        text = json.dumps(found.to_json(), indent=1, ensure_ascii=False, default=float) + "\n"
        if work.to is not None:
            written_whole(work.to, OwnerOnly(text))
        return Done(facts={**json.loads(text), "reading": reader_status()}, made=found)


def _table(work: VerbWork, where: str | None) -> str | None:
    """A file beside the declaration, or an address."""
    return where if where is None or "://" in where else str(work.beside(where))


def shown_source(data: str) -> str:
    """What commands in the advice call the table: an address without its password."""
    return without_password(data)
