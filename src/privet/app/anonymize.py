"""`privet anonymize`: change a table until a promise about linking holds, and lose as little as possible."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app import anonymize_words as words
from privet.app import output
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.artifact.table import ReleasedTable
    from privet.source.table import Table


class Search(enum.StrEnum):
    """Ways of searching."""

    OPTIMAL = "optimal"
    ANYTIME = "anytime"
    LOCAL = "local"
    MONDRIAN = "mondrian"


class Metric(enum.StrEnum):
    """What is to be lost as little as possible."""

    LOSS = "loss"
    LOSS_GEOMETRIC = "loss-geometric"
    LOSS_RANK = "loss-rank"
    PRECISION = "precision"
    DISCERNIBILITY = "discernibility"
    CLASS_SIZE = "class-size"
    ENTROPY = "entropy"


class Recipe(enum.StrEnum):
    """Rules of law."""

    HIPAA_SAFE_HARBOR = "hipaa-safe-harbor"


def command(
    data: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A file (CSV, Parquet, JSON lines, DuckDB, SQLite) or a database URL."
        ),
    ],
    *,
    quasi: Annotated[
        str | None, typer.Option(help="Columns an outsider may know: a,b,c [default: as an audit finds].")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option(help="Columns an outsider must not learn; published as they are.")
    ] = None,
    keep: Annotated[
        str | None, typer.Option(help="Columns that say nothing about a person; published as they are.")
    ] = None,
    roles: Annotated[Path | None, typer.Option(help="A file of roles, as `privet audit` writes it.")] = None,
    unit: Annotated[str | None, typer.Option(help="The column that says whose row it is, or 'row'.")] = None,
    k: Annotated[int | None, typer.Option("--k", help="k-anonymity.")] = None,
    l: Annotated[  # noqa: E741  the literature's name
        list[str] | None,
        typer.Option("--l", help="l-diversity: diagnosis=3, =3:entropy or =3:recursive:4. Repeatable."),
    ] = None,
    t: Annotated[
        list[str] | None,
        typer.Option("--t", help="t-closeness: diagnosis=0.2, =0.2:ordered or :hierarchical. Repeatable."),
    ] = None,
    beta: Annotated[
        list[str] | None,
        typer.Option(help="beta-likeness: diagnosis=1 or =1:enhanced. Repeatable."),
    ] = None,
    delta_disclosure: Annotated[
        list[str] | None, typer.Option(help="delta-disclosure privacy: diagnosis=1. Repeatable.")
    ] = None,
    alpha: Annotated[
        list[str] | None,
        typer.Option(help="(alpha, k)-anonymity: diagnosis=0.5, with the k of --k. Repeatable."),
    ] = None,
    max_risk: Annotated[str | None, typer.Option(help="The highest risk of any row: 0.2.")] = None,
    mean_risk: Annotated[str | None, typer.Option(help="The highest mean risk: 0.05.")] = None,
    k_map: Annotated[
        str | None,
        typer.Option(help="k-map: 5 with --population, or 5:poisson:FRACTION:SIGNIFICANCE without."),
    ] = None,
    presence: Annotated[str | None, typer.Option(help="delta-presence, with --population: 0:0.2.")] = None,
    population_unique: Annotated[
        str | None,
        typer.Option(help="The share of rows unique in the population, and the sampling fraction: 0.01:0.1."),
    ] = None,
    population: Annotated[
        str | None, typer.Option(help="A table of everybody, for --k-map and --presence.")
    ] = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option(help="A folder with one file for each column, *_hierarchy_COLUMN.csv [default: made]."),
    ] = None,
    max_suppressed: Annotated[str, typer.Option(help="The share of rows that may be left out.")] = "0",
    search: Annotated[Search, typer.Option(help="How to search.")] = Search.OPTIMAL,
    metric: Annotated[Metric, typer.Option(help="What to lose little of.")] = Metric.LOSS,
    weights: Annotated[
        list[str] | None, typer.Option(help="How much a column matters: age=2. Repeatable.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Also measure how much a model that predicts this column loses.")
    ] = None,
    recipe: Annotated[Recipe | None, typer.Option(help="Apply a rule of law instead of a promise.")] = None,
    as_kind: Annotated[
        list[str] | None,
        typer.Option("--as", help="What a column is to the recipe: note=remove, visit=date. Repeatable."),
    ] = None,
    zip_areas: Annotated[
        Path | None, typer.Option(help="With the recipe: a newer list of small ZIP areas (JSON).")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    ledger: Annotated[str | None, typer.Option(help="Record the promise in this ledger.")] = None,
    why: Annotated[str, typer.Option(help="The reason, for the ledger.")] = "asked on the command line",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The file to write: .parquet or .csv.")
    ] = None,
    page: Annotated[Path | None, typer.Option(help="Write a page about it: .html.")] = None,
    show_rows: Annotated[
        bool, typer.Option("--show-rows", help="On the page, also rows before and after: for the owner only.")
    ] = False,
    record: Annotated[Path | None, typer.Option(help="Write the record without the rows: .json.")] = None,
    as_json: output.JsonOption = False,
) -> None:
    """Generalize and suppress until the promise holds in the written file; say what was lost and what risk is left."""
    words.check_outputs(out, page, record)
    stated = words.stated_roles(quasi, sensitive, keep, roles)
    given = words.Models(
        beta, delta_disclosure, alpha, max_risk, mean_risk, k_map, presence, population_unique
    )
    if recipe is not None:
        if k is not None or l or t or given:
            raise BadUsage(
                "a recipe is a rule of its own.", "Apply it first, then anonymize what it has written."
            )
        table = words.opened(data, stated, unit=unit, delimiter=delimiter)
        released = _by_recipe(table, as_kind, zip_areas, out, ledger, why)
    else:
        promise = words.promised(k, l, t, given)
        stated = words.with_sensitive(stated, promise)
        table = words.opened(data, stated, unit=unit, delimiter=delimiter)
        if quasi is None and roles is None:
            table = words.with_found_roles(table)
        from privet.protect.anonymize import anonymize

        with output.progress("searching"), words.book(ledger) as entry:
            released = anonymize(
                table,
                promise,
                max_suppressed=max_suppressed,
                hierarchies=hierarchies,
                search=search.value,
                metric=metric.value,
                weights=words.weights(weights),
                population=words.everybody(population, delimiter),
                target=target,
                out=out,
                ledger=entry,
                why=why,
            )
    _save(released, page, record, show_rows=show_rows)
    _say(released, [path for path in (out, page, record) if path], as_json=as_json)


def _by_recipe(
    table: Table,
    as_kind: list[str] | None,
    zip_areas: Path | None,
    out: Path | None,
    ledger: str | None,
    why: str,
) -> ReleasedTable:
    from privet.protect.anonymize import recipes

    table, kinds = words.safe_harbor_kinds(table, as_kind)
    with words.book(ledger) as entry:
        return recipes.apply_safe_harbor(
            table, kinds, out=out, areas=recipes.zip_areas(zip_areas), ledger=entry, why=why
        )


def _save(released: ReleasedTable, page: Path | None, record: Path | None, *, show_rows: bool) -> None:
    if page:
        from privet.report.anonymize_page import save_anonymize_page

        save_anonymize_page(released, page, rows=show_rows)
    if record:
        released.save(record)


def _say(released: ReleasedTable, saved: list[Path], *, as_json: bool) -> None:
    found = released.found
    data: dict[str, Any] = {
        "loss": found.loss,
        "metric": found.metric,
        "output_type": found.output_type,
        "levels": found.levels,
        "suppressed_rows": found.suppressed_rows,
        "published_rows": released.after.rows,
        "classes": found.classes,
        "nodes_evaluated": found.nodes_evaluated,
        "optimal": found.optimal,
        "search": found.search,
        "seconds": found.seconds,
        **{name: value for name, value in released.to_json().items() if name not in {"found", "schema"}},
        "saved": [str(path) for path in saved],
    }
    human = "\n".join([str(released), *(f"saved {path}" for path in saved)])
    output.emit(data, human, plain=f"{found.loss!r}", as_json=as_json)
