"""`privet query`: ask a table a private question in SQL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app.output import JsonOption, emit
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.artifact.answer import ReleasedAnswer
    from privet.guarantee.promises import ApproxDP, PureDP, ZeroConcentratedDP
    from privet.guarantee.units import Unit
    from privet.ledger import Ledger
    from privet.protect.release.explaining import Explanation
    from privet.source.table import Table


def command(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="A file (CSV, Parquet, JSON lines, DuckDB, SQLite) or a database URL."
        ),
    ],
    sql: Annotated[
        str,
        typer.Argument(
            metavar="SQL",
            help="SELECT keys and COUNT(*), COUNT(DISTINCT person), SUM(x), AVG(x) … GROUP BY keys.",
        ),
    ],
    epsilon: Annotated[str | None, typer.Option(help="Promise epsilon for this answer.")] = None,
    delta: Annotated[
        str | None, typer.Option(help="With --epsilon: allow a failure probability of delta.")
    ] = None,
    rho: Annotated[str | None, typer.Option(help="Promise zero-concentrated DP instead.")] = None,
    unit: Annotated[str | None, typer.Option(help="The column that identifies a person, or 'row'.")] = None,
    max_rows: Annotated[int | None, typer.Option(help="Rows that one person may add to the answer.")] = None,
    max_groups: Annotated[int | None, typer.Option(help="Groups that one person may be counted in.")] = None,
    bounds: Annotated[
        list[str] | None, typer.Option(help="Public bounds of a column: days=0:60. Repeatable.")
    ] = None,
    keys: Annotated[
        list[str] | None, typer.Option(help="Public values of a group column: ward=ICU,Surgery. Repeatable.")
    ] = None,
    ledger: Annotated[
        str | None, typer.Option(help="The ledger that books it [default: DATA.ledger for files].")
    ] = None,
    budget: Annotated[
        str | None, typer.Option(help="If there is no ledger yet, open one with this limit: 3 or 3,1e-7.")
    ] = None,
    why: Annotated[str, typer.Option(help="The reason, for the ledger.")] = "asked on the command line",
    purpose: Annotated[str | None, typer.Option(help="Also charge this purpose's budget.")] = None,
    analyst: Annotated[str | None, typer.Option(help="Also charge this analyst's budget.")] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="Of the error bars.")] = 0.95,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what would be done and spent, and stop.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Spend for a fresh answer to a question already answered.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Save the answer: .json or .parquet.")
    ] = None,
    card: Annotated[Path | None, typer.Option(help="Save the answer's card: .html.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a table a private question; the answer comes with error bars and is booked in a ledger."""
    promise = _promise(epsilon, delta, rho)
    _check_outputs(data, out, card)
    table = _table(
        data, unit=_unit(unit, max_rows, max_groups), bounds=bounds, keys=keys, delimiter=delimiter
    )
    if explain:
        _say_explanation(
            sql, promise, table, _ledger(data, ledger, None, create=False), confidence, as_json=as_json
        )
        return
    from privet.protect.release import release

    with _ledger(data, ledger, budget, create=True) as book:
        answer = release(
            sql,
            promise,
            table=table,
            ledger=book,
            why=why,
            purpose=purpose,
            analyst=analyst,
            confidence=confidence,
            again=again,
        )
    if out:
        answer.save(out)
    if card:
        from privet.report.card import save_card

        save_card(answer, card)
    _say_answer(answer, out, card, as_json=as_json)


def _promise(
    epsilon: str | None, delta: str | None, rho: str | None
) -> PureDP | ApproxDP | ZeroConcentratedDP:
    from privet.guarantee.promises import ApproxDP, PureDP, ZeroConcentratedDP

    if rho is not None:
        if epsilon or delta:
            raise BadUsage(
                "--rho is a promise of its own.", "Give either --rho, or --epsilon with or without --delta."
            )
        return ZeroConcentratedDP(rho)
    if epsilon is None:
        raise BadUsage(
            "an answer needs a promise.", "Add --epsilon 0.5 (and --delta 1e-7 if groups are not public)."
        )
    return ApproxDP(epsilon, delta) if delta is not None else PureDP(epsilon)


def _unit(name: str | None, max_rows: int | None, max_groups: int | None) -> Unit:
    from privet.guarantee.units import Person, Row

    if name is None:
        raise BadUsage(
            "say whose presence is hidden.",
            "Add --unit patient_id --max-rows 20, or --unit row if each row is a person.",
        )
    if name == "row":
        if max_rows or max_groups:
            raise BadUsage(
                "caps per person go with a person column, not with --unit row.",
                "Name the column: --unit patient_id.",
            )
        return Row()
    if max_rows is None:
        raise BadUsage(
            "a person's contribution must be capped, or one person could move the answer without limit.",
            "Add --max-rows 20 (rows per person that may count), and --max-groups for grouped questions.",
        )
    return Person(name, max_rows=max_rows, max_groups=max_groups)


