"""How a ledger looks in a terminal. Callers' texts are shown as they are, never read as markup."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from privet._outgoing_text import tab_line
from privet.app._burn_down_chart import draw
from privet.guarantee import exact

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from privet.ledger import Balance, Entry, Incident, Ledger


def balance_table(ledger: Ledger, balances: Sequence[Balance]) -> Table:
    """One line for each budget and coin."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    unit = ledger.unit
    who = "no unit bound yet" if unit is None else f"protects {unit.sentence()}"
    table = Table(
        title=Text(ledger.place),
        caption=Text(f"{ledger.accounting} accounting; {who}"),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in ("budget", "coin", "spent", "left", "", "until"):
        table.add_column(name, justify="right" if name == "left" else "left", overflow="fold")
    for balance in balances:
        until = "no end" if balance.expires is None else balance.expires.isoformat()
        ended = " (ended)" if balance.expired else ""
        for number, (coin, cap) in enumerate(balance.caps.items()):
            left = balance.remaining[coin]
            table.add_row(
                Text("" if number else balance.scope),
                coin,
                f"{_short(balance.spent[coin])} of {_short(cap)}",
                _short(left),
                _bar(float(left / cap) if cap else 0.0),
                "" if number else until + ended,
            )
    return table


def burn_down(shares: Sequence[float]) -> Text:
    """The chart of what was left after each spend."""
    from rich.text import Text

    if len(shares) < 2:
        return Text("Nothing was spent yet.")
    spends = len(shares) - 1
    said = f"burn-down of the data set's budget, {spends} spend{'s' if spends > 1 else ''}, {shares[-1]:.0%} left"
    return Text("\n".join([said, *draw(shares)]))


def history_table(entries: Sequence[Entry]) -> Table:
    """One line for each entry."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("entry", "at (UTC)", "kind", "cost", "what", "why", "for"):
        table.add_column(name, justify="right" if name == "entry" else "left", overflow="fold")
    for entry in entries:
        table.add_row(*(Text(cell) for cell in _cells(entry)))
    return table


def entry_line(entry: Entry) -> str:
    """One entry for pipes, fields separated by tabs."""
    return tab_line(_cells(entry))


def incident_table(incidents: Sequence[Incident]) -> Table:
    """One line for each incident, under the words that say for whom it is."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text("for the owner alone: whether a computation fails can depend on the data"),
        caption=None if incidents else Text("Nothing failed after it was booked."),
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in ("entry", "at (UTC)", "code", "doing"):
        table.add_column(name, justify="right" if name == "entry" else "left", overflow="fold")
    for incident in incidents:
        table.add_row(*(Text(cell) for cell in incident_line(incident).split("\t")))
    return table


def incident_line(incident: Incident) -> str:
    """One incident for pipes, fields separated by tabs."""
    return "\t".join([str(incident.entry), incident.at[:19].replace("T", " "), incident.code, incident.doing])


def _cells(entry: Entry) -> list[str]:
    body = entry.body
    cost = " ".join(f"{coin}={_short(exact(text, coin))}" for coin, text in entry.cost.items() if text != "0")
    what = body.get("event") or body.get("promise") or body.get("limit") or {}
    for_whom = ", ".join(str(body[name]) for name in ("purpose", "analyst") if body.get(name))
    kind = str(what.get("kind") or what.get("promise") or "")
    return [
        str(entry.number),
        entry.at[:16].replace("T", " "),
        entry.kind,
        cost,
        kind,
        entry.why or "",
        for_whom,
    ]


def _short(amount: Fraction) -> str:
    """Four digits for the eye; exact amounts are in --json and in exports."""
    return f"{float(amount):.4g}"


def _bar(share: float, width: int = 8) -> str:
    full = round(share * width)
    return "█" * full + "░" * (width - full)
