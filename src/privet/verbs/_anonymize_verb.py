"""Anonymize: a table whose rows look alike, recorded in the ledger without a cost."""

from __future__ import annotations

import shlex
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from privet.dataset import Declaration, Purpose, Seen
from privet.errors import RolesNotStated, UnitNotStated
from privet.guarantee import AllOf, KAnonymity, Person, Promise, Row
from privet.verbs import _anonymity_models as models
from privet.verbs._anonymity_models import Word, all_readable, readable
from privet.verbs._verb import Bound, Done, Exposed, Verb, VerbWork, register
from privet.verbs._verb_options import Flag, Options

if TYPE_CHECKING:
    from privet.artifact import ReleasedTable
    from privet.dataset import DataSet
    from privet.source import Table
    from privet.verbs._request import Request

PUBLISHED = ("quasi", "sensitive", "insensitive")
_MODELS = (
    "k", "l", "t", "beta", "delta_disclosure", "alpha", "max_risk", "mean_risk", "k_map", "presence", "population_unique"
)  # fmt: skip


class AnonymizeOptions(Options):
    """What must hold of the rows that leave, how many may be left out, and how to search."""

    hint: ClassVar[str] = "Add --k 5, or --l diagnosis=3; a recipe takes neither."

    k: Annotated[int | None, Field(ge=2, description="k-anonymity."), Flag(example="5")] = None
    l: Annotated[  # noqa: E741  the literature's name
        dict[str, Word],
        Field(description="l-diversity: diagnosis=3, =3:entropy or =3:recursive:4."),
        Flag(example="diagnosis=3"),
    ] = Field(default_factory=dict)
    t: Annotated[
        dict[str, Word],
        Field(description="t-closeness: diagnosis=0.2, =0.2:ordered or :hierarchical."),
        Flag(example="diagnosis=0.2"),
    ] = Field(default_factory=dict)
    beta: Annotated[
        dict[str, Word],
        Field(description="beta-likeness: diagnosis=1 or =1:enhanced."),
        Flag(example="diagnosis=1"),
    ] = Field(default_factory=dict)
    delta_disclosure: Annotated[
        dict[str, Word],
        Field(description="delta-disclosure privacy: diagnosis=1."),
        Flag(example="diagnosis=1"),
    ] = Field(default_factory=dict)
    alpha: Annotated[
        dict[str, Word],
        Field(description="(alpha, k)-anonymity: diagnosis=0.5, with a k."),
        Flag(example="diagnosis=0.5"),
    ] = Field(default_factory=dict)
    max_risk: Annotated[
        Word | None, Field(description="The highest risk of any row: 0.2."), Flag(example="0.2")
    ] = None
    mean_risk: Annotated[
        Word | None, Field(description="The highest mean risk: 0.05."), Flag(example="0.05")
    ] = None
    k_map: Annotated[
        Word | None,
        Field(description="k-map: 5 with a population, or 5:poisson:FRACTION:SIGNIFICANCE without."),
        Flag(example="5"),
    ] = None
    presence: Annotated[
        Word | None, Field(description="delta-presence, with a population: 0:0.2."), Flag(example="0:0.2")
    ] = None
    population_unique: Annotated[
        Word | None,
        Field(description="The share of rows unique in the population, and the sampling fraction: 0.01:0.1."),
        Flag(example="0.01:0.1"),
    ] = None
    population: Annotated[
        str | None,
        Field(description="A table of everybody, for k-map and delta-presence."),
        Flag(file="in"),
    ] = None
    hierarchies: Annotated[
        str | None,
        Field(description="A folder with one file for each column, *_hierarchy_COLUMN.csv [default: made]."),
        Flag(file="in"),
    ] = None
    missing: Annotated[
        Literal["own-value", "wildcard", "ignored"],
        Field(description="A gap is a value of its own, matches every value, or its row is left out."),
    ] = "own-value"
    max_suppressed: Annotated[
        Decimal,
        Field(ge=0, le=1, description="The share of rows that may be left out."),
        Flag(example="0.05"),
    ] = Decimal(0)
    search: Annotated[
        Literal["optimal", "anytime", "local", "mondrian"], Field(description="How to search.")
    ] = "optimal"
    metric: Annotated[
        Literal[
            "loss", "loss-geometric", "loss-rank", "precision", "discernibility", "class-size", "entropy"
        ],
        Field(description="What to lose little of."),
    ] = "loss"
    weights: Annotated[
        dict[str, Annotated[float, Field(ge=0)]],
        Field(description="How much a column matters: age=2."),
        Flag(example="age=2"),
    ] = Field(default_factory=dict)
    target: Annotated[
        str | None, Field(description="Also measure how much a model that predicts this column loses.")
    ] = None
    recipe: Annotated[
        Literal["hipaa-safe-harbor"] | None, Field(description="Apply a rule of law instead of a promise.")
    ] = None
    treat: Annotated[
        dict[str, Literal["remove", "zip", "date", "birth-date", "age", "keep"]],
        Field(alias="as", description="What a column is to the recipe: note=remove, visit=date."),
        Flag(names=("--as",), example="note=remove"),
    ] = Field(default_factory=dict)
    zip_areas: Annotated[
        str | None,
        Field(description="With the recipe: a newer list of small ZIP areas (JSON)."),
        Flag(file="in"),
    ] = None
    columns: Annotated[
        list[str] | None, Field(description="Only these columns: a,b,c."), Flag(commas=True)
    ] = None
    holdout: Annotated[
        float | None,
        Field(gt=0, lt=1, description="The share of people to hold out, as a control for attacks."),
        Flag(example="0.1"),
    ] = None

    @field_validator("l", "t", "beta", "delta_disclosure")
    @classmethod
    def _understood(cls, said: dict[str, str], field: Any) -> dict[str, str]:
        all_readable(_BY_COLUMN[field.field_name], said)
        return said

    @field_validator("k_map", "presence", "population_unique")
    @classmethod
    def _understood_too(cls, said: str | None, field: Any) -> str | None:
        if said is not None:
            readable(_OF_POPULATION[field.field_name], said)
        return said

    @model_validator(mode="after")
    def _promises_something(self) -> Self:
        said = [name for name in _MODELS if getattr(self, name)]
        if self.recipe is None and not said:
            raise PydanticCustomError(
                "missing", "a table is anonymized for a promise: give k, or l of a sensitive column"
            )
        if self.recipe is not None and said:
            raise ValueError(
                "a recipe is a rule of its own: apply it first, then anonymize what it has written"
            )
        if self.recipe is None:
            self.promised()
        return self

    def promised(self) -> Promise:
        """Everything that must hold, joined."""
        found: list[Promise] = [] if self.k is None else [readable(KAnonymity, self.k)]
        for name, read in _BY_COLUMN.items():
            found += all_readable(read, getattr(self, name))
        found += [readable(models.alpha_k, column, said, self.k) for column, said in self.alpha.items()]
        if self.max_risk is not None or self.mean_risk is not None:
            found.append(readable(models.risk_threshold, self.max_risk, self.mean_risk))
        for name, read_one in _OF_POPULATION.items():
            if (said := getattr(self, name)) is not None:
                found.append(readable(read_one, said))
        return AllOf.of(found)


