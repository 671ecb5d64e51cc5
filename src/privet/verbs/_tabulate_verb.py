"""Tabulate: the same table of counts for every place of a hierarchy, released so that everything adds up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from privet.dataset import ASK_UNIT, Declaration, Purpose
from privet.errors import BadUsage, UnitNotStated
from privet.guarantee import Change, Person, Promise, Row
from privet.verbs._anonymity_models import Word
from privet.verbs._private_promise import PrivatePromise
from privet.verbs._verb import Bound, Done, Spending, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options
from privet.verbs._written_values import Values

if TYPE_CHECKING:
    from privet.dataset import DataSet
    from privet.protect.tabulate import Invariant, Spine
    from privet.source import Table
    from privet.verbs._request import Request


def _pattern(said: Any) -> Any:
    """`age=0-14,married=yes` where a command line has no mappings."""
    if not isinstance(said, str):
        return said
    pairs = [[part.strip() for part in text.partition("=")] for text in said.split(",")]
    if not all(name and value for name, _, value in pairs) or len({name for name, *_ in pairs}) < len(pairs):
        raise ValueError("could not be read")
    return {name: value for name, _, value in pairs}


class TabulateOptions(PrivatePromise):
    """Which places, which cells, what is publicly known of both, and what counting them may cost."""

    hint: ClassVar[str] = "Add --rho 0.5, or --epsilon 1 --delta 1e-7."

    levels: Annotated[
        list[str],
        Field(min_length=1, description="Columns from the coarsest place to the finest: state,county."),
        Flag(commas=True, example="state,county"),
    ]
    cells: Annotated[
        list[str],
        Field(min_length=1, description="Columns whose combinations are counted: sex,age."),
        Flag(commas=True, example="sex,age"),
    ]
    leaves: Annotated[
        str,
        Field(description="A public file that lists the finest places, one column for each level."),
        Flag(file="in", example="places.csv"),
    ]
    keys: Annotated[
        dict[str, Annotated[list[Word], *Values.__metadata__]],
        Field(description="Public values of a cell column: sex=f,m."),
        Flag(example="sex=f,m"),
    ] = Field(default_factory=dict)
    shares: Annotated[
        dict[str, Word],
        Field(description="The weight of a level in the budget, 'all' being the top: county=3."),
        Flag(names=("--share",), example="county=3"),
    ] = Field(default_factory=dict)
    queries: Annotated[
        dict[str, Word],
        Field(description="The weight of a query group: total=1, 'age * sex=2', detailed=3."),
        Flag(names=("--query",), example="detailed=3"),
    ] = Field(default_factory=dict)
    exact: Annotated[
        dict[str, str],
        Field(description="Counts declared exact: level=FILE, with the level's columns and 'count'."),
        Flag(example="state=totals.csv"),
    ] = Field(default_factory=dict)
    origin: Annotated[
        str | None,
        Field(description="Where the counts declared exact were published."),
        Flag(example='"official gazette 2026, page 3"'),
    ] = None
    zeros: Annotated[
        list[Annotated[dict[str, Word], BeforeValidator(_pattern)]],
        Field(description="Cells that cannot occur: age=0-14,married=yes."),
        Flag(names=("--zero",), example="age=0-14,married=yes"),
    ] = Field(default_factory=list)

    @model_validator(mode="after")
    def _promises_something(self) -> Self:
        if self.promised() is None:
            raise PydanticCustomError("missing", "counts need a promise: rho, or epsilon with delta")
        if self.exact and not self.origin:
            raise ValueError("counts declared exact are disclosures: say in origin where they were published")
        return self


@register
class Tabulate(Verb):
    """Reads the columns of its places and cells. All that it depends on is public, so its price is known."""

    name: ClassVar[str] = "tabulate"
    output: ClassVar[str] = "hierarchy"
    audience: ClassVar[Literal["owner", "public"]] = "public"
    endings: ClassVar[tuple[str, ...]] = (".json", ".parquet")
    options: ClassVar[type[Options]] = TabulateOptions
    beside: ClassVar[tuple[str, ...]] = ("leaves", "exact")

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """Levels and cells."""
        del declaration, purpose
        return tuple(dict.fromkeys([*options.levels, *options.cells]))

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """The values of every cell column, said once; and how many rows of one person count."""
        del purpose
        known = {name for name, column in declaration.columns.items() if column.values is not None}
        found = [
            ("keys", f"the declaration states the values of {name!r} already")
            for name in options.keys
            if name in known
        ]
        found += [
            ("cells", f"nothing is stated of the values of {name!r}: give its values")
            for name in options.cells
            if name in declaration.columns and name not in known and name not in options.keys
        ]
        if declaration.dataset.unit.column != "row" and declaration.dataset.unit.max_rows is None:
            found.append(
                ("levels", "nothing says how many rows of one person count: give the unit's max_rows")
            )
        return found

    def promise(self, options: Any) -> Promise | None:
        """As stated."""
        found: Promise | None = options.promised()
        return found

    def spends(self, step: Bound, table: Table, accounting: str, folder: Path) -> Spending:
        """The plan of the release, with its expected error; public files are read, and no row."""
        from privet.protect.tabulate import errors, make_spine_plan, notes, question_of

        options: TabulateOptions = step.options
        promise = options.promised()
        assert promise is not None
        plan = make_spine_plan(
            _spine(table, options, folder), promise, accounting=accounting, confidence=options.confidence
        )
        return Spending(plan.event, promise, errors(plan), notes(plan), question_of(plan))

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """Whose rows they are is never guessed; one row of a person counts unless more is said."""
        if asked.unit is None:
            raise UnitNotStated("say whose presence is hidden.", ASK_UNIT)
        change = Change.REPLACE if asked.change_one else Change.ADD_OR_REMOVE
        unit = (
            Row(change)
            if asked.unit == "row"
            else Person(asked.unit, max_rows=asked.max_rows or 1, change=change)
        )
        return data.table(unit=unit, delimiter=asked.delimiter)

    def explain(self, work: VerbWork) -> Any:
        """What would be done and spent."""
        from privet.protect.statistical_release import explain

        options: TabulateOptions = work.options
        spine, promise = _spine(work.table, options, work.folder), options.promised()
        assert promise is not None
        return explain(spine, promise, ledger=work.ledger, confidence=options.confidence)

    def run(self, work: VerbWork) -> Done:
        """Count, or show again what was counted before."""
        from privet.protect.statistical_release import release

        options: TabulateOptions = work.options
        spine, promise = _spine(work.table, options, work.folder), options.promised()
        assert promise is not None
        made = release(
            spine,
            promise,
            ledger=work.book,
            why=work.why,
            purpose=work.purpose,
            analyst=work.analyst,
            confidence=options.confidence,
            again=work.again,
            progress=work.say,
        )
        if work.to is not None:
            made.save(work.to)
        facts = {
            "levels": [level.name for level in made.levels],
            "cells": list(made.cells),
            "invariants": list(made.invariants),
            "notes": list(made.notes),
            "stages": list(made.provenance.stages),
        }
        return Done(promise, made.receipt, facts, made=made)


def _spine(table: Table, options: TabulateOptions, folder: Path) -> Spine:
    from privet.protect.tabulate import spine
    from privet.source import KeySet

    return spine(
        table,
        options.levels,
        options.cells,
        leaves=KeySet.from_file(folder / options.leaves, *options.levels),
        keys=options.keys,
        shares=options.shares or None,
        queries=options.queries or None,
        invariants=[
            _invariant(level, folder / file, options.levels, options.origin or "")
            for level, file in options.exact.items()
        ],
        zeros=[_zero(table, pattern) for pattern in options.zeros],
    )


def _invariant(level: str, file: Path, columns: list[str], origin: str) -> Invariant:
    from privet.engine import open_file
    from privet.protect.tabulate import Invariant
    from privet.source import KeySet

    above = columns[: columns.index(level) + 1] if level in columns else []
    found = list(open_file(file).columns)
    if "count" not in found or not set(above) <= set(found):
        raise BadUsage(
            f"the file of counts for {level!r} lacks a column.", f"It needs {', '.join([*above, 'count'])}."
        )
    by = [name for name in found if name not in above and name != "count"]
    rows = KeySet.from_file(file, *above, *by, "count").values
    return Invariant(level, {row[:-1]: row[-1] for row in rows}, origin=origin, columns=tuple(by))  # type: ignore[misc]


def _zero(table: Table, pattern: dict[str, str]) -> dict[str, Any]:
    """One pattern of impossible cells, its values read as the columns' kinds."""
    from privet.source import KeySet

    kinds = table.columns
    return {
        name: KeySet([value]).fitted([kinds[name]]).values[0][0] if name in kinds else value
        for name, value in pattern.items()
    }
