"""What a sweep works with: people split in two, what is known of columns, and a model's view of both halves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.artifact import Features, ModelTarget
from privet.engine import did_you_mean, held_out, number_of_rows, settled, with_columns
from privet.errors import BadSweep
from privet.guarantee import Person
from privet.pipeline._holdout_utility import Held
from privet.source import Role, Table

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.protect.train.tabular import Schema

FEWEST = 50  # people on each side: below, nothing can be told from anything
FEWEST_OF_A_CLASS = 5
MOST_ROWS = 50_000  # more are thinned out, people at a time
_HIDDEN = (Role.DIRECT, Role.FREE_TEXT)


@dataclass(frozen=True, eq=False)
class Halves:
    """Some people are used, the others are kept apart; nobody is on both sides."""

    used: Table
    used_rows: pa.Table = field(repr=False)
    held: Held
    held_rows: pa.Table = field(repr=False)
    features: Features
    target: ModelTarget
    schema: Schema
    people: tuple[int, int]
    read_off: tuple[str, ...]  # columns whose bounds or values come from the data
    notes: tuple[str, ...] = ()

    @property
    def shared(self) -> list[str]:
        """The columns that may be published: neither identifiers, nor free text, nor without a role."""
        unit = self.used.unit.column if isinstance(self.used.unit, Person) else None
        return [
            name
            for name in self.used.columns
            if name != unit and self.used.roles.get(name) not in (None, *_HIDDEN)
        ]


def halves(
    table: Table,
    target: str,
    *,
    holdout: float,
    schema: Schema | Mapping[str, Any] | str | Path | None = None,
    records: int | None = None,
    may_read_off: bool = True,
) -> Halves:
    """Split a table by its unit. What is not stated of columns is read off the rows, if that may be done here."""
    _refuse(table, target, holdout)
    unit = table.unit_or_refuse()
    column = unit.column if isinstance(unit, Person) else None
    thinned, notes = _thinned(table)
    stay, apart = held_out(thinned.relation, unit, holdout)
    used_rows, held_rows = settled(stay).combine_chunks(), settled(apart).combine_chunks()
    people = _people(used_rows, column), _people(held_rows, column)
    if min(people) < FEWEST:
        raise BadSweep(
            f"fewer than {FEWEST} people would be used, or be the holdout: nothing could be told from anything.",
            "Give more rows; nothing was written or spent.",
        )
    used = replace(thinned, relation=with_columns(used_rows, {}))
    # Off everybody: what stands for public facts must not tell the halves apart, which attacks would find.
    known, read_off = _known(thinned, target, schema, column, may_read_off=may_read_off)
    stated = records if records is not None else known.records
    if stated is None and not may_read_off:
        raise BadSweep(
            "nothing public says about how many units there are, so the price is not known beforehand.",
            "Give records; nothing was spent.",
        )
    # Of a public number of all, the public share that is used.
    size = _rounded(people[0]) if stated is None else max(1, round(stated * (1 - holdout)))
    known = replace(known, records=size)
    if target not in known.columns and may_read_off:
        raise BadSweep(
            f"the target {target!r} has one value only, or too many to be classes.",
            "Name a column with at least two values that occur; nothing was written or spent.",
        )
    features, wanted = known.split(target, column, used.columns)
    _refuse_one_answer(wanted, used_rows, held_rows)
    return Halves(
        used=used,
        used_rows=used_rows,
        held=Held.of(held_rows, wanted, column),
        held_rows=held_rows,
        features=features,
        target=wanted,
        schema=known,
        people=people,
        read_off=read_off,
        notes=notes,
    )


def _refuse(table: Table, target: str, holdout: float) -> None:
    faults = []
    if target not in table.columns:
        faults.append(f"there is no column {target!r}. {did_you_mean(target, table.columns)}")
    elif table.roles.get(target) in _HIDDEN:
        faults.append(
            f"column {target!r} names people or holds free text, and is never published or predicted."
        )
    unit = table.unit
    if isinstance(unit, Person) and unit.column == target:
        faults.append(f"column {target!r} says whose rows they are.")
    if isinstance(unit, Person) and unit.max_rows is None:
        faults.append(f"the unit does not say how many rows of one {unit.column!r} may count (max_rows).")
    if not 0.1 <= holdout <= 0.9:
        faults.append("the holdout is between a tenth and nine tenths of people.")
    if faults:
        raise BadSweep(
            " ".join(faults), "Correct what is named; nothing was written or spent.", faults=faults
        )


def _thinned(table: Table) -> tuple[Table, tuple[str, ...]]:
    """At most about `MOST_ROWS` rows, of people chosen by a hash."""
    rows = number_of_rows(table.relation)
    if rows <= MOST_ROWS:
        return table, ()
    share = MOST_ROWS / rows
    _, some = held_out(table.relation, table.unit_or_refuse(), share, key="privet thinning")
    return replace(table, relation=some), (
        f"Measured on about {share:.0%} of the people: {MOST_ROWS:,} rows are enough to tell points apart.",
    )


def _people(rows: pa.Table, column: str | None) -> int:
    import pyarrow.compute as pc

    return int(rows.num_rows if column is None else pc.count_distinct(rows.column(column)).as_py())


def _known(
    used: Table,
    target: str,
    given: Schema | Mapping[str, Any] | str | Path | None,
    unit: str | None,
    *,
    may_read_off: bool,
) -> tuple[Schema, tuple[str, ...]]:
    """What is known of the columns to learn from, and the names of those of which it was read off the rows."""
    from privet.protect.train.tabular import Schema, drafted, schema_of

    found = schema_of(given, used)
    hidden = {name for name, role in used.roles.items() if role in _HIDDEN} | ({unit} if unit else set())
    # Where roles are stated, a column without one is not used: nobody has said what it can do to a person.
    unspoken = {name for name in used.columns if used.roles and name not in used.roles and name != target}
    left_out = hidden | unspoken
    stated = {name: known for name, known in found.columns.items() if name not in left_out}
    if given is not None or not may_read_off:
        return Schema(stated, found.records), ()
    read = drafted(used, leave_out=left_out | set(stated)).confirmed(
        "read off for a sweep, and used in it alone"
    )
    more = {
        name: known for name, known in read.columns.items() if name not in stated and known.kind != "ignore"
    }
    return Schema({**stated, **more}, found.records), tuple(more)


def _rounded(number: int) -> int:
    """Two figures of a number, as one would state it."""
    return max(1, round(number, 2 - len(str(number))))


def _refuse_one_answer(target: ModelTarget, *sides: pa.Table) -> None:
    faults = []
    for rows in sides:
        answers = target.encode(rows.column(target.name))
        answers = answers[~np.isnan(answers)]
        if target.kind == "number":
            few = len(np.unique(answers)) < 2
        else:
            counts = np.bincount(answers.astype(np.int64), minlength=len(target.classes))
            few = int((counts >= FEWEST_OF_A_CLASS).sum()) < 2
        if few:
            faults.append(target.name)
    if faults:
        raise BadSweep(
            f"the target {target.name!r} has one value only, or too few rows of a second one: there is nothing to predict.",
            "Name a column with at least two values that occur; nothing was written or spent.",
        )
