"""`do: anonymize`: a table whose rows look alike, recorded in the ledger without a cost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from privet.dataset.declaration import Declaration, Purpose
from privet.dataset.rows import Seen
from privet.guarantee.promises import AllOf, KAnonymity, LDiversity, Promise, TCloseness
from privet.verbs.verb import Bound, Done, Exposed, Options, Verb, Work, register

PUBLISHED = ("quasi", "sensitive", "insensitive")


class AnonymizeOptions(Options):
    """How alike rows must be, and how many may be left out."""

    k: Annotated[int, Field(ge=2)]
    l: dict[str, Annotated[int, Field(ge=2)]] = Field(default_factory=dict)  # noqa: E741  the literature's name
    t: dict[str, Annotated[Decimal, Field(gt=0, le=1)]] = Field(default_factory=dict)
    max_suppressed: Annotated[Decimal, Field(ge=0, le=1)] = Decimal(0)
    search: Literal["optimal", "anytime", "local", "mondrian"] = "optimal"
    columns: list[str] | None = None
    target: str | None = None
    hierarchies: str | None = None  # a folder beside the policy; made from the values where there is none
    holdout: Annotated[float, Field(gt=0, lt=1)] | None = None


@register
class Anonymize(Verb):
    """Reads what may be published of its purpose's columns; identifiers are left behind in the source."""

    name: ClassVar[str] = "anonymize"
    output: ClassVar[str] = "table"
    endings: ClassVar[tuple[str, ...]] = (".parquet",)
    options: ClassVar[type[Options]] = AnonymizeOptions
    beside: ClassVar[tuple[str, ...]] = ("hierarchies",)

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """Those named, or all of the purpose that are not identifiers or free text."""
        named = [*options.l, *options.t, *([options.target] if options.target else [])]
        if options.columns is not None:
            return tuple(dict.fromkeys([*options.columns, *named]))
        published = [
            name
            for name in purpose.columns
            if name in declaration.columns and declaration.columns[name].role in PUBLISHED
        ]
        return tuple(dict.fromkeys([*published, *named]))

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """Without a quasi-identifier there is nothing to be made alike."""
        names = self.columns(options, declaration, purpose)
        if any(name in declaration.columns and declaration.columns[name].role == "quasi" for name in names):
            return []
        return [("k", "none of the columns it reads is a quasi-identifier")]

    def promise(self, options: Any) -> Promise:
        """k-anonymity, and what else is asked for."""
        found: list[Promise] = [KAnonymity(options.k)]
        found += [LDiversity(column, number) for column, number in options.l.items()]
        found += [TCloseness(column, number) for column, number in options.t.items()]
        return AllOf.of(found)

    def run(self, work: Work) -> Done:
        """Search, write, check what was written."""
        from privet.protect.anonymize import anonymize

        options = work.step.options
        made = anonymize(
            work.table,
            self.promise(options),
            max_suppressed=options.max_suppressed,
            search=options.search,
            target=options.target,
            hierarchies=work.beside(options.hierarchies),
            out=work.to,
            ledger=work.ledger,
            why=work.why,
        )
        return Done(made.promise, made.receipt, made.to_json())

    def load(self, path: Path) -> Any:
        """The table with its record."""
        from privet.artifact.table import ReleasedTable

        return ReleasedTable.load(path)

    def exposed(self, step: Bound, path: Path, seen: Seen, folder: Path) -> tuple[Exposed, ...]:
        """The table; the attacker knows how its values were made coarse."""
        from privet.protect.anonymize.laying import hierarchies_of

        given = step.options.hierarchies
        known = hierarchies_of(seen.table, None if given is None else folder / given)
        settings = {"hierarchies": known} if step.options.search != "mondrian" else {}
        return (Exposed(self.load(path), seen.table, seen.held, settings=settings),)
