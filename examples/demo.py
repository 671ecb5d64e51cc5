"""The loop so far, on a made-up hospital: open a table, ask privately, see error bars, budget and card."""

import sqlite3
from pathlib import Path

from rich.console import Console
from rich.text import Text

import privet as pv
from privet.errors import BudgetExceeded, LedgerTampered, PromiseUnmeetable
from privet.examples import hospital, write
from privet.report.card import save_card

OUT = Path("demo-output")
PROMISE = pv.ApproxDP(1, 1e-7)

console = Console(highlight=False, soft_wrap=True)


def heading(number: int, text: str) -> None:
    console.print(f"\n[bold cyan]{number}[/]  [bold]{text}[/]")


def say(text: object) -> None:
    console.print(Text("\n".join(f"   {line}" for line in str(text).splitlines())))


def open_patients() -> pv.Table:
    heading(1, "A table of sensitive data: 20,000 made-up patients and their stays")
    path = OUT / "patients.parquet"
    path.unlink(missing_ok=True)
    write(path, hospital(patients=20_000, seed=7))
    table = pv.open_table(
        path,
        unit=pv.Person("patient_id", max_rows=6, max_groups=2),
        bounds={"days": (0, 60)},
        roles={"name": "direct", "ssn": "direct", "born": "quasi", "zip": "quasi", "diagnosis": "sensitive"},
    )
    say(f"{path}: hides {table.unit.sentence()}")
    return table


def ask(table: pv.Table, ledger: pv.Ledger) -> pv.ReleasedAnswer:
    question = table.group_by("ward").agg(n=pv.count(), days=pv.mean("days"))
    heading(2, "Before anything is spent: what would be done, how wrong would it be, what would it cost?")
    say(pv.explain(question, PROMISE, ledger=ledger))

    heading(3, "The answer, with error bars; booked before it was drawn")
    answer = pv.release(question, PROMISE, ledger=ledger, why="weekly bed plan")
    say(answer)
    say(PROMISE.sentence())

    heading(4, "The same question again, in SQL this time")
    sql = "SELECT ward, COUNT(*) AS n, AVG(days) AS days FROM patients GROUP BY ward"
    again = pv.release(sql, PROMISE, table=table, ledger=ledger, why="weekly bed plan")
    say(f"the stored answer, at no cost: {again.to_json() == answer.to_json()}")
    say(ledger.balance())
    return answer


def refuse(table: pv.Table, ledger: pv.Ledger) -> None:
    heading(5, "What is not paid for is not answered")
    rare = table.group_by("diagnosis").agg(n=pv.count())
    try:
        pv.release(rare, pv.PureDP(1), ledger=ledger, why="curiosity")
    except PromiseUnmeetable as refusal:
        say(refusal)
    try:
        pv.release(table.agg(n=pv.count()), pv.PureDP(5), ledger=ledger, why="curiosity")
    except BudgetExceeded as refusal:
        say(refusal)


def verify(book: Path) -> None:
    heading(6, "The ledger can be checked, and a change to it shows")
    with pv.Ledger(book) as ledger:
        say(f"verified: {ledger.verify().entries} entries")
    with sqlite3.connect(book) as connection:
        connection.execute("DROP TRIGGER entries_stay")
        connection.execute("UPDATE entries SET body = replace(body, 'bed plan', 'nothing much')")
    connection.close()
    try:
        pv.Ledger(book).verify()
    except LedgerTampered as alarm:
        say(f"after an edit: {alarm.fact}")


def hand_on(answer: pv.ReleasedAnswer) -> None:
    heading(7, "To hand on")
    say(f"card    {save_card(answer, OUT / 'card.html')}")
    say(f"answer  {answer.save(OUT / 'answer.json')}, {answer.save(OUT / 'answer.parquet')}")


def main() -> None:
    OUT.mkdir(exist_ok=True)
    book = OUT / "patients.ledger"
    for stale in OUT.glob("patients.ledger*"):
        stale.unlink()
    table = open_patients()
    with pv.Ledger(book, limit=pv.ApproxDP(3, 1e-6)) as ledger:
        answer = ask(table, ledger)
        refuse(table, ledger)
    verify(book)
    hand_on(answer)
    console.print("\nNext: [bold]privet --help[/], or docs/guide/private-queries.md\n")


if __name__ == "__main__":
    main()
