"""A table some of whose columns have other values than they had, with a sentence for each of them.

Transforms take a `Table` and return a `Rewritten`; its table can be transformed again, anonymized or written. What
was publicly known about a rewritten column (bounds, keys) was about its old values and is dropped; the snapshot gets a
name of its own, because answers from these rows are not answers from the old ones.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact import METADATA
from privet.engine import (
    COUNT,
    INTO,
    ColumnKind,
    Relation,
    did_you_mean,
    distinct,
    kind_type,
    present,
    project,
    replace_by,
    rows,
    settled,
)
from privet.errors import BadTransform
from privet.guarantee import Person
from privet.protect._admission import admitted
from privet.protect._row_writer import checked_target, publish
from privet.source import Role, Snapshot, Table, of_the_moment

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA, KIND = 1, "rewritten-records"
PUBLISHED = (Role.QUASI, Role.SENSITIVE, Role.INSENSITIVE)


@dataclass(frozen=True, eq=False)
class Rewritten:
    """The table as it is now, what was done to each column, and figures worth knowing (never values)."""

    table: Table
    done: Mapping[str, str]
    figures: Mapping[str, int] = field(default_factory=dict)

    def then(self, transform: Callable[..., Rewritten], *arguments: Any, **options: Any) -> Rewritten:
        """Another transform on top of this one: `masked.then(round_to, "age", 5)`."""
        more = transform(self.table, *arguments, **options)
        done = {
            name: " Then: ".join(filter(None, (self.done.get(name), text)))
            for name, text in more.done.items()
        }
        return Rewritten(more.table, {**self.done, **done}, {**self.figures, **more.figures})

    def to_arrow(self) -> pa.Table:
        """All rows; refused if the source has changed since it was opened."""
        found = settled(self.table.relation)
        self.table.snapshot.name_or_refuse()
        return found

    def leaving(self) -> Rewritten:
        """Without what may not leave: of a declared data set, columns that nobody has spoken of, and the person column.

        Columns leave that have other values now, or whose role says that they may be published; the person column only
        where the purpose names it.
        """
        withheld = [name for name in self.table.columns if self._withheld(name)]
        if not withheld:
            return self
        stay = [name for name in self.table.columns if name not in withheld]
        if not stay:
            raise BadTransform(
                "no column is left that may leave.", "Name columns with a role, or rewrite some."
            )
        said = {name: " Then: ".join(filter(None, (self.done.get(name), "withheld"))) for name in withheld}
        left = rewritten(self.table, project(self.table.relation, stay), {**self.done, **said})
        return Rewritten(left.table, left.done, self.figures)

    def _withheld(self, name: str) -> bool:
        person = isinstance(self.table.unit, Person) and name == self.table.unit.column
        free = name in self.done or self.table.roles.get(name) in PUBLISHED
        return any(
            terms.withholds and (not free or (person and not terms.person_named))
            for terms in self.table.terms
        )

    def write(self, out: str | Path) -> int:
        """Write the rows that may leave to a .csv or .parquet file, whole or not at all, and say how many there are."""
        admitted([self.table], "records", ledger=None)
        left = self.leaving()
        source = left.table.snapshot
        target = checked_target(out)
        if target is None:
            raise BadTransform("no file was named.", "Name a .csv or .parquet file.")
        if source.file is not None and _same(source.file, target):
            raise BadTransform("the result would replace its own source.", "Name another file.")
        counted = [0]

        def batches() -> Iterator[pa.RecordBatch]:
            for batch in rows(left.table.relation):
                counted[0] += batch.num_rows
                yield batch
            # What is new in the source since its values were looked up would be missing from the file.
            source.name_or_refuse()

        record = {"schema": SCHEMA, "artifact": KIND, "columns": dict(left.done)}
        known = {METADATA: json.dumps(record).encode()}
        publish(
            target, schema_of(left.table), batches(), metadata=known, check=lambda *_: None, promised=False
        )
        return counted[0]


def schema_of(table: Table) -> pa.Schema:
    """The columns' Arrow types."""
    found: pa.Schema = table.relation.table.schema().to_pyarrow()
    return found


def rewritten(
    table: Table, relation: Relation, done: Mapping[str, str], figures: Mapping[str, int] | None = None
) -> Rewritten:
    """A table on another relation, with what is still true about it."""
    columns = relation.columns
    touched = set(done)
    unit = table.unit
    if isinstance(unit, Person) and unit.column not in columns:
        unit = None
    kinds = {name: str(kind.value) for name, kind in columns.items()}
    new = dataclasses.replace(
        table,
        relation=relation,
        snapshot=Snapshot(of_the_moment("rewritten", kinds), table.snapshot.file, table.snapshot.modified),
        unit=unit,
        roles={name: role for name, role in table.roles.items() if name in columns},
        bounds={
            name: bounds for name, bounds in table.bounds.items() if name in columns and name not in touched
        },
        keys={names: keys for names, keys in table.keys.items() if set(names) <= set(columns) - touched},
    )
    return Rewritten(new, dict(done), dict(figures or {}))


def by_value(
    table: Table,
    column: str,
    new: Callable[..., Sequence[Any]],
    into: ColumnKind,
    *,
    beside: Collection[str] = (),
) -> Relation:
    """A column whose every distinct value is looked up once: `new` gets the lists of distinct values, `column` last.

    With `beside`, distinct combinations with these columns. Missing values stay missing.
    """
    import pyarrow as pa

    names = [*(name for name in beside if name != column), column]
    found = distinct_values(table, names).select(names)
    results = new(*(found[name].to_pylist() for name in names))
    values = pa.array(results, kind_type(into))
    return replace_by(table.relation, column, found.append_column(INTO, values))


def distinct_values(table: Table, names: Sequence[str]) -> pa.Table:
    """The distinct combinations that occur, with counts; refuses values that the engine cannot tell apart exactly.

    Whole numbers beyond 64 bits and dates outside the years 1 to 9999 count as missing in the engine. Here they
    would be lost without a word.
    """
    import pyarrow.compute as pc

    found = distinct(table.relation, names)
    lost = present(table.relation, names) - (pc.sum(found[COUNT]).as_py() or 0)
    if lost:
        raise BadTransform(
            f"{lost} values of {' or '.join(repr(name) for name in names)} are whole numbers beyond 64 bits, not "
            "numbers, or dates outside the years 1 to 9999.",
            "Read such identifiers as text, and correct such dates.",
            values=lost,
        )
    return found


def column_of(table: Table, name: str, *kinds: ColumnKind) -> ColumnKind:
    """The kind of a column; refuses names that do not exist, and kinds that a transform cannot take."""
    columns = table.columns
    if name not in columns:
        raise BadTransform(f"there is no column {name!r}.", did_you_mean(name, columns))
    if kinds and columns[name] not in kinds:
        raise BadTransform(
            f"column {name!r} holds {columns[name].value} values; this takes {_or(kinds)}.",
            "Choose another column or another transform.",
        )
    return columns[name]


def checked_columns(table: Table, names: Sequence[str], *kinds: ColumnKind) -> tuple[str, ...]:
    """Column names, each known, of the right kind and named once."""
    if not names or isinstance(names, str) or len(set(names)) < len(names):
        raise BadTransform("columns must be named, and each only once.", 'Write ["age", "income"].')
    for name in names:
        column_of(table, name, *kinds)
    return tuple(names)


def _or(kinds: Sequence[ColumnKind]) -> str:
    return " or ".join(kind.value for kind in kinds)


def _same(first: Path, second: Path) -> bool:
    return second.exists() and first.exists() and first.samefile(second)
