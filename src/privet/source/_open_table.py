"""`open_table`: the door through which private data comes in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from privet.engine import (
    ColumnKind,
    Opened,
    Relation,
    Speed,
    did_you_mean,
    key_parts,
    open_anything,
    with_key,
)
from privet.errors import BadDeclaration, checked
from privet.guarantee import Number, Person, Unit
from privet.source import _snapshot as snapshot
from privet.source._key_sets import KeySet
from privet.source._public_ranges import Bounds
from privet.source._roles_file import read_roles
from privet.source._table import Role, Table, declared, unfit_person_column
from privet.source._time_windows import Day, Span


@checked
def open_table(
    thing: Any,
    *,
    unit: Unit | None = None,
    roles: Mapping[str, Role | str] | str | Path | None = None,
    bounds: Mapping[str, Bounds | Span | tuple[Number, Number] | tuple[Day, Day]] | None = None,
    keys: Mapping[Any, KeySet | Iterable[Any]] | None = None,
    name: str | None = None,
    version: str | None = None,
    speed: Speed | None = None,
    delimiter: str | None = None,
    types: Mapping[str, ColumnKind | str] | None = None,
) -> Table:
    """Open a file, a database's table or a frame, and say what is known about it. No row is read yet.

    Args:
        thing: A path (CSV, TSV, JSON lines, Parquet, DuckDB or SQLite, the latter two with `#table`), an address
            (`postgresql://user@host/database#schema.table`), a pandas, Polars or Spark frame, an Arrow table, or
            an Ibis table on DuckDB, Spark or PostgreSQL.
        unit: Whose presence a release hides: `Person("patient_id", max_rows=20)` or `Row()`. Where numbers start anew
            in each centre, `Person("centre,patient")` takes both columns together.
        roles: What columns can do to a person: "direct", "quasi", "sensitive", "insensitive" or
            "free text"; or a file of them, as `privet audit --write-roles` writes it.
        bounds: Public ranges of columns, known without this data: {"days": (0, 60)}; of dates and timestamps the
            first and last day: {"arrived": ("2026-01-01", "2026-12-31")}.
        keys: Public values of columns to group by: {"ward": ["ICU", "Surgery"]}; for columns together,
            {("ward", "sex"): [("ICU", "F"), …]}.
        name: What to call the table in receipts and messages; taken from the source if left out.
        version: The name of this state of the data, such as "2026-11-01"; see `privet.source._snapshot`.
        speed: Memory, threads and spill directory of the embedded engine; cannot change an answer.
        delimiter: Of a CSV file, if its first line does not show it.
        types: Of a text file's columns, where guessing from the rows is not wanted: {"zip": "text"}.
    """
    opened = open_anything(thing, delimiter=delimiter, types=types, speed=speed)
    if isinstance(roles, str | Path):
        roles = read_roles(roles)
    relation, roles = _with_key(opened.relation, unit, roles)
    facts = declared(relation.columns, unit=unit, roles=roles, bounds=bounds, keys=keys)
    called = _called(opened, name)
    return Table(
        relation=relation,
        name=called,
        snapshot=snapshot.Snapshot.of(_snapshot_name(opened, called, version), opened.file),
        unit=facts.unit,
        roles=facts.roles,
        bounds=facts.bounds,
        keys=facts.keys,
        spans=facts.spans,
    )


def _with_key(
    relation: Relation, unit: object, roles: Mapping[str, Role | str] | None
) -> tuple[Relation, Mapping[str, Role | str] | None]:
    """If the unit is several columns together, the relation with their key, which is a direct identifier."""
    if not isinstance(unit, Person) or not isinstance(unit.column, str):
        return relation, roles
    columns = relation.columns
    parts = key_parts(unit.column, columns)
    if len(parts) == 1:
        return relation, roles
    strange = [part for part in parts if part not in columns]
    unfit = [
        fault
        for part in parts
        if part in columns and (fault := unfit_person_column(part, columns)) is not None
    ]
    if strange or unfit or len(set(parts)) < len(parts):
        why = (
            f"there is no column {strange[0]!r}. {did_you_mean(strange[0], columns)}"
            if strange
            else unfit[0]
            if unfit
            else "a column is named twice."
        )
        raise BadDeclaration(
            f"unit: {why}", "Name the columns that identify a person together: a,b. Nothing was read."
        )
    return with_key(relation, unit.column, parts), {unit.column: Role.DIRECT, **(roles or {})}


def _called(opened: Opened, name: object) -> str:
    if name is None:
        return opened.name
    if not isinstance(name, str) or not name.strip():
        raise BadDeclaration("a table's name is a short text.", 'Write name="patients".')
    return name.strip()


def _snapshot_name(opened: Opened, name: str, version: str | None) -> str:
    columns = {column: str(kind.value) for column, kind in opened.relation.columns.items()}
    if version is not None:
        return snapshot.stated(name, version)
    if opened.file is not None:
        return snapshot.of_file(opened.kind, opened.file, columns)
    return snapshot.of_the_moment(opened.kind, columns)
