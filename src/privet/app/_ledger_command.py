"""`privet ledger`: open a budget, see what is left of it, check the book, take it elsewhere."""

from __future__ import annotations

import datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet._outgoing_text import tab_line
from privet.app._policy_amounts import DEFAULT, PolicyOption
from privet.app._terminal import JsonOption, emit, write, write_file
from privet.artifact import OwnerOnly
from privet.guarantee import Change

if TYPE_CHECKING:
    from privet.guarantee import Promise
    from privet.ledger import Balance, Ledger

app = typer.Typer(help="The privacy budget: balances, history, verification.", no_args_is_help=True)

Place = Annotated[
    str, typer.Argument(metavar="LEDGER", help="The ledger's file, or postgresql://host/database#name.")
]
LimitOption = Annotated[str | None, typer.Option("--limit", help="For example epsilon=3,delta=1e-7.")]
EpsilonOption = Annotated[str | None, typer.Option("--epsilon", help="The limit's epsilon.")]
DeltaOption = Annotated[str | None, typer.Option("--delta", help="The limit's delta.")]
RhoOption = Annotated[str | None, typer.Option("--rho", help="The limit's rho (zCDP).")]
NatsOption = Annotated[
    str | None, typer.Option("--nats", help="The limit in nats of mutual information, for PAC releases.")
]
ExpiresOption = Annotated[
    datetime.datetime | None,
    typer.Option("--expires", formats=["%Y-%m-%d"], help="The last day of the budget, in UTC."),
]


class Accounting(Enum):
    """How spends are added up."""

    PURE = "pure"
    BASIC = "basic"
    ZCDP = "zcdp"
    PAC = "pac"


class ExportFormat(Enum):
    """What an export looks like."""

    JSON = "json"
    CSV = "csv"


@app.command("open")
def open_(
    place: Place,
    *,
    limit: LimitOption = None,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    rho: RhoOption = None,
    nats: NatsOption = None,
    accounting: Annotated[
        Accounting | None, typer.Option(help="The filter that admits spends; each limit has its default.")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            help="Whose presence is hidden: person:COLUMN or row. The first booking binds it otherwise."
        ),
    ] = None,
    change: Annotated[Change, typer.Option(help="How neighbouring data sets differ.")] = Change.ADD_OR_REMOVE,
    expires: ExpiresOption = None,
    as_json: JsonOption = False,
) -> None:
    """Open a new ledger. Opening the same one again changes nothing; other terms are refused."""
    from privet.ledger import Ledger
    from privet.verbs import read_limit, read_unit

    with Ledger(
        place,
        limit=read_limit(limit, epsilon=epsilon, delta=delta, rho=rho, nats=nats),
        unit=read_unit(unit, change),
        accounting=accounting.value if accounting else None,
        expires=expires.date() if expires else None,
    ) as ledger:
        said = f"{ledger.place} is open: {_words(ledger.limit)}, {ledger.accounting} accounting."
        emit({"ledger": ledger.id, **_terms(ledger)}, said, plain=ledger.id, as_json=as_json)


@app.command()
def budget(
    place: Place,
    *,
    purpose: Annotated[str | None, typer.Option(help="The purpose that gets the budget.")] = None,
    analyst: Annotated[str | None, typer.Option(help="The analyst who gets the budget.")] = None,
    limit: LimitOption = None,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    rho: RhoOption = None,
    nats: NatsOption = None,
    expires: ExpiresOption = None,
    as_json: JsonOption = False,
) -> None:
    """Cap one purpose or one analyst below the data set's limit; with --nats alone, open the account of PAC releases."""
    from privet.ledger import Ledger
    from privet.verbs import read_limit

    with Ledger(place) as ledger:
        ledger.open_budget(
            read_limit(limit, epsilon=epsilon, delta=delta, rho=rho, nats=nats),
            purpose=purpose,
            analyst=analyst,
            expires=expires.date() if expires else None,
        )
        beside = nats is not None and purpose is None and analyst is None
        balance = ledger.balance(purpose=purpose, analyst=analyst, nats=beside)
        emit(balance.to_json(), str(balance), plain=str(balance), as_json=as_json)


@app.command()
def show(place: Place, *, as_json: JsonOption = False) -> None:
    """Show what is left of every budget, and how the data set's burned down."""
    from privet.app._ledger_views import balance_table, burn_down
    from privet.ledger import Ledger, shares_left

    with Ledger(place) as ledger:
        balances = ledger.balances()
        shares = shares_left(ledger.history(), ledger.balance().caps)
        data = {
            "ledger": ledger.id,
            **_terms(ledger),
            "balances": [balance.to_json() for balance in balances],
            "burn_down": shares,
        }
        from rich.console import Group

        human = Group(balance_table(ledger, balances), burn_down(shares))
        emit(data, human, plain="\n".join(map(_plain, balances)), as_json=as_json)


