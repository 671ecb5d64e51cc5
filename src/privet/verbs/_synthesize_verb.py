"""Synthesize: a synthetic twin of a table, under differential privacy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from privet.dataset import ASK_UNIT, Declaration, Positive, Purpose
from privet.errors import BadSynthesis, PrivetError, UnitNotStated
from privet.guarantee import ApproxDP, Person, Promise, Row
from privet.source import Role
from privet.verbs._linked_tables import (
    identifiers,
    linked_options,
    linked_tables,
    refuse_unfit_name,
    schema_said,
    wanted_columns,
    workload_said,
)
from privet.verbs._sample_options import (
    SampleWishes,
    about_samples,
    local_embedder,
    sample_columns,
    sample_outlook,
    sample_plan,
    sample_twin,
)
from privet.verbs._verb import Bound, Done, Exposed, Spending, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.artifact import ReleasedTwin
    from privet.dataset import DataSet, Seen
    from privet.guarantee import Event
    from privet.protect.synthesize import LinkedPlan, SynthesisPlan
    from privet.protect.synthesize.fidelity import TwinFidelity
    from privet.source import Table
    from privet.verbs._request import Request

MODELLED = ("quasi", "sensitive", "insensitive", "direct")


def _set(said: Any) -> Any:
    """`age+outcome` where a command line has no lists."""
    return [part.strip() for part in said.split("+")] if isinstance(said, str) else said


class SynthesizeOptions(SampleWishes):
    """What the twin holds, and what it may cost."""

    epsilon: Annotated[Positive, Field(description="Promise epsilon for the twin."), Flag(example="1")]
    delta: Annotated[
        Decimal, Field(gt=0, lt=1, description="And a failure probability of delta."), Flag(example="1e-7")
    ]
    rows: Annotated[
        int | None,
        Field(
            gt=0, description="How many rows to make [default: about as many as there are, by noisy counts]."
        ),
        Flag(example="50000"),
    ] = None
    method: Annotated[
        Literal["auto", "aim", "mst", "evolve"],
        Field(
            description="auto, aim (adaptive marginals), mst (a tree of pairs, quick) or evolve (rows that private rows vote for)."
        ),
    ] = "auto"
    columns: Annotated[
        list[str] | None, Field(description="The columns of the twin: a,b,c."), Flag(commas=True)
    ] = None
    schema_file: Annotated[
        str | None,
        Field(
            alias="schema",
            description="Public bounds and values, as `privet schema` drafts them [default: bought with noise].",
        ),
        Flag(names=("--schema",), file="in"),
    ] = None
    schemas: Annotated[
        dict[str, str],
        Field(description="The same for another table of the same persons: stays=stays-schema.yaml."),
        Flag(names=("--child-schema",), example="stays=stays-schema.yaml"),
    ] = Field(default_factory=dict)
    bins: Annotated[
        dict[str, Annotated[int, Field(ge=1, le=1000)]],
        Field(description="How many bins a number or date gets: age=20."),
        Flag(example="age=20"),
    ] = Field(default_factory=dict)
    target: Annotated[
        str | None, Field(description="A column whose relation to the others matters most.")
    ] = None
    workload: Annotated[
        list[Annotated[list[str], BeforeValidator(_set)]],
        Field(description="Columns that the twin should get right together: age+outcome."),
        Flag(example="age+outcome"),
    ] = Field(default_factory=list)
    rules: Annotated[
        list[str],
        Field(description="What every row keeps: 'discharged >= admitted', 'age < 18'."),
        Flag(names=("--rule",), example="'age < 18'"),
    ] = Field(default_factory=list)
    zeros: Annotated[
        list[str],
        Field(
            description="What cannot be, and the model holds nothing of: 'sex == male and pregnant == true'."
        ),
        Flag(names=("--zero",), example="'sex == male and pregnant == true'"),
    ] = Field(default_factory=list)
    holdout: Annotated[
        float | None,
        Field(gt=0, lt=1, description="The share of people to hold out, as a control for attacks."),
        Flag(example="0.1"),
    ] = None


@dataclass(frozen=True)
class TwinOutlook:
    """What a twin would cost, and what is to be expected of it; nothing was read or spent."""

    promise: Promise
    event: Event
    expected: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "promise": self.promise.to_json(),
            "event": self.event.to_json(),
            "expected": list(self.expected),
        }

    def __str__(self) -> str:
        nothing = ("All columns have stated domains: nothing is lost before the noise.",)
        return "\n".join([self.promise.sentence(), *(self.expected or nothing), "Nothing was read or spent."])


@register
class SynthesizeVerb(Verb):
    """Reads the columns that the twin models. All that it depends on is public, so its price is known."""

    name: ClassVar[str] = "synthesize"
    output: ClassVar[str] = "twin"
    audience: ClassVar[Literal["owner", "public"]] = "public"
    endings: ClassVar[tuple[str, ...]] = (".parquet", ".csv", ".jsonl", "")
    options: ClassVar[type[Options]] = SynthesizeOptions
    beside: ClassVar[tuple[str, ...]] = ("schema_file", "schemas", "prompts")

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """Those named, or all of the purpose that hold no text."""
        if about_samples(options):
            return sample_columns(options)
        if options.columns is not None:
            return tuple(dict.fromkeys(options.columns))
        return tuple(
            name
            for name in purpose.columns
            if name in declaration.every_column and declaration.every_column[name].role in MODELLED
        )

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """Which columns there are to model, and how many rows of one person count; what is not stated of columns is bought."""
        if not self.columns(options, declaration, purpose):
            return [
                (
                    "columns",
                    "the purpose allows no column whose role somebody has said: say roles under columns, and name these columns in the purpose",
                )
            ]
        if declaration.dataset.unit.column != "row" and declaration.dataset.unit.max_rows is None:
            return [("rows", "nothing says how many rows of one person count: give the unit's max_rows")]
        return []

    def promise(self, options: Any) -> ApproxDP:
        """As stated."""
        return ApproxDP(options.epsilon, options.delta)

    def spends(self, step: Bound, table: Table, accounting: str, folder: Path) -> Spending:
        """One booking for the whole run."""
        if about_samples(step.options):
            samples = sample_plan(table, step.options, accounting, folder)
            return Spending(
                samples.event,
                self.promise(step.options),
                notes=sample_outlook(samples, step.options, folder),
                question=samples.question(),
            )
        refuse_unfit_name(table, step.to)
        plan = _plan(table, step.options, step.columns, accounting, folder)
        return Spending(
            plan.event, self.promise(step.options), notes=plan.outlook(), question=plan.question()
        )

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """Whose rows they are is never guessed. What columns hold is taken from their names alone, never from values."""
        if asked.unit is None:
            raise UnitNotStated("say whose presence is hidden.", ASK_UNIT)
        unit: Row | Person = (
            Row() if asked.unit == "row" else Person(asked.unit, max_rows=asked.max_rows or 1)
        )
        table = data.table(unit=unit, delimiter=asked.delimiter)
        hidden = identifiers(table, asked.unit)
        return replace(
            table,
            roles={**hidden, **table.roles},
            children=linked_tables(asked, unit) if asked.tables else {},
        )

    def refuse(self, table: Table, options: Any, columns: tuple[str, ...] | None, folder: Path) -> None:
        """What synthesis would refuse before it books anything."""
        if about_samples(options):
            sample_plan(table, options, "basic", folder)
            return
        _plan(table, options, columns, "basic", folder)

    def explain(self, work: VerbWork) -> TwinOutlook:
        """What would be spent, and what is to be expected of the twin."""
        accounting = "basic" if work.ledger is None else work.ledger.accounting
        if about_samples(work.options):
            samples = sample_plan(work.table, work.options, accounting, work.folder)
            outlook = sample_outlook(samples, work.options, work.folder)
            return TwinOutlook(self.promise(work.options), samples.event, outlook)
        plan = _plan(work.table, work.options, work.columns, accounting, work.folder)
        return TwinOutlook(self.promise(work.options), plan.event, plan.outlook())

    def own_limit(self, options: Any) -> Promise:
        """A ledger that is made for one twin holds that twin and no more."""
        return self.promise(options)

    def run(self, work: VerbWork) -> Done:
        """Measure, or take what was measured before, and make rows."""
        if work.to is not None and not about_samples(work.options):
            refuse_unfit_name(work.table, work.to.name)
        if work.table.children and not about_samples(work.options):
            return self._linked(work)
        made = sample_twin(work) if about_samples(work.options) else self._table_twin(work)
        if work.to is not None:
            made.save(work.to)
        facts = {
            "method": made.method,
            "rows": made.rows,
            "columns": [column.name for column in made.columns],
            "rho": made.rho,
            "notes": list(made.notes),
            "stages": list(made.provenance.stages),
        }
        return Done(made.promise, made.receipt, facts, made=made)

    def _linked(self, work: VerbWork) -> Done:
        from privet.protect.synthesize import synthesize

        options: SynthesizeOptions = work.options
        made = synthesize(
            work.table,
            self.promise(options),
            children=work.table.children,
            ledger=work.book,
            why=work.why,
            rows=options.rows,
            purpose=work.purpose,
            analyst=work.analyst,
            again=work.again,
            progress=work.say,
            rules=options.rules,
            **linked_options(work.table, options, work.columns, work.folder),
        )
        if work.to is not None:
            made.save(work.to)
        facts = {
            "method": made.first.method,
            "rows": {name: one.rows for name, one in made.items()},
            "columns": {name: [column.name for column in one.columns] for name, one in made.items()},
            "rho": made.rho,
            "notes": list(dict.fromkeys(note for one in made.values() for note in one.notes)),
            "stages": [stage for one in made.values() for stage in one.provenance.stages],
        }
        return Done(made.promise, made.receipt, facts, made=made)

    def _table_twin(self, work: VerbWork) -> ReleasedTwin:
        from privet.protect.synthesize import synthesize

        options: SynthesizeOptions = work.options
        return synthesize(
            work.table,
            self.promise(options),
            rows=options.rows,
            ledger=work.book,
            why=work.why,
            method=options.method,
            columns=wanted_columns(work.columns, options),
            schema=schema_said(options, work.table, work.folder),
            bins=options.bins or None,
            workload=workload_said(options),
            rules=options.rules,
            zeros=options.zeros,
            purpose=work.purpose,
            analyst=work.analyst,
            again=work.again,
            progress=work.say,
        )

    def load(self, path: Path) -> Any:
        """The twin with its rows; the rows alone, where the file does not say what it is."""
        from privet.artifact import ReleasedTwin, ReleasedTwins
        from privet.source import open_table

        if path.is_dir():
            return ReleasedTwins.load(path)
        return ReleasedTwin.load(path) if path.suffix == ".parquet" else open_table(path)

    def exposed(self, step: Bound, path: Path, seen: Seen, folder: Path) -> tuple[Exposed, ...]:
        """The twin, as a table that was handed out; rows without a record are held against the step's promise."""
        del folder
        thing = self.load(path)
        if path.is_dir():
            held = {} if seen.held is None else {"": seen.held, **seen.held.children}
            tables = {"": seen.table, **seen.table.children}
            return tuple(
                Exposed(
                    one,
                    tables[name],
                    held.get(name),
                    self.promise(step.options),
                    about=f"the twin of {called}",
                )
                for name, (called, one) in zip(tables, thing.items(), strict=True)
            )
        settings: dict[str, Any] = {}
        if path.suffix != ".parquet":
            # Surrogates were made from nothing, and would only hide what the other columns tell.
            made_up = {*seen.table.with_role(Role.DIRECT), getattr(seen.table.unit, "column", None)}
            settings["columns"] = [
                name for name in step.columns if name in thing.columns and name not in made_up
            ]

        def recipe() -> Any:
            from privet.artifact import ReleasedTwin
            from privet.protect.synthesize import twin_recipe

            if not isinstance(thing, ReleasedTwin):  # rows without a record do not say how they were made
                return None
            return twin_recipe(thing, seen.table, workload=workload_said(step.options))

        found = None if about_samples(step.options) else recipe
        return (Exposed(thing, seen.table, seen.held, self.promise(step.options), settings, recipe=found),)


