"""The plan of twins of several tables of the same persons: a first table with a row for each, and others that hang on it.

Patients and their stays: both tables name the person, who is the unit. Two kinds of rows are counted. A person's own row
gets, for every other table, the number of rows that the person has there, up to a public cap: one row for each person.
And each row of another table stands beside the row of its person: as many for each person as the cap says. Both are
counted from joins that put a person's rows beside that person's alone (`privet.engine`), so taking a person away, with all
rows in all tables, takes away one row of the first kind and at most the cap of the second.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privet.engine import Column, ColumnKind, PersonSummary
from privet.errors import BadSynthesis
from privet.guarantee import Event, Person, Promise, unit_to_json
from privet.protect.synthesize._bought_domain import Purchase
from privet.protect.synthesize._column_domain import ColumnDomain, number_domain
from privet.protect.synthesize._structural_zeros import StructuralZero, zero_cells, zeros_of
from privet.protect.synthesize._synthesis_plan import CELLS, outlook_of, priced
from privet.protect.synthesize._table_domain import KnownSchema, TableDomain, table_domain
from privet.protect.synthesize._workload import Workload, workload_of
from privet.source import Table, View, persons_of, rows_of

LINKED_METHODS = ("auto", "aim", "mst")
_COUNTED = "the stated cap of rows to a person"


@dataclass(frozen=True, eq=False)
class LinkedTable:
    """One table: its own columns, where they are counted, and how many of them stand there that are the persons' own.

    Columns of the first table have their names, those of another table are called `stays.ward`, and `stays` is how many
    rows of it a person has.
    """

    name: str
    table: Table
    domain: TableDomain
    view: View | Table
    key: str
    cap: int
    first: bool = False

    def called(self, column: str) -> str:
        """What one of its columns is called among those of all tables."""
        return column if self.first else f"{self.name}.{column}"

    @property
    def unit(self) -> Person:
        """Whose rows are counted in the view, and how many of one."""
        found = self.view.unit_or_refuse()
        assert isinstance(found, Person)
        return found


@dataclass(frozen=True, eq=False)
class LinkedPlan:
    """A run in full, with no data in it."""

    tables: tuple[LinkedTable, ...]  # the first is of persons
    promise: Promise
    method: str
    workload: Mapping[str, Any]  # by table
    cells: int
    rho: Fraction
    spare: Fraction
    event: Event
    bought: tuple[tuple[str, Purchase], ...]  # with the table that each is about
    zeros: Mapping[str, tuple[StructuralZero, ...]]  # by table

    def outlook(self) -> tuple[str, ...]:
        """What is to be expected, in sentences."""
        first = self.tables[0].name
        return outlook_of(
            [(one.name if table == first else f"{table}.{one.name}", one) for table, one in self.bought]
        )

    def kinds(self, name: str) -> dict[str, ColumnKind]:
        """The columns that rows of a table may be said something about, with their kinds: a person's and its own."""
        return column_kinds(self.tables)[name]

    @property
    def unit(self) -> Person:
        """Whose presence is hidden, in all tables."""
        return self.tables[0].unit

    @property
    def fingerprint(self) -> str:
        """The snapshots of all tables."""
        found = [one.table.fingerprint for one in self.tables]
        return "snapshots:" + hashlib.sha256(repr(found).encode()).hexdigest()

    def question(self) -> str:
        """What makes two runs the same."""
        record = {
            "verb": "synthesize linked tables",
            "tables": [
                {"name": one.name, "key": one.key, "cap": one.cap, "columns": one.domain.describe()}
                for one in self.tables
            ],
            "data": self.fingerprint,
            "unit": unit_to_json(self.unit),
            "promise": self.promise.to_json(),
            "event": self.event.to_json(),
            "method": self.method,
            "workload": {name: repr(one) for name, one in self.workload.items()},
            "cells": self.cells,
            "zeros": {name: [str(one) for one in found] for name, found in self.zeros.items()},
        }
        return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def linked_plan(  # noqa: PLR0913
    persons: Table,
    others: Mapping[str, Table],
    promise: Promise,
    *,
    accounting: str,
    method: str = "auto",
    columns: Sequence[str] | None = None,
    schema: KnownSchema | Mapping[str, KnownSchema] | None = None,
    bins: Mapping[str, int | Sequence[float]] | None = None,
    workload: Workload | None = None,
    zeros: Sequence[str] = (),
    model_cells: int = CELLS,
) -> LinkedPlan:
    """What would be booked, with all that can be refused refused; reads no row."""
    if method not in LINKED_METHODS:
        raise BadSynthesis(
            f"several tables are not made by method {method!r}.", f"Use one of {', '.join(LINKED_METHODS)}."
        )
    every = {persons.name: persons, **others}
    _refuse_names(persons, others)
    key = _person(persons, most=1).column
    schemas = (
        dict(schema) if isinstance(schema, Mapping) else {} if schema is None else {persons.name: schema}
    )
    chosen = _columns_by_table(persons, others, columns)
    binned = {name: _of_table(name, persons, others, dict(bins or {})) for name in every}
    domains = {
        name: table_domain(
            table, columns=chosen[name], schema=schemas.get(name), bins=binned[name], may_be_bare=True
        )
        for name, table in every.items()
    }
    tables = _views(persons, others, domains, key)
    unknown = [(one.table, name, kind) for one in tables for name, kind in one.domain.unknown.items()]
    price = priced(promise, unknown, accounting, persons)
    owners = [one.name for one in tables for _ in one.domain.unknown]
    bought = tuple(zip(owners, price.bought, strict=True))
    kinds = column_kinds(tables)
    never = {name: zeros_of(said, kinds[name]) for name, said in by_table(tables, zeros).items()}
    for one, stated in zip(tables, view_columns(tables, {}), strict=True):
        zero_cells(never[one.name], stated, model_cells)
    return LinkedPlan(
        tables,
        promise,
        method,
        _workloads(tables, workload),
        model_cells,
        price.rho,
        price.spare,
        price.event,
        bought,
        never,
    )


