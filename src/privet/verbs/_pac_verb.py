"""PAC: counts, sums, means or a ready-made function of a secret half of the people, under a promise in nats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from privet.dataset import ASK_UNIT, DataSet, Declaration, Purpose, Seen
from privet.errors import BadAmount, BadFunction, UnitNotStated
from privet.guarantee import PacPrivacy, Person, Promise, Row
from privet.verbs._anonymity_models import Word
from privet.verbs._pac_functions_asked import FILES, FunctionOptions, faults_of, function_of
from privet.verbs._verb import Bound, Done, Exposed, Spending, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options
from privet.verbs._written_values import Values

if TYPE_CHECKING:
    from privet.protect.pac import PacStability
    from privet.source import AppliedFunction, Query, Table
    from privet.verbs._request import Request


def _nats(said: Any) -> Any:
    """`1/16`, or a number."""
    try:
        return str(PacPrivacy(said).mutual_information)
    except BadAmount as problem:
        raise ValueError(problem.fact) from None


def _ends(said: Any) -> Any:
    """`0:60` where a command line has no pairs."""
    parts = said.split(":") if isinstance(said, str) else said
    if not isinstance(parts, list | tuple) or len(parts) != 2:
        raise ValueError("bounds are two numbers: age=0:100")
    try:
        low, high = (Fraction(str(part)) for part in parts)
    except (ValueError, ZeroDivisionError):
        raise ValueError("bounds are two numbers: age=0:100") from None
    return [str(low), str(high)]


class PacOptions(FunctionOptions):
    """Which numbers, of which groups, and how many nats they may tell of the secret half."""

    hint: ClassVar[str] = (
        "Add --nats 1/16 and --mean COLUMN, --count, or --function kmeans --columns COLUMN,COLUMN."
    )

    nats: Annotated[
        Annotated[str, BeforeValidator(_nats)],
        Field(
            description="Mutual information that all answers together may carry: 1/16 bounds a guess of membership at 67.5 %."
        ),
        Flag(example="1/16"),
    ]
    count: Annotated[bool, Field(description="The number of rows.")] = False
    mean: Annotated[
        list[str],
        Field(description="Columns whose mean is wanted: age,cost."),
        Flag(commas=True, example="age"),
    ] = Field(default_factory=list)
    total: Annotated[
        list[str],
        Field(description="Columns whose sum is wanted."),
        Flag(names=("--sum",), commas=True, example="cost"),
    ] = Field(default_factory=list)
    by: Annotated[
        list[str],
        Field(description="Columns whose public values are groups."),
        Flag(commas=True, example="ward"),
    ] = Field(default_factory=list)
    bounds: Annotated[
        dict[str, Annotated[list[str], BeforeValidator(_ends)]],
        Field(description="Public bounds of a column, where nothing is declared of it: age=0:100."),
        Flag(example="age=0:100"),
    ] = Field(default_factory=dict)
    keys: Annotated[
        dict[str, Annotated[list[Word], *Values.__metadata__]],
        Field(description="Public values of a group, where nothing is declared of them: ward=a,b."),
        Flag(example="ward=a,b"),
    ] = Field(default_factory=dict)
    worlds: Annotated[
        int,
        Field(ge=2, le=1024, multiple_of=2, description="How many halves the secret one is drawn from."),
        Flag(example="128"),
    ] = 128

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not (self.count or self.mean or self.total or self.function):
            raise ValueError("nothing is asked for: give count, mean, sum or function")
        if self.function and (self.count or self.mean or self.total or self.by):
            raise ValueError("a function is released by itself: leave count, mean, sum and by out")
        if faults := faults_of(self):
            raise ValueError("; ".join(faults))
        named = self.named()
        if len({*self.mean}) < len(self.mean) or len({*self.total}) < len(self.total):
            raise ValueError("a column is named twice")
        if set(self.bounds) - set(named) or set(self.keys) - set(named if self.function else self.by):
            raise ValueError("bounds and keys are for columns that are asked about")
        return self

    def named(self) -> tuple[str, ...]:
        """Every column that is asked about."""
        target = [] if self.target is None else [self.target]
        return tuple(dict.fromkeys([*self.mean, *self.total, *self.by, *self.columns, *target]))

    def promised(self) -> PacPrivacy:
        """The promise."""
        return PacPrivacy(self.nats)


@register
class PacVerb(Verb):
    """Reads the columns that it adds up and groups by, or that its function is computed on."""

    name: ClassVar[str] = "pac"
    output: ClassVar[str] = "answer"
    audience: ClassVar[Literal["owner", "public"]] = "public"
    endings: ClassVar[tuple[str, ...]] = (".json", ".parquet")
    counts_rows: ClassVar[bool] = True
    options: ClassVar[type[Options]] = PacOptions
    beside: ClassVar[tuple[str, ...]] = FILES

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """Those named."""
        del declaration, purpose
        found: tuple[str, ...] = options.named()
        return found

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """Bounds and values, said once; how many rows of one person count; and the account of nats."""
        del purpose
        known = declaration.columns
        found = [
            ("bounds", f"the declaration states the bounds of {name!r} already")
            for name in options.bounds
            if name in known and known[name].bounds is not None
        ]
        found += [
            ("keys", f"the declaration states the values of {name!r} already")
            for name in options.keys
            if name in known and known[name].values is not None
        ]
        found += [
            (
                "mean" if name in options.mean else "total",
                f"nothing is stated of the bounds of {name!r}: give them",
            )
            for name in dict.fromkeys([*options.mean, *options.total])
            if name in known and known[name].bounds is None and name not in options.bounds
        ]
        found += [
            ("by", f"nothing is stated of the values of {name!r}: give them")
            for name in options.by
            if name in known and known[name].values is None and name not in options.keys
        ]
        found += [
            ("columns", f"nothing is stated of the values of {name!r}: give its bounds or values")
            for name in dict.fromkeys([*options.columns, *([options.target] if options.target else [])])
            if name in known
            and known[name].bounds is None
            and known[name].values is None
            and name not in options.bounds
            and name not in options.keys
            and not (name == options.target and options.classes)
        ]
        if declaration.dataset.unit.column != "row" and declaration.dataset.unit.max_rows is None:
            found.append(("nats", "nothing says how many rows of one person count: give the unit's max_rows"))
        if declaration.dataset.nats is None:
            found.append(("nats", "the data set has no account of nats: give dataset.nats"))
        return found

    def promise(self, options: Any) -> Promise | None:
        """As stated."""
        found: Promise = options.promised()
        return found

    def own_limit(self, options: Any) -> Promise | None:
        """A ledger in nats, which holds this one release."""
        found: Promise = options.promised()
        return found

    def spends(self, step: Bound, table: Table, accounting: str, folder: Path) -> Spending:
        """The plan of the release; no row is read."""
        del accounting
        from privet.protect.pac import plan_worlds

        options: PacOptions = step.options
        plan = plan_worlds(_asked(table, options, folder), options.promised(), worlds=options.worlds)
        return Spending(plan.event, plan.promise, (), plan.notes(), plan.question())

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """Whose rows they are is never guessed; one row of a person counts unless more is said."""
        if asked.unit is None:
            raise UnitNotStated("say whose membership is hidden.", ASK_UNIT)
        unit = Row() if asked.unit == "row" else Person(asked.unit, max_rows=asked.max_rows or 1)
        return data.table(unit=unit, delimiter=asked.delimiter)

    def explain(self, work: VerbWork) -> Any:
        """What would be done and spent."""
        from privet.protect.pac import explain_worlds

        options: PacOptions = work.options
        return explain_worlds(
            _asked(work.table, options, work.folder),
            options.promised(),
            ledger=work.ledger,
            worlds=options.worlds,
        )

    def run(self, work: VerbWork) -> Done:
        """Release, or show again what was released before."""
        from privet.protect.pac import release_worlds

        options: PacOptions = work.options
        promise = options.promised()
        made = release_worlds(
            _asked(work.table, options, work.folder),
            promise,
            ledger=work.book,
            why=work.why,
            purpose=work.purpose,
            analyst=work.analyst,
            again=work.again,
            progress=work.say,
            worlds=options.worlds,
        )
        made = replace(made, asked=options.model_dump(mode="json"))
        if work.to is not None:
            made.save(work.to)
        facts = {
            "labels": list(made.labels),
            "values": list(made.numbers),
            "worlds": made.worlds,
            "posterior": made.posterior(),
            "notes": list(made.notes),
            "stages": list(made.provenance.stages),
        }
        return Done(promise, made.receipt, facts, made=made)

    def exposed(self, step: Bound, path: Path, seen: Seen, folder: Path) -> tuple[Exposed, ...]:
        """The same question on worlds whose secrets are known: what was released does not say from which half it is."""
        del path
        return (exposed_worlds(step.options, seen.table, folder),)


def exposed_worlds(options: PacOptions, table: Table, folder: Path) -> Exposed:
    """Trials of a question, for attacks; whoever calls has seen to it that the rows may be used for them."""
    from privet.protect.pac import pac_trials

    promise = options.promised()
    asked = _asked(replace(table, terms=()), options, folder)
    trials = pac_trials(asked, promise, worlds=options.worlds)
    return Exposed(trials, None, promise=promise)


def measured_stability(asked: Request, say: Callable[[str], None] = lambda _: None) -> PacStability:
    """How stable what is asked is, for the owner of the rows: nothing is released, booked or spent."""
    from privet.protect.pac import stability
    from privet.verbs._request_execution import rows_for

    table, _, _ = rows_for(PacVerb(), DataSet.of(asked.data), asked)
    options: PacOptions = asked.options
    thing = _means(table, options) if options.function is None else _applied(table, options, Path.cwd())
    nats = dict.fromkeys([options.nats, "1/4", "1/16", "1/128"])
    return stability(thing, budgets=list(nats), worlds=options.worlds, progress=say)


def _means(table: Table, options: PacOptions) -> AppliedFunction:
    from privet.protect.pac import PacFunction

    if not options.mean or options.count or options.total or options.by:
        raise BadFunction(
            "stability is measured of means and of functions.",
            "Give --mean COLUMN alone, or --function kmeans --columns COLUMN,COLUMN.",
            faults=[],
        )
    return table.apply(PacFunction.means(), options.mean, bounds=_ends_said(options))


def _ends_said(options: PacOptions) -> dict[str, Any]:
    return {name: (pair[0], pair[1]) for name, pair in options.bounds.items()}


def _asked(table: Table, options: PacOptions, folder: Path) -> Query | AppliedFunction:
    return _query(table, options) if options.function is None else _applied(table, options, folder)


def _applied(table: Table, options: PacOptions, folder: Path) -> AppliedFunction:
    return table.apply(
        function_of(options, folder), options.columns, bounds=_ends_said(options), keys=options.keys or None
    )


def _query(table: Table, options: PacOptions) -> Query:
    from privet.source import Mean, Sum, count, mean
    from privet.source import sum as total

    asked: dict[str, Any] = {"n": count()} if options.count else {}
    for made, names, word in ((mean, options.mean, "mean"), (total, options.total, "sum")):
        for name in names:
            ends = options.bounds.get(name)
            found: Mean | Sum = made(name, None if ends is None else (ends[0], ends[1]))
            asked[f"{word} of {name}"] = found
    return (
        table.group_by(*options.by, keys=options.keys or None).agg(**asked)
        if options.by
        else table.agg(**asked)
    )