def twin_fidelity(twin: ReleasedTwin, held: Table, options: SynthesizeOptions) -> TwinFidelity:
    """How good a twin is on rows kept apart, for the owner: by the target and the embedder that it was asked for with.

    That the purpose allows what the rows are used for was found out before. The twin is paid for by then: where models cannot
    be tried, for want of rows say, the rest is measured and a note says why.
    """
    from privet.engine import fetch
    from privet.protect.synthesize.fidelity import fidelity

    rows = fetch(held.relation.table, held.relation.engine)
    names = {column.name for column in twin.columns}
    embedder = local_embedder(options, Path.cwd()) if about_samples(options) else None
    if options.target not in names:
        return fidelity(twin, rows, embedder=embedder)
    try:
        return fidelity(twin, rows, target=options.target, embedder=embedder)
    except PrivetError as refused:
        found = fidelity(twin, rows, embedder=embedder)
        return replace(found, notes=(*found.notes, f"No model was tried: {refused.fact}"))


def _plan(
    table: Table,
    options: SynthesizeOptions,
    columns: tuple[str, ...] | None,
    accounting: str,
    folder: Path,
) -> SynthesisPlan | LinkedPlan:
    from privet.protect.synthesize import linked_plan, linked_rules, planned_twin

    if table.children:
        plan = linked_plan(
            table,
            table.children,
            ApproxDP(options.epsilon, options.delta),
            accounting=accounting,
            **linked_options(table, options, columns, folder),
        )
        linked_rules(plan, options.rules)
        return plan
    if options.schemas:
        raise BadSynthesis("there is no other table to have a schema.", "Use --schema for the table itself.")
    return planned_twin(
        table,
        ApproxDP(options.epsilon, options.delta),
        accounting=accounting,
        method=options.method,
        columns=wanted_columns(columns, options),
        schema=schema_said(options, table, folder),
        bins=options.bins or None,
        workload=workload_said(options),
        zeros=options.zeros,
        rules=options.rules,
    )
