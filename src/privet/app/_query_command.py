"""`privet query`: ask tables private questions in SQL, one by one or in a shell.

What is asked may be about several tables, and a shell keeps tables and ledger open from one question to the next, so rows
come as `Tables` of the data set and not as the one table that a request has. The gate is the same: `Statement.refuse_beside`
and `DataSet.table` for unit, purpose and legal basis, `DataSet.ledger` for the one ledger, and `admitted` for what is made,
for whom and until when.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import Field

from privet.app import _query_batch as query_batch
from privet.app import _verb_command as verb_command
from privet.app._output_files import check_outputs
from privet.dataset import DataSet, Tables
from privet.errors import BadUsage
from privet.verbs import BookingOptions, Budgeted, Flag, Options, ReleaseOptions, TablesAsked, validated

if TYPE_CHECKING:
    from privet.guarantee import Promise


class Questions(Options):
    """The questions, or a shell to ask them in."""

    sql: Annotated[
        str | None,
        Field(
            description="SELECT … FROM … [JOIN] [WHERE] [GROUP BY] [HAVING] [ORDER BY] [LIMIT]; see docs/reference/sql.md. "
            "Several questions, with ; between them, are one release under one promise."
        ),
        Flag(argument=True, example='"SELECT COUNT(*) FROM t"'),
    ] = None
    file: Annotated[
        Path | None,
        Field(description="Read the questions from a file instead."),
        Flag(names=("--file", "-f"), file="in"),
    ] = None
    repl: Annotated[bool, Field(description="Open a shell: one question after another, until .quit.")] = False


class Answering(Options):
    """How to answer, and what to write."""

    explain: Annotated[bool, Field(description="Say what would be done and spent, and stop.")] = False
    again: Annotated[bool, Field(description="Spend for a fresh answer to a question already answered.")] = (
        False
    )
    pace: Annotated[
        float | None,
        Field(description="Answer at whole multiples of so many seconds: the time taken then says nothing."),
        Flag(example="5"),
    ] = None
    out: Annotated[
        Path | None,
        Field(description="Save the answer: .json or .parquet."),
        Flag(names=("--out", "-o"), file="out", example="answer.json"),
    ] = None
    card: Annotated[Path | None, Field(description="Save the answer's card: .html."), Flag(file="out")] = None


def _run(said: verb_command.CommandInput) -> None:
    from privet.protect.query import check_pace
    from privet.verbs import read_budget

    rows, asked, how, book = (
        said.of(TablesAsked),
        said.of(Questions),
        said.of(Answering),
        said.of(BookingOptions),
    )
    wanted = said.of(Budgeted)
    there_is_one = asked.sql is not None or asked.file is not None
    if asked.repl == there_is_one:
        raise BadUsage(
            "a question or a shell, one of them." if asked.repl else "there is no question.",
            'Write it after DATA: privet query patients.csv "SELECT COUNT(*) FROM t" …, or open a shell with --repl.',
        )
    questions = [] if asked.repl else query_batch.questions_of(asked.sql, asked.file)
    options = wanted if asked.repl else validated(ReleaseOptions, {**wanted.model_dump(), "sql": questions})
    check_outputs(rows.data, how.out, how.card)
    check_pace(how.pace)
    owner = DataSet.of(rows.data)
    tables = Tables(owner, rows.statement(), purpose=book.purpose)
    limit = None if book.budget is None else read_budget(book.budget)
    booking = {
        "why": book.why,
        "purpose": book.purpose,
        "analyst": book.analyst,
        "again": how.again,
        "confidence": options.confidence,
        "pace": how.pace,
    }
    if asked.repl:
        _shell(said, owner, tables, limit, booking)
    elif how.explain:
        there = owner.existing_ledger(book.ledger)
        query_batch.explain(questions, options, tables, there, as_json=said.as_json)
    else:
        signing = owner.signing()  # a key that cannot be used is found out before anything is spent
        with owner.ledger(book.ledger, limit=limit) as ledger:
            answers = query_batch.answered(questions, options, tables, ledger, booking)
        query_batch.say_answers(answers, how.out, how.card, signing, as_json=said.as_json)


def _shell(
    said: verb_command.CommandInput,
    owner: DataSet,
    tables: Tables,
    limit: Promise | None,
    booking: dict[str, Any],
) -> None:
    how = said.of(Answering)
    _refuse_files(how.out, how.card, how.explain)
    from privet.app._query_shell import Shell, history_of

    with owner.ledger(said.of(BookingOptions).ledger, limit=limit) as book:
        shell = Shell(tables, book, said.of(Budgeted).promised(), booking, as_json=said.as_json)
        status = shell.run(history_of(book.place) if sys.stdin.isatty() else None)
    raise typer.Exit(status)


command = verb_command.command(TablesAsked, Questions, Budgeted, Answering, BookingOptions, run=_run)


def _refuse_files(out: Path | None, card: Path | None, explain: bool) -> None:
    if out or card or explain:
        raise BadUsage(
            "--out, --card and --explain are for one question.",
            "In the shell use .save FILE and .explain SQL.",
        )
