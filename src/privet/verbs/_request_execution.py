"""Carrying out a request: rows from the data set on its terms, what is promised or spent into its one ledger."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact import sign_file
from privet.dataset import DataSet, Statement, split_persons
from privet.errors import Contradicted, PolicyBreach, PolicyGap
from privet.guarantee import Promise, readable
from privet.verbs._request import Request
from privet.verbs._verb import Done, Verb, VerbWork

if TYPE_CHECKING:
    from privet.ledger import Ledger
    from privet.source import Table


def carried_out(
    verb: Verb,
    asked: Request,
    *,
    to: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
    watched: bool = False,
    scratch: Path | None = None,
) -> Done:
    """Do it: the rows come from the data set on its terms, and what is promised or spent goes into its one ledger.

    `scratch` is a folder that stays over a crash, for verbs that keep something in it until their result stands.
    """
    data = DataSet.of(asked.data)
    work = _work(verb, data, asked)
    verb.refuse(work.table, asked.options, work.columns, Path.cwd())
    with book_for(verb, data, asked) as (ledger, opened):
        signing = data.signing()  # a key that cannot be used is found out before anything is spent
        done = verb.run(replace(work, ledger=ledger, to=to, say=say, watched=watched, scratch=scratch))
        if to is not None:
            sign_file(to, signing)
        return replace(
            done,
            ledger=None if ledger is None else ledger.place,
            opened=opened,
            table=work.table,
            held=work.held,
            signing=signing,
        )


def explained(verb: Verb, asked: Request) -> Any:
    """What would be done and spent: nothing is read, written or spent."""
    data = DataSet.of(asked.data)
    work = _work(verb, data, asked)
    ledger = data.existing_ledger(asked.ledger)
    with contextlib.nullcontext() if ledger is None else ledger:
        return verb.explain(replace(work, ledger=ledger))


def _work(verb: Verb, data: DataSet, asked: Request) -> VerbWork:
    table, held, columns = rows_for(verb, data, asked)
    return VerbWork(
        options=asked.options,
        name=verb.name,
        columns=columns,
        purpose=asked.purpose,
        analyst=asked.analyst,
        again=asked.again,
        unit=asked.unit,
        source=asked.data if isinstance(asked.data, str) else None,
        table=table,
        held=held,
        ledger=None,
        to=None,
        why=asked.why,
        folder=Path.cwd(),
        read_as=lambda types: rows_for(verb, data, replace(asked, types=types))[0],
    )


def rows_for(verb: Verb, data: DataSet, asked: Request) -> tuple[Table, Table | None, tuple[str, ...] | None]:
    """The rows that the verb may see, those of the holdout, and which columns it asked for; none is read yet."""
    capped = None if asked.max_rows is None else [str(asked.max_rows)]
    Statement(
        asked.unit, max_rows=capped, tables=list(asked.tables) or None, delimiter=asked.delimiter
    ).refuse_beside(data)
    columns: tuple[str, ...] | None = None
    if data.declaration is None:
        table = verb.bare_table(data, asked)
    else:
        if asked.roles or asked.change_one:
            about = "what the columns are" if asked.roles else "what of a person is hidden"
            raise Contradicted(
                f"the declaration says {about}.", "Leave it out here, or change the declaration."
            )
        columns = _declared_columns(verb, data, asked)
        table = data.table(purpose=asked.purpose, columns=columns, types=asked.types)
    share = getattr(asked.options, "holdout", None)
    if not share:
        return table, None, columns
    stay, apart = split_persons(table, share)
    return stay, apart, columns


def _declared_columns(verb: Verb, data: DataSet, asked: Request) -> tuple[str, ...]:
    """What the verb would read for the purpose; refuses what the purpose forbids and what nobody has said, as a policy does."""
    declaration = data.declaration
    assert declaration is not None
    data.allowed(asked.purpose)
    if asked.purpose is None:
        return tuple(declaration.every_column)
    purpose = declaration.purposes[asked.purpose]
    if verb.output not in purpose.outputs:
        raise PolicyBreach(
            f"purpose {asked.purpose!r} allows {', '.join(purpose.outputs) or 'nothing'}, and this makes: {verb.output}.",
            "Nothing was read or spent. Ask for another purpose, or let somebody who may change this one.",
        )
    gaps = verb.gaps(asked.options, declaration, purpose)
    if gaps:
        raise PolicyGap(
            "\n".join(f"{said}." for _, said in gaps), "Say it in the declaration; nothing was read or spent."
        )
    unit = declaration.dataset.unit.column
    wanted = verb.columns(asked.options, declaration, purpose)
    return tuple(name for name in wanted if name != unit or name in purpose.columns)


@contextlib.contextmanager
def book_for(verb: Verb, data: DataSet, asked: Request) -> Iterator[tuple[Ledger | None, Promise | None]]:
    """The data set's ledger, and its limit where it is made for this alone.

    What costs no budget is recorded where there is one already; nothing is made for it.
    """
    paid = verb.pays(asked.options)
    if not paid and not verb.records and asked.ledger is None:
        yield None, None
        return
    own: Promise | None = None
    if paid:
        limit = asked.limit
        if limit is None and data.existing_ledger(asked.ledger) is None:
            own = None if data.declaration is not None else verb.own_limit(asked.options)
            limit = own
        found: Ledger | None = data.ledger(asked.ledger, limit=limit)
    elif asked.ledger is None and data.declaration is None:
        found = data.existing_ledger()
    else:
        found = data.ledger(asked.ledger, limit=asked.limit)
    if found is None:
        yield None, None
        return
    with found:
        yield found, own


def opened_alone(done: Done) -> list[str]:
    """That a ledger was made for this alone, and that it holds nothing more; nothing where one was there or was asked for."""
    if done.opened is None:
        return []
    return [
        f"{done.ledger} was opened for this alone: its limit is {_amounts(done.opened)}, and all of it is spent. "
        "No more can be released from these rows; --budget, before the first release, opens one that holds more."
    ]


def _amounts(limit: Promise) -> str:
    found = {name: getattr(limit, name, None) for name in ("epsilon", "delta", "rho", "mutual_information")}
    return ", ".join(f"{name} {readable(value)}" for name, value in found.items() if value)