def _refuse_names(persons: Table, others: Mapping[str, Table]) -> None:
    if not others:
        raise BadSynthesis("there is no other table.", 'Write children={"stays": stays}, or leave it out.')
    for name in others:
        if not name or "." in name or name in persons.columns or name == persons.name:
            raise BadSynthesis(
                f"a table cannot be called {name!r}: the first table or one of its columns is, or there is a point in it.",
                "Give it another name: the name also stands for how many rows of it a person has.",
            )


def _person(table: Table, most: int | None = None) -> Person:
    unit = table.unit_or_refuse()
    if not isinstance(unit, Person) or unit.max_rows is None:
        raise BadSynthesis(
            f"the unit of {table.name!r} does not say whose its rows are, and how many of one person count.",
            'Open it with unit=Person("patient_id", max_rows=…).',
        )
    if most is not None and unit.max_rows > most:
        raise BadSynthesis(
            f"{table.name!r} is the table of persons, and has a row for each.",
            f"Open it with unit=Person({unit.column!r}, max_rows=1), and give the others as children.",
        )
    return unit


def _split(said: str, persons: Table, others: Mapping[str, Table]) -> tuple[str, str]:
    """The table and the column that a name is about: `stays.ward`, or a column of the first table."""
    owner, dot, column = said.partition(".")
    return (
        (owner, column) if dot and owner in others and said not in persons.columns else (persons.name, said)
    )


def _of_table(
    name: str, persons: Table, others: Mapping[str, Table], said: Mapping[str, Any]
) -> dict[str, Any]:
    found = {_split(one, persons, others): value for one, value in said.items()}
    return {column: value for (owner, column), value in found.items() if owner == name}


def _columns_by_table(
    persons: Table, others: Mapping[str, Table], columns: Sequence[str] | None
) -> dict[str, list[str] | None]:
    """The columns of each table, if not all; all of a table of which none is named."""
    named = [_split(one, persons, others) for one in columns or ()]
    return {
        name: [column for owner, column in named if owner == name] or None for name in [persons.name, *others]
    }


