"""What an attacker on tables holds: published rows, with the promise and the roles of columns where they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact import METADATA, ReleasedTable, ReleasedTwin, load_record
from privet.attacks._attack_registry import Case
from privet.engine import fetch
from privet.errors import BadAttack
from privet.guarantee import Promise
from privet.source import Table, open_table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Released:
    """A published table: anonymized, synthetic or as it was."""

    rows: pa.Table = field(repr=False)
    name: str
    promise: Promise | None = None
    roles: dict[str, str] = field(default_factory=dict)
    unit: Any = None  # whose rows they are, as the artifact says


def released_of(target: Any) -> Released:
    """The target as published rows: a released table, a file, a frame or an Arrow table."""
    if isinstance(target, str | Path) and _has_record(Path(target)):
        target = _loaded(Path(target))
    if isinstance(target, Released):
        return target
    if isinstance(target, ReleasedTwin):
        return _twin(target)
    if isinstance(target, ReleasedTable):
        roles = {column.column: column.role for column in target.columns}
        return Released(target.to_arrow(), "released table", target.promise, roles)
    rows = rows_of(target)
    promise = getattr(target, "promise", None)
    stated = promise if isinstance(promise, Promise) else None
    return Released(rows, "table", stated, unit=getattr(target, "unit", None))


def _loaded(path: Path) -> ReleasedTable | ReleasedTwin:
    """The artifact in a file, by what it says of itself."""
    twin = load_record(path, "a released table").get("artifact") == "released-twin"
    return ReleasedTwin.load(path) if twin else ReleasedTable.load(path)


def _twin(target: ReleasedTwin) -> Released:
    """The columns of a twin that tell of people: surrogates were made from nothing, and would only hide the rest."""
    rows = target.to_arrow()
    told = [column.name for column in target.columns if column.name in rows.column_names]
    return Released(rows.select(told), "released twin", target.promise, unit=target.unit)


def rows_of(thing: Any) -> pa.Table:
    """The rows of anything that is a table: Arrow, pandas, Polars, a file, an opened or a released table."""
    import pyarrow as pa

    if isinstance(thing, Released):
        return thing.rows
    if isinstance(thing, pa.Table):
        return thing.combine_chunks()
    if (
        not isinstance(thing, Table)
        and callable(getattr(thing, "to_arrow", None))
        and hasattr(thing, "promise")
    ):
        return thing.to_arrow().combine_chunks()
    table = thing if isinstance(thing, Table) else open_table(thing)
    return fetch(table.relation.table, table.relation.engine).combine_chunks()


def person_column(target: Any, case: Case) -> str | None:
    """The column that says whose a row is: as set for the case, else as the original or the artifact says."""
    stated = case.setting("unit", None)
    if stated is not None:
        return str(stated)
    for thing in (case.members, target):
        unit = getattr(thing, "unit", None)
        found = unit.get("column") if isinstance(unit, dict) else getattr(unit, "column", None)
        if isinstance(found, str):
            return found
    return None


def promise_of(target: Released, case: Case) -> Promise | None:
    """The promise that the attack is held against: as stated for the case, else as the artifact says."""
    return case.promise if case.promise is not None else target.promise


def columns_with(role: str, target: Released, case: Case, *, needed: bool = True) -> tuple[str, ...]:
    """The columns with a role: as set for the case, else as the artifact or the opened original says."""
    stated = case.setting(role, None)
    if stated is not None:
        found = (stated,) if isinstance(stated, str) else tuple(stated)
    else:
        found = tuple(name for name, has in target.roles.items() if has == role)
        if not found and isinstance(case.members, Table):
            found = tuple(case.members.with_role(role))
    found = tuple(name for name in found if stated is not None or name in target.rows.column_names)
    if needed and not found:
        raise BadAttack(
            f"nothing says which columns are {role}.", f"Set {role}=[…], or give the original with its roles."
        )
    refuse_absent(target.rows, found, "the published table")
    return found


def refuse_absent(table: pa.Table, columns: Sequence[str], where: str) -> None:
    """Name all columns that a table lacks, in one refusal."""
    lacking = [name for name in columns if name not in table.column_names]
    if lacking:
        raise BadAttack(
            f"{where} has no column {', '.join(repr(name) for name in lacking)}.",
            "Check the names; they are compared letter by letter.",
            columns=lacking,
        )


def refuse_empty(**tables: pa.Table) -> None:
    """An attack on nothing finds nothing."""
    empty = [name for name, table in tables.items() if not table.num_rows]
    if empty:
        raise BadAttack(f"there are no rows in {' and '.join(empty)}.", "Give at least one row each.")


def _has_record(path: Path) -> bool:
    if path.suffix != ".parquet" or not path.is_file():
        return False
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            return METADATA in (pq.read_schema(file).metadata or {})
    except (pa.ArrowException, OSError):  # said in proper words when it is opened as a table
        return False
