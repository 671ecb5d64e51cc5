"""`privet query`: ask tables private questions in SQL, one by one or in a shell."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from privet.app.output import JsonOption
from privet.app.query_options import check_outputs, promised
from privet.app.query_words import answered, save, say_answer, say_explanation
from privet.errors import BadUsage


def command(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A file (CSV, Parquet, JSON lines, DuckDB, SQLite) or a database URL; a table of it after #.",
        ),
    ],
    sql: Annotated[
        str | None,
        typer.Argument(
            metavar="SQL",
            help="SELECT … FROM … [JOIN] [WHERE] [GROUP BY] [HAVING] [ORDER BY] [LIMIT]; see docs/reference/sql.md. "
            "Several questions, with ; between them, are one release under one promise.",
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="Read the questions from a file instead.")
    ] = None,
    epsilon: Annotated[str | None, typer.Option(help="Promise epsilon for this answer.")] = None,
    delta: Annotated[
        str | None, typer.Option(help="With --epsilon: allow a failure probability of delta.")
    ] = None,
    rho: Annotated[str | None, typer.Option(help="Promise zero-concentrated DP instead.")] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="The column that identifies a person (a,b if two do together), or 'row'."),
    ] = None,
    max_rows: Annotated[
        list[str] | None,
        typer.Option(help="Rows that one person may add: 20, or visits=20 for one table. Repeatable."),
    ] = None,
    max_groups: Annotated[
        list[str] | None,
        typer.Option(help="Groups that one person may be counted in: 3, or visits=3. Repeatable."),
    ] = None,
    bounds: Annotated[
        list[str] | None,
        typer.Option(help="Public bounds of a column: days=0:60, arrived=2026-01-01:2026-12-31. Repeatable."),
    ] = None,
    keys: Annotated[
        list[str] | None, typer.Option(help="Public values of a group column: ward=ICU,Surgery. Repeatable.")
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(help="Another private table of the same persons: visits=visits.csv. Repeatable."),
    ] = None,
    public: Annotated[
        list[str] | None, typer.Option(help="A public table to join with: wards=wards.csv. Repeatable.")
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
    error: Annotated[
        list[str] | None,
        typer.Option(
            help="The error wanted of an answer: n=50. Repeatable, one for each. Without --epsilon, the least epsilon is found."
        ),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="How much each of several questions matters: 3,1.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what would be done and spent, and stop.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Spend for a fresh answer to a question already answered.")
    ] = False,
    pace: Annotated[
        float | None,
        typer.Option(help="Answer at whole multiples of so many seconds: the time taken then says nothing."),
    ] = None,
    repl: Annotated[
        bool, typer.Option("--repl", help="Open a shell: one question after another, until .quit.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Save the answer: .json or .parquet.")
    ] = None,
    card: Annotated[Path | None, typer.Option(help="Save the answer's card: .html.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Ask tables a private question; the answer comes with error bars and is booked in a ledger."""
    asked = sql is not None or file is not None
    if repl == asked:
        raise BadUsage(
            "a question or a shell, one of them." if repl else "there is no question.",
            'Write it after DATA: privet query patients.csv "SELECT COUNT(*) FROM t" …, or open a shell with --repl.',
        )
    promise = None if (repl or error) and epsilon is None and rho is None else promised(epsilon, delta, rho)
    check_outputs(data, out, card)
    from privet.app.limits import read_budget
    from privet.dataset import DataSet
    from privet.dataset.statement import Statement
    from privet.dataset.tables import Tables
    from privet.protect.release.pacing import check_pace

    check_pace(pace)

    owner = DataSet.of(data)
    said = Statement(unit, max_rows, max_groups, bounds, keys, table, public, delimiter)
    tables = Tables(owner, said, purpose=purpose)
    limit = None if budget is None else read_budget(budget)
    booking = {
        "why": why,
        "purpose": purpose,
        "analyst": analyst,
        "again": again,
        "confidence": confidence,
        "pace": pace,
    }
    if repl:
        _refuse_files(out, card, explain)
        from privet.app.query_shell import Shell, history_of

        with owner.ledger(ledger, limit=limit) as book:
            shell = Shell(tables, book, promise, booking, as_json=as_json)
            status = shell.run(history_of(book.place) if sys.stdin.isatty() else None)
        raise typer.Exit(status)
    from privet.app import query_batch

    questions = query_batch.questions_of(sql, file)
    goal = query_batch.Goal(epsilon, delta, rho, error, weights, confidence)
    if len(questions) > 1 or error or weights:
        if explain:
            there = owner.existing_ledger(ledger)
            query_batch.explain_batch(questions, goal, tables, there, as_json=as_json)
            return
        with owner.ledger(ledger, limit=limit) as book:
            answers = query_batch.answer_batch(questions, goal, tables, book, booking)
        query_batch.say_answers(answers, out, card, as_json=as_json)
        return
    sql = questions[0]
    assert promise is not None
    if explain:
        there = owner.existing_ledger(ledger)
        say_explanation(sql, promise, tables, there, confidence, as_json=as_json)
        return
    with owner.ledger(ledger, limit=limit) as book:
        answer = answered(sql, promise, tables, book, booking)
    save(answer, out, card)
    say_answer(answer, out, card, as_json=as_json)


def _refuse_files(out: Path | None, card: Path | None, explain: bool) -> None:
    if out or card or explain:
        raise BadUsage(
            "--out, --card and --explain are for one question.",
            "In the shell use .save FILE and .explain SQL.",
        )
