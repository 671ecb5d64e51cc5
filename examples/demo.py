"""A walk through the book wing: price, pay, draw, run dry, verify, plan. Takes seconds and needs no data."""

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

import privet as pv
from privet.errors import BudgetExceeded, LedgerTampered
from privet.guarantee.composing import ACCOUNTANTS, curve, epsilon_for
from privet.guarantee.events import DiscreteLaplace, Repeated
from privet.mechanism import discrete_laplace, explain
from privet.report.loss_curve import Curve, loss_curve
from privet.sealed import Sealed, Sensitivity

WARDS = {"heart": 112, "bone": 48, "eye": 203}
WEEKLY = DiscreteLaplace(scale=10, sensitivity=2)
YEAR = Repeated(WEEKLY, 52)
DELTA = 1e-7

console = Console(highlight=False, soft_wrap=True)


def heading(number: int, text: str) -> None:
    console.print(f"\n[bold cyan]{number}[/]  [bold]{text}[/]")


def line(name: str, text: object) -> None:
    console.print(f"   [dim]{name:<10}[/]{text}")


def draw(ledger: pv.Ledger) -> None:
    heading(2, "An exact answer is sealed: nobody reads it without paying")
    wards = Sealed(list(WARDS.values()), Sensitivity.per_coordinate(coordinates=2, largest=1))
    line("exact", wards)
    line("change", "one patient is in at most two wards, so moves at most two numbers by one each")

    heading(3, "What would noise do, and what would it cost?")
    quote = ledger.quote(WEEKLY)
    line("error", explain(WEEKLY).sentence)
    line("cost", f"epsilon {float(quote.cost['epsilon'])}, leaving {float(quote.after['epsilon'])}")

    heading(4, "Booked first, drawn after")
    permit = ledger.charge(WEEKLY, why="weekly bed plan")
    noisy = discrete_laplace(wards, permit)
    line("released", ", ".join(f"{ward} {count}" for ward, count in zip(WARDS, noisy, strict=True)))
    line("receipt", f"entry {permit.receipt.entry}, head {permit.receipt.head[:16]}…")

    heading(5, "Every week again, until the budget says no")
    try:
        for week in range(2, 60):
            permit = ledger.charge(WEEKLY, why=f"bed plan of week {week}")
            discrete_laplace(wards, permit)
    except BudgetExceeded as refusal:
        line("refused", f"in week {week}: {refusal.fact}")
    line("balance", ledger.balance())


def verify(book: Path) -> None:
    heading(6, "The book can be checked, and a change to it shows")
    with pv.Ledger(book) as ledger:
        found = ledger.verify()
        line("verified", f"{found.entries} entries, head {found.head[:16]}…")
    with sqlite3.connect(book) as connection:
        connection.execute("DROP TRIGGER entries_stay")
        connection.execute("UPDATE entries SET body = replace(body, 'bed plan', 'nothing much')")
    connection.close()
    try:
        pv.Ledger(book).verify()
    except LedgerTampered as alarm:
        line("edited", alarm.fact)


def plan(folder: Path) -> None:
    heading(7, f"A whole year of it, planned beforehand (delta {DELTA:g})")
    table = Table(box=None, padding=(0, 3, 0, 3))
    for column in ("accountant", "epsilon"):
        table.add_column(column, justify="left" if column == "accountant" else "right")
    names = {
        "pure": "basic composition",
        "zcdp": "zero-concentrated",
        "rdp": "Rényi",
        "pld": "loss distribution",
    }
    for accountant in ACCOUNTANTS:
        loss = epsilon_for(YEAR, DELTA, accountant=accountant)
        table.add_row(names[accountant], f"{loss.epsilon:.3f}")
    console.print(table)

    deltas = [10.0**-exponent for exponent in range(12, 2, -1)]
    lines = [
        Curve(names[accountant], tuple((float(loss.delta), loss.epsilon) for loss in losses))
        for accountant in ("pld", "zcdp", "pure")
        for losses in [curve(YEAR, deltas, accountant=accountant)]
    ]
    folder.mkdir(exist_ok=True)
    picture = folder / "loss-curve.svg"
    title = "52 weekly counts, discrete Laplace, epsilon 0.2 each"
    picture.write_text(loss_curve(lines, title=title), encoding="utf-8")
    line("picture", picture)


def main() -> None:
    with TemporaryDirectory() as folder:
        book = Path(folder) / "patients.ledger"
        heading(1, "A ledger for one data set")
        with pv.Ledger(book, limit=pv.PureDP(2), unit=pv.Person("patient_id")) as ledger:
            line("promise", ledger.limit.sentence())
            draw(ledger)
        verify(book)
    plan(Path("demo-output"))
    console.print("\nNext: [bold]privet --help[/], or docs/guide/first-steps.md\n")


if __name__ == "__main__":
    main()
