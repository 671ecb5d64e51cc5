"""`privet tabulate`: the same table for every place of a hierarchy, released so that everything adds up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app.limits import read_budget, read_limit
from privet.app.output import JsonOption, emit, progress
from privet.errors import BadUsage, UnitNotStated

if TYPE_CHECKING:
    from privet.artifact.hierarchy import ReleasedHierarchy
    from privet.guarantee.units import Unit
    from privet.protect.release.spine import Invariant, Spine
    from privet.source.table import Table


def command(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A file (CSV, Parquet, JSON lines, DuckDB, SQLite) or a database URL."
        ),
    ],
    levels: Annotated[str, typer.Option(help="Columns from the coarsest place to the finest: state,county.")],
    cells: Annotated[str, typer.Option(help="Columns whose combinations are counted: sex,age.")],
    leaves: Annotated[
        Path, typer.Option(help="A public file that lists the finest places, one column for each level.")
    ],
    keys: Annotated[
        list[str] | None, typer.Option(help="Public values of a cell column: sex=f,m. Repeatable.")
    ] = None,
    share: Annotated[
        list[str] | None,
        typer.Option(help="The weight of a level in the budget, 'all' being the top: county=3. Repeatable."),
    ] = None,
    query: Annotated[
        list[str] | None,
        typer.Option(help="The weight of a query group: total=1, 'age * sex=2', detailed=3. Repeatable."),
    ] = None,
    exact: Annotated[
        list[str] | None,
        typer.Option(
            help="Counts declared exact: level=FILE, with the level's columns and 'count'. Repeatable."
        ),
    ] = None,
    origin: Annotated[
        str | None, typer.Option(help="Where the counts declared exact were published.")
    ] = None,
    zero: Annotated[
        list[str] | None, typer.Option(help="Cells that cannot occur: age=0-14,married=yes. Repeatable.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="Promise epsilon, with --delta.")] = None,
    delta: Annotated[str | None, typer.Option(help="Promise delta, with --epsilon.")] = None,
    rho: Annotated[str | None, typer.Option(help="Promise zero-concentrated DP instead.")] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="The column that identifies a person (a,b if two do together), or 'row'."),
    ] = None,
    max_rows: Annotated[int, typer.Option(help="Rows that one person may add.")] = 1,
    change_one: Annotated[
        bool, typer.Option("--change-one", help="Hide one person's data rather than their presence.")
    ] = False,
    ledger: Annotated[
        str | None, typer.Option(help="The ledger that books it [default: DATA.ledger for files].")
    ] = None,
    budget: Annotated[
        str | None,
        typer.Option(
            help="If there is no ledger yet, open one with this limit: rho=2 or epsilon=3,delta=1e-7."
        ),
    ] = None,
    why: Annotated[str, typer.Option(help="The reason, for the ledger.")] = "asked on the command line",
    purpose: Annotated[str | None, typer.Option(help="Also charge this purpose's budget.")] = None,
    analyst: Annotated[str | None, typer.Option(help="Also charge this analyst's budget.")] = None,
    confidence: Annotated[float, typer.Option(help="Of the error bars.")] = 0.95,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what would be done and spent, and stop.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Spend for a fresh release of what was released before.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Save the release: .json or .parquet.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Count people by place and category at every level, privately, in tables that add up exactly."""
    from privet.dataset import DataSet
    from privet.dataset.statement import Statement
    from privet.protect.release import explain as explain_
    from privet.protect.release import release

    promise = read_limit(None, epsilon=epsilon, delta=delta, rho=rho)
    _check_output(data, out)
    owner = DataSet.of(data)
    Statement(unit, keys=None if owner.declaration is None else keys).refuse_beside(owner)
    table = (
        owner.table(purpose=purpose)
        if owner.declaration is not None
        else owner.table(unit=_unit(unit, max_rows, change_one=change_one))
    )
    spine = _spine(table, levels, cells, leaves=leaves, keys=keys, share=share, query=query, exact=exact, origin=origin, zero=zero)  # fmt: skip
    if explain:
        book = owner.existing_ledger(ledger)
        told = explain_(spine, promise, ledger=book, confidence=confidence)
        emit(told.to_json(), str(told), plain=str(told), as_json=as_json)
        return
    with (
        owner.ledger(ledger, limit=None if budget is None else read_budget(budget)) as book,
        progress("counting", total=spine.steps) as advance,
    ):
        released = release(
            spine,
            promise,
            ledger=book,
            why=why,
            purpose=purpose,
            analyst=analyst,
            confidence=confidence,
            again=again,
            progress=advance,
        )
    if out:
        released.save(out)
    _say(released, out, as_json=as_json)