@app.command()
def history(
    place: Place,
    *,
    last: Annotated[int | None, typer.Option(min=1, help="Only the last entries.")] = None,
    as_json: JsonOption = False,
) -> None:
    """List the entries, oldest first."""
    from collections import deque

    from privet.app._ledger_views import entry_line, history_table
    from privet.ledger import Ledger

    with Ledger(place) as ledger:
        entries = list(deque(ledger.history(), maxlen=last))
        data = {"ledger": ledger.id, "entries": [entry.to_json() for entry in entries]}
        emit(data, history_table(entries), plain="\n".join(map(entry_line, entries)), as_json=as_json)


@app.command()
def verify(
    place: Place,
    *,
    receipt: Annotated[
        list[Path] | None,
        typer.Option(help="A file with one or more receipts; finds a book that was cut back or replaced."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Read the whole book again: exit code 9 when an entry, a balance or a receipt does not match."""
    from privet.app._ledger_files import read_receipts
    from privet.ledger import Ledger

    receipts = [found for path in receipt or [] for found in read_receipts(path)]
    with Ledger(place) as ledger:
        result = ledger.verify(receipts)
        said = (
            f"The book verifies: {result.entries} entries, held against {result.receipts} receipts.\n"
            f"head {result.head}\n"
            "Publish or store the head elsewhere: it pins everything up to here."
        )
        emit(result.to_json(), said, plain=result.head, as_json=as_json)


@app.command()
def accept(
    *,
    why: Annotated[
        str, typer.Option(help="What became of the newer ledger, or of the note; entered for ever.")
    ],
    policy: PolicyOption = DEFAULT,
    as_json: JsonOption = False,
) -> None:
    """Go on with a data set's ledger that was restored from a backup, or whose signed note of its newest entry is lost.

    What was spent since the backup is not in it: book it again before anybody asks anything. The acceptance is entered in
    the ledger, where `privet ledger history` shows it.
    """
    from privet.dataset import accept_ledger, ledger_place
    from privet.ledger import Ledger
    from privet.pipeline import read_policy

    folder = policy.resolve().parent
    declared, _ = read_policy(policy)
    with Ledger(ledger_place(declared, folder)) as ledger:
        found = accept_ledger(folder, ledger, why=why)
    said = (
        f"Accepted as entry {found.entry}: the ledger had {found.said['found']} entries, the note was of entry "
        f"{found.said['noted']}. What was spent in between is not in it: book it again."
    )
    emit({"entry": found.entry, **found.said}, said, plain=str(found.entry), as_json=as_json)


@app.command()
def export(
    place: Place,
    *,
    form: Annotated[
        ExportFormat, typer.Option("--format", help="JSON holds everything; CSV one line per entry.")
    ] = ExportFormat.JSON,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file; stdout otherwise.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Take the whole book elsewhere, once it verified."""
    from privet.app._ledger_files import as_csv, as_text
    from privet.errors import BadUsage
    from privet.ledger import Ledger

    if output is None and as_json and form is ExportFormat.CSV:
        raise BadUsage("CSV on stdout is not one JSON document.", "Add -o FILE, or leave --json out.")
    if output is not None and output.exists() and Path(place).exists() and output.samefile(place):
        raise BadUsage("the export would overwrite the ledger.", "Name another file.")
    with Ledger(place) as ledger:
        book = ledger.export()
    text = as_csv(book) if form is ExportFormat.CSV else as_text(book, ascii_only=output is None)
    if output is None:
        write(text)
        return
    write_file(output, OwnerOnly(text))
    said = f"{len(book['entries'])} entries written to {output}."
    done = {"file": str(output), "format": form.value, "entries": len(book["entries"]), "head": book["head"]}
    emit(done, said, plain=str(output), as_json=as_json)


@app.command()
def incidents(place: Place, *, as_json: JsonOption = False) -> None:
    """List computations that failed after they were booked: for the owner alone."""
    from privet.app._ledger_views import incident_line, incident_table
    from privet.ledger import Ledger

    with Ledger(place) as ledger:
        found = ledger.incidents()
        data = {
            "ledger": ledger.id,
            "owner_only": {"incidents": [incident.to_json() for incident in found]},
        }
        emit(data, incident_table(found), plain="\n".join(map(incident_line, found)), as_json=as_json)


def _terms(ledger: Ledger) -> dict[str, object]:
    from privet.guarantee import unit_to_json

    unit = ledger.unit
    return {
        "place": ledger.place,
        "limit": ledger.limit.to_json(),
        "accounting": ledger.accounting,
        "unit": None if unit is None else unit_to_json(unit),
        "expires": ledger.expires.isoformat() if ledger.expires else None,
    }


def _words(limit: Promise) -> str:
    from privet.guarantee import readable

    return ", ".join(f"{name} {readable(getattr(limit, name))}" for name in limit.additive)


def _plain(balance: Balance) -> str:
    record = balance.to_json()
    return "\n".join(
        tab_line(
            [balance.scope, coin, record["spent"][coin], record["caps"][coin], record["remaining"][coin]]
        )
        for coin in record["caps"]
    )