def _table(
    data: str, *, unit: Unit, bounds: list[str] | None, keys: list[str] | None, delimiter: str | None
) -> Table:
    from privet.source import open_table

    return open_table(
        data,
        unit=unit,
        bounds={column: _range(text) for column, text in _pairs(bounds, "--bounds", "days=0:60")},
        keys={column: text.split(",") for column, text in _pairs(keys, "--keys", "ward=ICU,Surgery")},
        delimiter=delimiter,
    )


def _pairs(given: list[str] | None, option: str, example: str) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for text in given or []:
        column, sign, rest = text.partition("=")
        if not (column and sign and rest):
            raise BadUsage(f"{option} could not be read.", f"Write {option} {example}.")
        if column in dict(pairs):
            raise BadUsage(f"{option} names {column!r} twice.", "Name each column once.")
        pairs.append((column, rest))
    return pairs


def _file(data: str) -> Path:
    """The file of the data, without the table named after `#`."""
    from privet.engine.opening import split_file

    return split_file(data)[0]


def _range(text: str) -> tuple[str, str]:
    low, sign, high = text.partition(":")
    if not (low and sign and high):
        raise BadUsage("--bounds could not be read.", "Write --bounds days=0:60.")
    return low, high


def _ledger(data: str, where: str | None, budget: str | None, *, create: bool) -> Any:
    """The ledger to book in; None for an explanation where there is none yet."""
    from privet.guarantee.promises import ApproxDP, PureDP
    from privet.ledger import Ledger

    if where is None and "://" in data:
        raise BadUsage(
            "a question to a database needs a ledger.", "Add --ledger FILE or --ledger postgresql://…."
        )
    # One ledger for a database file, however its table is spelled: another one would be another budget.
    place = where or f"{_file(data)}.ledger"
    exists = "://" in place or Path(place).exists()
    if not create:
        return Ledger(place) if exists else None
    if exists and budget is None:
        return Ledger(place)
    if budget is None:
        raise BadUsage(
            f"there is no ledger at {place} yet, and every answer must be booked.",
            "Open one with `privet ledger open`, or add --budget 3 (or --budget 3,1e-7) to open it here.",
        )
    epsilon, sign, delta = budget.partition(",")
    return Ledger(place, limit=ApproxDP(epsilon, delta) if sign else PureDP(epsilon))


def _check_outputs(data: str, out: Path | None, card: Path | None) -> None:
    """Refuse impossible outputs before anything is spent."""
    if out and out.suffix not in (".json", ".parquet"):
        raise BadUsage(
            f"an answer cannot be saved as {out.name}.", "Use a name that ends in .json or .parquet."
        )
    if card and card.suffix not in (".html", ".htm"):
        raise BadUsage(f"a card cannot be saved as {card.name}.", "Use a name that ends in .html.")
    for path in (out, card):
        if path and not path.resolve().parent.is_dir():
            raise BadUsage(
                f"the folder of {path.name} does not exist.", "Create it first; nothing was spent."
            )
        if path and path.is_dir():
            raise BadUsage(f"{path.name} is a folder.", "Name a file; nothing was spent.")
        if path and "://" not in data and path.resolve() == _file(data).resolve():
            raise BadUsage("the answer would be written over the data.", "Give it another name.")


def _say_explanation(
    sql: str, promise: Any, table: Table, book: Ledger | None, confidence: float, *, as_json: bool
) -> None:
    from privet.protect.release import explain

    found: Explanation = explain(sql, promise, table=table, ledger=book, confidence=confidence)
    data = {"stages": found.stages, "expected_error": found.errors, "cost": found.cost, "notes": found.notes}
    emit(data, str(found), plain=str(found), as_json=as_json)


def _say_answer(answer: ReleasedAnswer, out: Path | None, card: Path | None, *, as_json: bool) -> None:
    saved = [f"saved {path}" for path in (out, card) if path]
    emit(answer.to_json(), "\n".join([str(answer), *saved]), plain=_tabbed(answer), as_json=as_json)


def _tabbed(answer: ReleasedAnswer) -> str:
    table = answer.to_arrow()
    lines = ["\t".join(table.column_names)]
    lines += [
        "\t".join("" if cell is None else str(cell) for cell in row.values()) for row in table.to_pylist()
    ]
    return "\n".join(lines)