def _views(
    persons: Table, others: Mapping[str, Table], domains: Mapping[str, TableDomain], key: str
) -> tuple[LinkedTable, ...]:
    """Where each table is counted: persons with how many rows they have elsewhere, and rows beside their person's."""
    beside: Any = _narrowed(persons, domains[persons.name], {})
    for name, table in others.items():
        unit = _person(table)
        many = persons_of(table, [unit.column], {name: PersonSummary("rows")}, None, {})
        beside = beside.join(many, {key: unit.column}, how="left")
    found = [LinkedTable(persons.name, persons, domains[persons.name], beside, key, 1, first=True)]
    for name, table in others.items():
        unit = _person(table)
        modelled = [*domains[name].known, *domains[name].unknown]
        own = _narrowed(table, domains[name], {column: f"{name}.{column}" for column in modelled})
        view = beside.join(own, {key: unit.column})
        assert unit.max_rows is not None
        found.append(LinkedTable(name, table, domains[name], view, unit.column, unit.max_rows))
    return tuple(found)


def _narrowed(table: Table, domain: TableDomain, names: Mapping[str, str]) -> View:
    """The table with the columns that are modelled, under these names."""
    modelled = [*domain.known, *domain.unknown]
    return rows_of(table, {names.get(one, one): Column(one) for one in modelled}, None, {})


def column_kinds(tables: Sequence[LinkedTable]) -> dict[str, dict[str, ColumnKind]]:
    """By table, the columns that are modelled with its rows: the persons' own, how many rows they have, and its own."""
    first = tables[0]
    persons = {name: first.table.columns[name] for name in [*first.domain.known, *first.domain.unknown]}
    persons |= {one.name: ColumnKind.INTEGER for one in tables[1:]}
    found = {first.name: persons}
    for one in tables[1:]:
        own = [*one.domain.known, *one.domain.unknown]
        found[one.name] = {**persons, **{one.called(name): one.table.columns[name] for name in own}}
    return found


def by_table(tables: Sequence[LinkedTable], said: Sequence[str]) -> dict[str, list[str]]:
    """Rules and combinations by the table whose rows they are about: one that they name with a point, else the first."""
    found: dict[str, list[str]] = {one.name: [] for one in tables}
    for text in said:
        named = [one.name for one in tables[1:] if re.search(rf"(?<![\w.]){re.escape(one.name)}\.", text)]
        if len(named) > 1:
            raise BadSynthesis(
                f"something is said of rows of {named[0]!r} and of {named[1]!r} at once.",
                "Compare columns of one table with each other, or with the person's own.",
            )
        found[named[0] if named else tables[0].name].append(text)
    return found


def view_columns(
    tables: Sequence[LinkedTable], found: Mapping[tuple[str, str], ColumnDomain | None]
) -> list[tuple[ColumnDomain, ...]]:
    """The columns that each table is counted by, the persons' first; what was bought is `found`, and may be nothing."""

    def own(one: LinkedTable) -> list[ColumnDomain]:
        known = {
            **one.domain.known,
            **{name: at for (of, name), at in found.items() if of == one.name and at},
        }
        return [replace(known[name], name=one.called(name)) for name in one.domain.order if name in known]

    persons = (*own(tables[0]), *(counted_domain(one) for one in tables[1:]))
    return [persons, *((*persons, *own(one)) for one in tables[1:])]


def _workloads(tables: Sequence[LinkedTable], said: Workload | None) -> dict[str, Any]:
    """What of the workload each table should get right: a set belongs to the first table that has all its columns.

    All that can be wrong with it is found here.
    """
    names = {name: list(found) for name, found in column_kinds(tables).items()}
    every = list(dict.fromkeys(column for one in names.values() for column in one))
    if said is None or isinstance(said, str):
        workload_of(said, every)
        return {name: said if said in one else None for name, one in names.items()}
    weights = dict(said) if isinstance(said, Mapping) else {tuple(one): 1.0 for one in said}
    workload_of(weights, every)
    found: dict[str, dict[tuple[str, ...], float]] = {name: {} for name in names}
    for one, weight in weights.items():
        home = next((name for name, known in names.items() if set(one) <= set(known)), None)
        if home is None:
            raise BadSynthesis(
                f"no rows have {' and '.join(map(repr, one))} together.",
                "Name columns of one table, or of one and of the persons.",
            )
        found[home][one] = weight
    return {name: sets or None for name, sets in found.items()}


def counted_domain(one: LinkedTable) -> ColumnDomain:
    """How many rows of a table a person has: one to the cap, more counting as the cap; missing for none."""
    return number_domain(one.name, ColumnKind.INTEGER, 1, one.cap, bins=one.cap, origin=_COUNTED)