_BY_COLUMN = {
    "l": models.l_diversity,
    "t": models.t_closeness,
    "beta": models.beta_likeness,
    "delta_disclosure": models.delta_disclosure,
}
_OF_POPULATION = {
    "k_map": models.k_map,
    "presence": models.delta_presence,
    "population_unique": models.population_uniqueness,
}


@register
class AnonymizeVerb(Verb):
    """Reads what may be published of its purpose's columns; identifiers are left behind in the source."""

    name: ClassVar[str] = "anonymize"
    output: ClassVar[str] = "table"
    audience: ClassVar[Literal["owner", "public"]] = "public"
    records: ClassVar[bool] = True
    endings: ClassVar[tuple[str, ...]] = (".parquet", ".csv")
    options: ClassVar[type[Options]] = AnonymizeOptions
    beside: ClassVar[tuple[str, ...]] = ("hierarchies", "population", "zip_areas")

    def columns(self, options: Any, declaration: Declaration, purpose: Purpose) -> tuple[str, ...]:
        """Those named, or all of the purpose that are not identifiers or free text."""
        named = [*self.named(options), *([options.target] if options.target else [])]
        if options.columns is not None:
            return tuple(dict.fromkeys([*options.columns, *named]))
        published = [
            name
            for name in purpose.columns
            if name in declaration.columns and declaration.columns[name].role in PUBLISHED
        ]
        return tuple(dict.fromkeys([*published, *named]))

    def named(self, options: Any) -> list[str]:
        """The columns that the promise protects."""
        return [*options.l, *options.t, *options.beta, *options.delta_disclosure, *options.alpha]

    def gaps(self, options: Any, declaration: Declaration, purpose: Purpose) -> list[tuple[str, str]]:
        """Without a quasi-identifier there is nothing to be made alike."""
        names = self.columns(options, declaration, purpose)
        if options.recipe is not None or any(
            name in declaration.columns and declaration.columns[name].role == "quasi" for name in names
        ):
            return []
        return [("k", "none of the columns it reads is a quasi-identifier")]

    def promise(self, options: Any) -> Promise | None:
        """The anonymity models, joined; what a recipe promises is known once it is applied."""
        return None if options.recipe is not None else _promised(options)

    def bare_table(self, data: DataSet, asked: Request) -> Table:
        """Rows leave with the columns that somebody has spoken of; whose rows they are is never guessed."""
        from privet.verbs._stated_roles import proposed

        if asked.unit is None:
            raise UnitNotStated(
                "say whose rows they are: a person with several rows would hide among their own.",
                "Add --unit patient_id, the column that identifies a person, or --unit row if each row is a person. "
                f"`privet audit {shlex.quote(data.source or 'DATA')}` shows which columns look like one.",
            )
        unit = Row() if asked.unit == "row" else Person(asked.unit)
        guarded = (
            {} if asked.options.recipe is not None else dict.fromkeys(self.named(asked.options), "sensitive")
        )
        table = data.table(roles={**guarded, **asked.roles}, unit=unit, delimiter=asked.delimiter)
        if asked.options.recipe is None and not table.with_role("quasi"):
            raise RolesNotStated(
                "nobody has said what an outsider may know of these rows: no column is stated as a quasi-identifier.",
                f"An audit proposes: {proposed(table)}. Look through it, then add it; columns that are not named are "
                "withheld.",
            )
        return table

    def run(self, work: VerbWork) -> Done:
        """Search or apply the recipe, write, check what was written."""
        made = _by_recipe(work) if work.options.recipe is not None else _by_search(work)
        return Done(made.promise, made.receipt, made.to_json(), made=made)

    def load(self, path: Path) -> Any:
        """The table with its record."""
        from privet.artifact import ReleasedTable

        return ReleasedTable.load(path)

    def exposed(self, step: Bound, path: Path, seen: Seen, folder: Path) -> tuple[Exposed, ...]:
        """The table; the attacker knows how its values were made coarse."""
        from privet.protect.anonymize import hierarchies_of

        given = step.options.hierarchies
        laid = step.options.search != "mondrian" and step.options.recipe is None
        known = hierarchies_of(seen.table, None if given is None else folder / given) if laid else None
        settings = {} if known is None else {"hierarchies": known}
        return (Exposed(self.load(path), seen.table, seen.held, settings=settings),)


