"""Several tables through the doors: which other tables a request names, and what options say of one table or of all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import BadSynthesis
from privet.guarantee import Person, Row
from privet.source import Role

if TYPE_CHECKING:
    from privet.source import Table
    from privet.verbs._request import Request


def refuse_unfit_name(table: Table, to: str) -> None:
    """A twin is a file, and twins of several tables are a folder."""
    ending = Path(to).suffix
    if table.children and ending:
        raise BadSynthesis(
            f"twins of {1 + len(table.children)} tables are written as a folder, with a file for each.",
            "Name it without an ending.",
        )
    if not table.children and ending not in (".parquet", ".csv", ".jsonl"):
        raise BadSynthesis("a twin is written as a file.", "Name it something.parquet, .csv or .jsonl.")


def linked_tables(asked: Request, unit: Row | Person) -> dict[str, Table]:
    """Other tables of the same persons that a request names, with how many rows of one person count."""
    from privet.dataset import DataSet

    if not isinstance(unit, Person):
        raise BadSynthesis(
            "other tables are of the same persons, and the unit is each row.", "Name the column."
        )
    found = {}
    for name, place in asked.tables.items():
        cap = asked.max_children.get(name)
        if cap is None:
            raise BadSynthesis(
                f"nothing says how many rows of one person count in {name!r}.",
                f"Add --max-children {name}=10; it decides how much noise is needed. Nothing was read or spent.",
            )
        DataSet.refuse_declared(place)
        rows = DataSet.bare(place).table(unit=Person(unit.column, max_rows=cap), name=name)
        found[name] = replace(rows, roles={**identifiers(rows, unit.column), **rows.roles})
    return found


def identifiers(table: Table, person: str | None) -> dict[str, Role]:
    """Columns that name a person or a thing, by their names alone."""
    import pyarrow as pa

    from privet.audits import classify
    from privet.engine import kind_type
    from privet.source import open_table

    headings = pa.schema([(name, kind_type(kind)) for name, kind in table.columns.items()]).empty_table()
    return {
        name: Role.DIRECT
        for name, found in classify(open_table(headings)).items()
        if found.role == "direct" and name != person
    }


def linked_options(
    table: Table, options: Any, columns: tuple[str, ...] | None, folder: Path
) -> dict[str, Any]:
    """What is said of twins of several tables, as `synthesize` takes it."""
    schemas = {table.name: schema_said(options, table, folder)} if options.schema_file else {}
    for name, file in options.schemas.items():
        if name not in table.children:
            raise BadSynthesis(
                f"there is no table {name!r} to have a schema.", "Name one of the other tables."
            )
        schemas[name] = _schema_file(file, table.children[name], folder)
    return {
        "method": options.method,
        "columns": wanted_columns(columns, options),
        "schema": schemas or None,
        "bins": options.bins or None,
        "workload": workload_said(options),
        "zeros": options.zeros,
    }


def wanted_columns(columns: tuple[str, ...] | None, options: Any) -> list[str] | None:
    """As the purpose allows, or of a bare table as named."""
    return options.columns if columns is None else list(columns)


def workload_said(options: Any) -> Any:
    """Sets of columns, or the name of a target."""
    if options.workload:
        return [tuple(one) for one in options.workload]
    return options.target


def schema_said(options: Any, table: Table, folder: Path) -> Any:
    """The schema of a file; files of `privet schema` are read where they are made for training."""
    return None if options.schema_file is None else _schema_file(options.schema_file, table, folder)


def _schema_file(name: str, table: Table, folder: Path) -> Any:
    from privet.protect.train.tabular import schema_of

    return schema_of(folder / name, table)
