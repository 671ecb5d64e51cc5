"""`privet anonymize`: change a table until a promise about linking holds, and lose as little as possible."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.app import anonymize_options as options
from privet.app import anonymize_words as words
from privet.app import output

if TYPE_CHECKING:
    from privet.artifact.table import ReleasedTable
    from privet.dataset import DataSet
    from privet.guarantee.promises import Promise
    from privet.source.table import Table


def command(
    data: options.Data,
    *,
    quasi: options.Quasi = None,
    sensitive: options.Sensitive = None,
    keep: options.Keep = None,
    roles: options.Roles = None,
    unit: options.Unit = None,
    k: options.K = None,
    l: options.L = None,  # noqa: E741  the literature's name
    t: options.T = None,
    beta: options.Beta = None,
    delta_disclosure: options.Disclosure = None,
    alpha: options.Alpha = None,
    max_risk: options.HighestRisk = None,
    mean_risk: options.MeanRisk = None,
    k_map: options.Map = None,
    presence: options.Presence = None,
    population_unique: options.Uniqueness = None,
    population: options.Population = None,
    hierarchies: options.Hierarchies = None,
    missing: options.MissingOption = options.Missing.OWN_VALUE,
    max_suppressed: options.MaxSuppressed = "0",
    search: options.SearchOption = options.Search.OPTIMAL,
    metric: options.MetricOption = options.Metric.LOSS,
    weights: options.Weights = None,
    target: options.Target = None,
    recipe: options.RecipeOption = None,
    as_kind: options.AsKind = None,
    zip_areas: options.ZipAreas = None,
    delimiter: options.Delimiter = None,
    ledger: options.LedgerOption = None,
    purpose: options.PurposeOption = None,
    why: options.Why = "asked on the command line",
    out: options.Out = None,
    page: options.Page = None,
    show_rows: options.ShowRows = False,
    record: options.Record = None,
    as_json: output.JsonOption = False,
) -> None:
    """Generalize and suppress until the promise holds in the written file; say what was lost and what risk is left."""
    words.check_outputs(out, page, record)
    stated = words.stated_roles(quasi, sensitive, keep, roles)
    more = words.Models(
        beta, delta_disclosure, alpha, max_risk, mean_risk, k_map, presence, population_unique
    )
    from privet.dataset import DataSet

    owner = DataSet.of(data)
    if recipe is not None:
        words.nothing_beside_a_recipe(k, l, t, more)
        table = words.opened(owner, stated, unit=unit, delimiter=delimiter, purpose=purpose)
        released = _by_recipe(owner, table, as_kind, zip_areas, out=out, ledger=ledger, why=why)
    else:
        promise = words.promised(k, l, t, more)
        said = words.with_sensitive(stated, promise) if owner.declaration is None else stated
        table = words.opened(owner, said, unit=unit, delimiter=delimiter, purpose=purpose)
        words.refuse_without_roles(table)
        released = _by_search(
            owner,
            table,
            promise,
            ledger,
            max_suppressed=max_suppressed,
            hierarchies=hierarchies,
            search=search.value,
            metric=metric.value,
            weights=words.weights(weights),
            missing=missing.value.replace("-", " "),
            population=words.everybody(population, delimiter),
            target=target,
            out=out,
            why=why,
        )
    _save(released, page, record, show_rows=show_rows)
    _say(released, [path for path in (out, page, record) if path], as_json=as_json)


def _by_search(
    owner: DataSet, table: Table, promise: Promise, ledger: str | None, **settings: Any
) -> ReleasedTable:
    from privet.protect.anonymize import anonymize

    with output.progress("searching"), words.book(owner, ledger) as entry:
        return anonymize(table, promise, ledger=entry, **settings)


def _by_recipe(
    owner: DataSet,
    table: Table,
    as_kind: list[str] | None,
    zip_areas: Path | None,
    *,
    out: Path | None,
    ledger: str | None,
    why: str,
) -> ReleasedTable:
    from privet.protect.anonymize import recipes

    table, kinds = words.safe_harbor_kinds(table, as_kind)
    with words.book(owner, ledger) as entry:
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
        "missing": found.missing,
        "seconds": found.seconds,
        **{name: value for name, value in released.to_json().items() if name not in {"found", "schema"}},
        "saved": [str(path) for path in saved],
    }
    human = "\n".join([str(released), *(f"saved {path}" for path in saved)])
    output.emit(data, human, plain=f"{found.loss!r}", as_json=as_json)