def _promised(options: AnonymizeOptions) -> Promise:
    return options.promised()


def _by_search(work: VerbWork) -> ReleasedTable:
    from privet.protect.anonymize import anonymize

    options: AnonymizeOptions = work.options
    return anonymize(
        work.table,
        options.promised(),
        max_suppressed=options.max_suppressed,
        hierarchies=work.beside(options.hierarchies),
        search=options.search,
        metric=options.metric,
        weights=options.weights or None,
        missing="own value" if options.missing == "own-value" else options.missing,
        population=_population(work),
        target=options.target,
        out=work.to,
        ledger=work.ledger,
        why=work.why,
    )


def _population(work: VerbWork) -> Table | None:
    where: str | None = work.options.population
    if where is None:
        return None
    from privet.source import open_table

    return open_table(where if "://" in where else str(work.beside(where)))


def _by_recipe(work: VerbWork) -> ReleasedTable:
    from privet.protect.transform import recipes
    from privet.verbs._safe_harbor_kinds import safe_harbor_kinds

    options: AnonymizeOptions = work.options
    areas = recipes.zip_areas(work.beside(options.zip_areas))
    kinds = safe_harbor_kinds(work.table, options.treat)
    return recipes.apply_safe_harbor(
        work.table, kinds, out=work.to, areas=areas, ledger=work.ledger, why=work.why
    )
