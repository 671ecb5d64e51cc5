"""The rows of a data set as a verb sees them: only the columns that it may read ever leave the file."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privet.dataset import _ledger_link as ledger_link
from privet.dataset._declaration import UNKNOWN, Declaration, DeclaredColumn, LinkedSource
from privet.dataset._purpose_gaps import recipients_of
from privet.engine import Literal, Relation, derive, did_you_mean, held_out, project, split_file, wording
from privet.errors import BadPolicy, UnsafePath
from privet.guarantee import Person
from privet.source import AccessTerms, Table, open_table

_ROW = "_row"


@dataclass(frozen=True, eq=False)
class Seen:
    """What a verb sees: the rows that it may read, those of the holdout, and what was left behind."""

    table: Table
    held: Table | None
    read: tuple[str, ...]
    dropped: tuple[str, ...]
    query: str


def opened(declaration: Declaration, folder: Path, *, types: Mapping[str, str] | None = None) -> Table:
    """The source with everything the declaration says of it; no row is read. All columns it lacks are named at once.

    With `types`, columns of a text file are read as stated there, without what is publicly known of their values.
    """
    dataset = declaration.dataset
    where = dataset.source if "://" in dataset.source else str(folder / dataset.source)
    bare = open_table(where, name=dataset.name, delimiter=dataset.delimiter)
    lacking = [name for name in declaration.columns if name not in bare.columns]
    if lacking:
        raise BadPolicy(
            "\n".join(
                f"columns.{name}: the source has no such column. {did_you_mean(name, bare.columns)}"
                for name in lacking
            ),
            "Correct the policy; nothing was read or spent.",
            faults=lacking,
        )
    table = open_table(
        where,
        name=dataset.name,
        delimiter=dataset.delimiter,
        unit=dataset.unit.value(),
        types=types,
        **_stated(declaration.columns, set(types or {})),
    )
    terms = (AccessTerms(table.name, ledger=ledger_place(declaration, folder), withholds=True),)
    children = {
        name: replace(_opened_beside(name, one, folder), terms=terms)
        for name, one in declaration.tables.items()
    }
    return replace(table, terms=terms, children=children)


def _stated(declared: Mapping[str, DeclaredColumn], but: set[str]) -> dict[str, Any]:
    """What a declaration says of columns, as `open_table` takes it."""
    return {
        "roles": {name: column.role for name, column in declared.items() if column.role != UNKNOWN},
        "bounds": {
            name: column.bounds
            for name, column in declared.items()
            if column.bounds is not None and name not in but
        },
        "keys": {
            name: column.values
            for name, column in declared.items()
            if column.values is not None and name not in but
        },
    }


def _opened_beside(name: str, one: LinkedSource, folder: Path) -> Table:
    """Another table of the same persons, with what is declared of it."""
    where = one.source if "://" in one.source else str(folder / one.source)
    bare = open_table(where, name=name, delimiter=one.delimiter)
    lacking = [column for column in one.columns if column not in bare.columns]
    if lacking:
        raise BadPolicy(
            "\n".join(
                f"tables.{name}.columns.{column}: the source has no such column. {did_you_mean(column, bare.columns)}"
                for column in lacking
            ),
            "Correct the policy; nothing was read or spent.",
            faults=lacking,
        )
    return open_table(
        where,
        name=name,
        delimiter=one.delimiter,
        unit=Person(one.person, max_rows=one.max_rows),
        **_stated(one.columns, set()),
    )


def ledger_place(declaration: Declaration, folder: Path) -> str:
    """Where the data set's ledger is: in the declaration's folder, beside its source, or wherever there is one already.

    A file says where, and a file made by somebody else must not have new ones made all over the place. Rows that are booked
    somewhere already are booked nowhere else, whatever a second declaration says.
    """
    place, file = _stated_place(declaration, folder), _source_file(declaration, folder)
    called = declaration.dataset.name or Path(declaration.dataset.source).stem
    AccessTerms(called, ledger=ledger_link.known(file)).admit_ledger(place)
    return place


def remember_ledger(declaration: Declaration, folder: Path, place: str) -> None:
    """Note beside the source where its rows are booked, for whoever comes with another declaration or with none."""
    file = _source_file(declaration, folder)
    if file is not None:
        ledger_link.remember(file, place)


def _source_file(declaration: Declaration, folder: Path) -> Path | None:
    source = declaration.dataset.source
    return None if "://" in source else split_file(str(folder / source))[0]


def _stated_place(declaration: Declaration, folder: Path) -> str:
    where, source = declaration.dataset.ledger, declaration.dataset.source
    if "://" in where:
        return where
    place = Path(os.path.realpath(folder / where))
    beside = (
        None if "://" in source else Path(f"{os.path.realpath(split_file(str(folder / source))[0])}.ledger")
    )
    there = place.is_file() and place.stat().st_size > 0
    if not there and place != beside and not place.is_relative_to(os.path.realpath(folder)):
        raise UnsafePath(
            "there is no ledger where the declaration says, and a new one is not made outside of its folder.",
            "Put it beside the declaration or beside the data, or open it there first: `privet ledger open`.",
        )
    return str(folder / where)


def terms_for(declaration: Declaration, purpose: str, whole: Table) -> tuple[AccessTerms, ...]:
    """The terms of the whole table, narrowed to one purpose."""
    one = declaration.purposes[purpose]
    return tuple(
        replace(
            terms,
            purpose=purpose,
            outputs=tuple(one.outputs),
            recipients=recipients_of(one),
            expires=one.expires,
            person_named=declaration.dataset.unit.column in one.columns,
        )
        for terms in whole.terms
    )


def seen(
    whole: Table,
    columns: Collection[str],
    declaration: Declaration,
    *,
    purpose: str | None = None,
    holdout: float = 0,
) -> Seen:
    """The table as a verb may see it: other columns are dropped in the query, before anything is loaded."""
    unit = declaration.dataset.unit.column
    wanted = {*columns, *([] if unit == "row" else [unit])}
    read = tuple(name for name in whole.columns if name in wanted)
    terms = whole.terms if purpose is None else terms_for(declaration, purpose, whole)
    table = replace(
        _narrowed(whole, wanted),
        relation=project(whole.relation, read) if read else _rows_alone(whole.relation),
        terms=terms,
        children={
            name: replace(one, terms=terms) for name, one in _children(whole, columns, declaration).items()
        },
    )
    dropped = tuple(name for name in whole.columns if name not in wanted)
    read += tuple(f"{name}.{column}" for name, one in table.children.items() for column in one.columns)
    query = wording(table.relation, whole.name)
    if not holdout:
        return Seen(table, None, read, dropped, query)
    kept, apart = split_persons(table, holdout)
    return Seen(kept, apart, read, dropped, wording(kept.relation, whole.name))


def split_persons(table: Table, share: float) -> tuple[Table, Table]:
    """The rows that stay and those kept apart; of other tables of the same persons, the rows of the same ones."""
    stay, apart = held_out(table.relation, table.unit_or_refuse(), share)
    children = {name: split_persons(one, share) for name, one in table.children.items()}
    return (
        replace(table, relation=stay, children={name: one for name, (one, _) in children.items()}),
        replace(table, relation=apart, children={name: one for name, (_, one) in children.items()}),
    )


def _narrowed(whole: Table, wanted: Collection[str]) -> Table:
    """What is said of these columns; the rows are as they were."""
    return replace(
        whole,
        roles={name: role for name, role in whole.roles.items() if name in wanted},
        bounds={name: bounds for name, bounds in whole.bounds.items() if name in wanted},
        keys={names: keys for names, keys in whole.keys.items() if set(names) <= set(wanted)},
        spans={name: span for name, span in whole.spans.items() if name in wanted},
    )


def _children(whole: Table, columns: Collection[str], declaration: Declaration) -> dict[str, Table]:
    """Other tables of the same persons of which a column may be read, with these columns and the person's."""
    found = {}
    for name, table in whole.children.items():
        asked = {one.removeprefix(f"{name}.") for one in columns if one.startswith(f"{name}.")}
        if asked:
            wanted = {*asked, declaration.tables[name].person}
            read = [column for column in table.columns if column in wanted]
            found[name] = replace(_narrowed(table, wanted), relation=project(table.relation, read))
    return found


def _rows_alone(relation: Relation) -> Relation:
    """Rows to be counted: they cannot be fetched without a column, so each gets one that says nothing of it."""
    name = next(one for at in itertools.count() if (one := _ROW + "_" * at) not in relation.columns)
    return project(derive(relation, {name: Literal(1)}), [name])