def _spine(
    table: Table,
    levels: str,
    cells: str,
    *,
    leaves: Path,
    keys: list[str] | None,
    share: list[str] | None,
    query: list[str] | None,
    exact: list[str] | None,
    origin: str | None,
    zero: list[str] | None,
) -> Spine:
    from privet.protect.release.spine import spine
    from privet.source import KeySet

    columns = _listed(levels)
    return spine(
        table,
        columns,
        _listed(cells),
        leaves=KeySet.from_file(leaves, *columns),
        keys={name: _listed(text) for name, text in _pairs(keys, "--keys", "sex=f,m").items()},
        shares=_pairs(share, "--share", "county=3") or None,
        queries=_pairs(query, "--query", "detailed=3") or None,
        invariants=[
            _invariant(level, Path(file), columns, origin)
            for level, file in _pairs(exact, "--exact", "state=totals.csv").items()
        ],
        zeros=[_zero(table, text) for text in zero or []],
    )


def _invariant(level: str, file: Path, columns: list[str], origin: str | None) -> Invariant:
    from privet.engine.opening import open_file
    from privet.protect.release.spine import Invariant
    from privet.source import KeySet

    if not origin:
        raise BadUsage(
            "counts declared exact are disclosures, and must say where they were published.",
            'Add --origin "official gazette 2026, page 3".',
        )
    above = columns[: columns.index(level) + 1] if level in columns else []
    found = list(open_file(file).columns)
    if "count" not in found or not set(above) <= set(found):
        raise BadUsage(
            f"the file of counts for {level!r} lacks a column.", f"It needs {', '.join([*above, 'count'])}."
        )
    by = [name for name in found if name not in above and name != "count"]
    rows = KeySet.from_file(file, *above, *by, "count").values
    return Invariant(level, {row[:-1]: row[-1] for row in rows}, origin=origin, columns=tuple(by))  # type: ignore[misc]


def _zero(table: Table, text: str) -> dict[str, Any]:
    """One pattern of impossible cells, its values read as the columns' kinds."""
    from privet.source import KeySet

    found: dict[str, Any] = {}
    for name, value in _pairs(text.split(","), "--zero", "age=0-14,married=yes").items():
        kinds = table.columns
        found[name] = KeySet([value]).fitted([kinds[name]]).values[0][0] if name in kinds else value
    return found


def _unit(name: str | None, max_rows: int, *, change_one: bool) -> Unit:
    from privet.guarantee.units import Change, Person, Row

    if name is None:
        raise UnitNotStated(
            "say whose presence is hidden.", "Add --unit person_id, or --unit row if each row is a person."
        )
    change = Change.REPLACE if change_one else Change.ADD_OR_REMOVE
    return Row(change) if name == "row" else Person(name, max_rows=max_rows, change=change)


def _check_output(data: str, out: Path | None) -> None:
    """Refuse an impossible output before anything is spent."""
    from privet.artifact.removal import refuse_ledgers

    if out is None:
        return
    refuse_ledgers(out)
    if out.suffix not in (".json", ".parquet"):
        raise BadUsage(
            f"a release cannot be saved as {out.name}.", "Use a name that ends in .json or .parquet."
        )
    if out.is_dir() or not out.resolve().parent.is_dir():
        raise BadUsage(f"{out.name} is a folder, or its folder does not exist.", "Nothing was spent.")
    if "://" not in data and out.resolve() == Path(data).resolve():
        raise BadUsage("the release would be written over the data.", "Give it another name.")


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _pairs(given: list[str] | None, option: str, example: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given or []:
        name, sign, rest = (part.strip() for part in text.partition("="))
        if not (name and sign and rest) or name in pairs:
            raise BadUsage(
                f"{option} could not be read, or names something twice.", f"Write {option} {example}."
            )
        pairs[name] = rest
    return pairs


def _say(released: ReleasedHierarchy, out: Path | None, *, as_json: bool) -> None:
    table = released.to_arrow()
    lines = ["\t".join(table.column_names)]
    lines += [
        "\t".join("" if cell is None else str(cell) for cell in row.values()) for row in table.to_pylist()
    ]
    said = [str(released), released.sentence(), *([f"saved {out}"] if out else [])]
    emit(released.to_json(), "\n".join(said), plain="\n".join(lines), as_json=as_json)
