"""`privet tradeoff`: what protections keep and give away, measured side by side, and one of them proposed."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.app import _terminal as output
from privet.app._table_outputs import check_outputs
from privet.errors import BadUsage

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from privet.ledger import Ledger
    from privet.pipeline import Sweep, Tradeoff
    from privet.source import Table

MOST_ROWS = 20


def command(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A file (CSV, Parquet, JSON lines, …) or a database URL.")
    ],
    target: Annotated[str, typer.Option(help="The column whose prediction is the use: classes or a number.")],
    *,
    unit: Annotated[
        str | None,
        typer.Option(help="The column that identifies a person (a,b if two do together), or 'row'."),
    ] = None,
    max_rows: Annotated[int, typer.Option(min=1, help="Rows of one person that may count.")] = MOST_ROWS,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", "-p", help="Take roles, unit, bounds and what is allowed from this policy."),
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(help="The purpose of the policy that this is for, and that a ledger charges."),
    ] = None,
    techniques: Annotated[str | None, typer.Option(help="anonymize,train [default: all that fit].")] = None,
    k: Annotated[str | None, typer.Option(help="Sizes of classes [default: 2,5,10,25].")] = None,
    k_all: Annotated[
        str | None, typer.Option(help="The same with all columns made coarse [default: 5,25].")
    ] = None,
    diversity: Annotated[
        int | None, typer.Option("--l", min=2, help="Different sensitive values in a class [default: 3].")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="Privacy losses [default: 0.1,0.5,1,2,4,8,20].")] = None,
    delta: Annotated[str, typer.Option(help="Their failure probability.")] = "1e-6",
    models: Annotated[str | None, typer.Option(help="Learners [default: linear].")] = None,
    max_suppressed: Annotated[str, typer.Option(help="The share of rows that may be left out.")] = "0.1",
    repeats: Annotated[int, typer.Option(min=1, max=50, help="Fits of each private model.")] = 5,
    schema: Annotated[
        Path | None, typer.Option(help="Public bounds and values, as `privet schema` drafts them.")
    ] = None,
    records: Annotated[
        int | None, typer.Option(min=1, help="About how many units there are, if public.")
    ] = None,
    public_data: Annotated[bool, typer.Option("--public-data", help="DATA is public.")] = False,
    surrogate: Annotated[
        bool, typer.Option("--surrogate", help="DATA is made up, in place of the real rows.")
    ] = False,
    ledger: Annotated[
        str | None, typer.Option(help="Charge every private model to this ledger [default: owner-only].")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the record: .json.")] = None,
    page: Annotated[Path | None, typer.Option("--html", help="Write the page: .html.")] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="The CSV's delimiter, if it cannot be guessed.")
    ] = None,
    as_json: output.JsonOption = False,
) -> None:
    """Measure techniques and strengths side by side, draw the frontier, and propose the knee.

    Sweeping is a look at the data: it runs on public or made-up rows, or is booked, or is for the owner only. The output says which.
    """
    standing = _standing(public_data=public_data, surrogate=surrogate, ledger=ledger)
    sweep = _sweep(k, k_all, diversity, epsilon, delta, models, max_suppressed, repeats)
    if out or page:
        check_outputs(None, page, out)
    _refuse_overwriting(data, out, page)
    named = None if techniques is None else _names(techniques, "--techniques")
    table, purpose = _opened(data, target, unit, max_rows, delimiter, policy=policy, purpose=purpose)
    with _book(ledger) as book, output.progress("sweeping") as advance:
        from privet.pipeline import tradeoff

        found = tradeoff(
            table,
            target=target,
            techniques=named,
            sweep=sweep,
            standing=standing,
            ledger=book,
            schema=schema,
            records=records,
            purpose=purpose,
            progress=lambda label, done, total: advance(f"{label} ({done} of {total} done)"),
        )
    _save(found, out, page)
    _say(found, out, page, as_json=as_json)


def _standing(*, public_data: bool, surrogate: bool, ledger: str | None) -> str:
    stated = [
        name for name, said in (("public", public_data), ("surrogate", surrogate), ("booked", ledger)) if said
    ]
    if len(stated) > 1:
        raise BadUsage(
            "rows are public, or made up, or booked: not two of these.",
            "Choose one of --public-data, --surrogate and --ledger; without, the result is for the owner only.",
        )
    return stated[0] if stated else "owner-only"


def _sweep(
    k: str | None,
    k_all: str | None,
    diversity: int | None,
    epsilon: str | None,
    delta: str,
    models: str | None,
    max_suppressed: str,
    repeats: int,
) -> Sweep:
    from privet.pipeline import Sweep

    usual = Sweep()
    return Sweep(
        k=usual.k if k is None else tuple(_whole(text, "--k") for text in _names(k, "--k")),
        k_all=(usual.k_all if k is None else ())
        if k_all is None
        else tuple(_whole(text, "--k-all") for text in _names(k_all, "--k-all")),
        l=usual.l if diversity is None else diversity,
        epsilon=usual.epsilon
        if epsilon is None
        else tuple(_number(text, "--epsilon") for text in _names(epsilon, "--epsilon")),
        delta=_number(delta, "--delta"),
        models=usual.models if models is None else tuple(_names(models, "--models")),
        max_suppressed=_number(max_suppressed, "--max-suppressed"),
        repeats=repeats,
    ).checked()


def _names(text: str, option: str) -> list[str]:
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found:
        raise BadUsage(f"{option} could not be read.", f"Write {option} a,b,c.")
    return found


def _number(text: str, option: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise BadUsage(f"{option} could not be read.", f"Write {option} 0.5,1,2.") from None


def _whole(text: str, option: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise BadUsage(f"{option} could not be read.", f"Write {option} 2,5,10.") from None


def _refuse_overwriting(data: str, out: Path | None, page: Path | None) -> None:
    from privet.app._output_files import file_of

    for path in (out, page):
        if path and "://" not in data and path.resolve() == file_of(data).resolve():
            raise BadUsage("the result would be written over the data.", "Give it another name.")


def _opened(
    data: str,
    target: str,
    unit: str | None,
    max_rows: int,
    delimiter: str | None,
    *,
    policy: Path | None,
    purpose: str | None,
) -> tuple[Table, str | None]:
    """The table as the policy lets it be seen; or with roles as an audit proposes them, for figures that stay with its owner."""
    if policy is not None:
        if unit is not None:
            raise BadUsage("the policy says whose rows they are.", "Leave out --unit or --policy.")
        from privet.ledger import clock
        from privet.pipeline import table_under

        return table_under(
            policy, data, target=target, purpose=purpose, today=clock.now().date(), delimiter=delimiter
        )
    from privet.audits import classify
    from privet.dataset import DataSet
    from privet.pipeline import TradeoffOptions
    from privet.pipeline import TradeoffVerb as Verb
    from privet.verbs import Request, rows_for

    owner = DataSet.of(data)
    if owner.declaration is not None:
        asked = Request(owner, TradeoffOptions(target=target), unit, delimiter, purpose=purpose)
        return rows_for(Verb(), owner, asked)[0], purpose
    from privet.dataset import ASK_UNIT
    from privet.errors import UnitNotStated
    from privet.guarantee import Person, Row
    from privet.source import Role

    if unit is None:
        raise UnitNotStated("say whose presence is hidden.", ASK_UNIT)
    whose = Row() if unit == "row" else Person(unit, max_rows=max_rows)
    table = DataSet.bare(data).table(unit=whose, delimiter=delimiter)
    known = {role.value for role in Role}
    found = {name: Role(one.role) for name, one in classify(table).items() if one.role in known}
    return replace(table, roles={**found, **table.roles}), purpose


def _book(where: str | None) -> AbstractContextManager[Ledger | None]:
    if where is None:
        return nullcontext()
    from privet.ledger import Ledger

    if "://" not in where and not Path(where).exists():
        raise BadUsage(
            f"there is no ledger at {where}.",
            "Open one with `privet ledger open`; nothing was read or spent.",
        )
    return Ledger(where)


def _save(found: Tradeoff, out: Path | None, page: Path | None) -> None:
    if out is not None:
        found.save(out)
    if page is not None:
        from privet.report import save_tradeoff_page

        save_tradeoff_page(found.to_json(), page)


def _say(found: Tradeoff, out: Path | None, page: Path | None, *, as_json: bool) -> None:
    from rich.markup import escape

    saved = "".join(f"\nsaved {path}" for path in (out, page) if path)
    record: dict[str, Any] = {
        **found.to_json(),
        "file": str(out) if out else None,
        "page": str(page) if page else None,
    }
    plain = "\n".join(
        f"{point.technique}\t{point.label}\t{point.utility.value:.6g}\t{point.risk.value:.6g}"
        for point in found.points
    )
    output.emit(record, escape(str(found) + saved), plain=plain, as_json=as_json)
