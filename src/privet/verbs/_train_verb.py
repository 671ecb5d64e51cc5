"""Train: a model of one column, under differential privacy."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from privet.dataset import ASK_UNIT, Declaration, Positive, Purpose
from privet.errors import UnitNotStated
from privet.guarantee import ApproxDP, Person, Promise, Row
from privet.verbs._verb import Bound, Done, Spending, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.dataset import DataSet
    from privet.source import Table
    from privet.verbs._request import Request

MOST_ROWS = 20  # of one person, where nobody says how many count
SEED = "seed"
LEARNED = ("quasi", "sensitive", "insensitive")


class TrainOptions(Options):
    """What to predict from what, and what that may cost. `records` is a public number of units, not a count."""

    target: Annotated[
        str, Field(description="The column to predict: classes or a number."), Flag(example="outcome")
    ]
    epsilon: Annotated[Positive, Field(description="Promise epsilon for the model."), Flag(example="1")]
    delta: Annotated[
        Decimal, Field(gt=0, lt=1, description="And a failure probability of delta."), Flag(example="1e-6")
    ] = Decimal("1e-6")
    columns: Annotated[
        list[str] | None, Field(description="The columns to learn from: a,b,c."), Flag(commas=True)
    ] = None
    records: Annotated[
        int | None,
        Field(gt=0, description="About how many units there are, if public [default: estimated]."),
        Flag(example="1000"),
    ] = None
    schema_file: Annotated[
        str | None,
        Field(
            alias="schema",
            description="Public bounds and values, as `privet schema` drafts them [default: estimated].",
        ),
        Flag(names=("--schema",), file="in"),
    ] = None
    classes: Annotated[bool, Field(description="The target's numbers are classes (without a schema).")] = (
        False
    )
    class_weights: Annotated[
        dict[str, Annotated[float, Field(gt=0)]],
        Field(description="Public weight of a class: yes=3."),
        Flag(names=("--class-weight",), example="yes=3"),
    ] = Field(default_factory=dict)
    model: Annotated[
        Literal["auto", "linear", "centroids", "boosted_trees", "mlp", "objective", "ebm"],
        Field(description="auto, or a learner: linear, centroids, boosted_trees, mlp, ebm, objective."),
    ] = "auto"
    holdout: Annotated[
        float | None,
        Field(gt=0, lt=1, description="The share of people to hold out, as a control for attacks."),
        Flag(example="0.1"),
    ] = None


@register
class TrainVerb(Verb):
    """Reads the columns it learns from and the target. All that training depends on is public, so its price is known."""

    name: ClassVar[str] = "train"
    output: ClassVar[str] = "model"
    audience: ClassVar[Literal["owner", "public"]] = "public"
    endings: ClassVar[tuple[str, ...]] = ("",)
    options: ClassVar[type[Options]] = TrainOptions
    beside: ClassVar[tuple[str, ...]] = ("schema_file",)

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """Those named, or all of the purpose that neither name a person nor hold text; and the target."""
        unit = declaration.dataset.unit.column
        named = (
            [
                name
                for name in purpose.columns
                if name in declaration.columns and declaration.columns[name].role in LEARNED and name != unit
            ]
            if options.columns is None
            else options.columns
        )
        return tuple(dict.fromkeys([*named, options.target]))

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """Bounds or values of every column, the number of units, and how many rows of one person count."""
        if options.schema_file is not None:  # what it lacks is found out when it is read
            return []
        lacking = [
            name
            for name in self.columns(options, declaration, purpose)
            if name in declaration.columns
            and declaration.columns[name].bounds is None
            and declaration.columns[name].values is None
        ]
        found = [
            ("target", f"nothing is stated of the values of {name!r}: give its bounds or values")
            for name in lacking
        ]
        if options.records is None:
            found.append(("target", "nothing says about how many units there are: give records"))
        if declaration.dataset.unit.column != "row" and declaration.dataset.unit.max_rows is None:
            found.append(
                ("target", "nothing says how many rows of one person count: give the unit's max_rows")
            )
        return found

    def promise(self, options: Any) -> ApproxDP:
        """As stated."""
        return ApproxDP(options.epsilon, options.delta)

    def spends(self, step: Bound, table: Table, accounting: str, folder: Path) -> Spending:
        """What the learner's plan books."""
        from privet.protect.train.tabular import event_of

        del accounting
        options: TrainOptions = step.options
        event = event_of(
            table,
            self.promise(options),
            target=options.target,
            model=options.model,
            schema=None if options.schema_file is None else folder / options.schema_file,
            columns=_features(step.columns, options),
            records=options.records,
            class_weights=options.class_weights or None,
        )
        return Spending(event, self.promise(options))

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """Whose rows they are is never guessed. What columns hold is taken from their names alone, never from values.

        Columns that are called like names, numbers or addresses of a person are not learned from. A choice that values
        decide would tell about them.
        """
        import pyarrow as pa

        from privet.audits import classify
        from privet.engine import kind_type
        from privet.source import Role, open_table

        if asked.unit is None:
            raise UnitNotStated("say whose presence is hidden.", ASK_UNIT)
        unit = Row() if asked.unit == "row" else Person(asked.unit, max_rows=asked.max_rows or MOST_ROWS)
        table = data.table(unit=unit, delimiter=asked.delimiter)
        headings = pa.schema([(name, kind_type(kind)) for name, kind in table.columns.items()]).empty_table()
        hidden = {
            name: Role.DIRECT
            for name, found in classify(open_table(headings)).items()
            if found.role == "direct" and name != asked.unit
        }
        return replace(table, roles={**hidden, **table.roles})

    def refuse(self, table: Table, options: Any, columns: tuple[str, ...] | None, folder: Path) -> None:
        """What training would refuse before it books anything."""
        from privet.protect.train.tabular import refuse_unfit

        refuse_unfit(
            table,
            self.promise(options),
            target=options.target,
            model=options.model,
            schema=None if options.schema_file is None else folder / options.schema_file,
            columns=_features(columns, options),
            records=options.records,
        )

    def own_limit(self, options: Any) -> Promise:
        """A ledger that is made for one model holds that model and no more."""
        return self.promise(options)

    def run(self, work: VerbWork) -> Done:
        """Train; what a killed training needs to be taken up is kept until the model stands."""
        from privet.protect.train import TrainingLog, train

        options: TrainOptions = work.options
        log = TrainingLog() if work.watched else None
        made = train(
            work.table,
            self.promise(options),
            target=options.target,
            ledger=work.book,
            why=work.why,
            model=options.model,
            schema=work.beside(options.schema_file),
            columns=_features(work.columns, options),
            records=options.records,
            classes=options.classes or None,
            class_weights=options.class_weights or None,
            purpose=work.purpose,
            analyst=work.analyst,
            seed_file=None if work.scratch is None else work.scratch / SEED,
            progress=lambda taken, steps: work.say(f"step {taken} of {steps}"),
            log=log,
        )
        made.save(work.place)
        facts = {
            "kind": made.fitted.kind,
            "features": list(made.features.names),
            "target": made.target.to_json(),
            "settings": dict(made.fitted.settings),
            "unit": made.unit,
            "notes": list(made.notes),
            "stages": list(made.provenance.stages),
        }
        return Done(made.promise, made.receipt, facts, made=made, log=log)

    def load(self, path: Path) -> Any:
        """The model."""
        from privet.artifact import ReleasedModel

        return ReleasedModel.load(path)


def _features(columns: tuple[str, ...] | None, options: TrainOptions) -> list[str] | None:
    """What is learned from: as the purpose allows, or of a bare table as named."""
    if columns is None:
        return options.columns
    return [name for name in columns if name != options.target]
