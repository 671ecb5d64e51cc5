"""Tables made from tables: joined, narrowed or put together person by person, still lazy and still of persons.

A view knows whose rows its rows are, because every step that makes one keeps a person's rows that person's: its
unit says how many of them one person may have. Its name says exactly how it was made, so that two views of one
name over the same data are the same view.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

from privet.artifact import Displayed
from privet.engine import (
    INNER,
    ColumnKind,
    Expression,
    PersonSummary,
    Relation,
    check,
    collapse,
    derive,
    did_you_mean,
    filter_rows,
    join_persons,
    join_public,
    moved,
    project,
    unread_in,
)
from privet.errors import BadQuery, BadUnit, checked
from privet.guarantee import Person, Unit, written
from privet.source._access_terms import AccessTerms
from privet.source._askable import Askable
from privet.source._column_expressions import worded
from privet.source._key_sets import KeySet
from privet.source._public_ranges import Bounds
from privet.source._public_tables import PublicTable
from privet.source._table_query import Asked, Names, refuse_named_person
from privet.source._time_windows import Span


class Joinable(Askable):
    """What can be joined, and asked afterwards."""

    @checked
    def join(
        self,
        other: Asked | PublicTable,
        on: str | Sequence[str] | Mapping[str, str],
        *,
        how: str = "inner",
        rename: Mapping[str, str] | None = None,
        max_rows: int | None = None,
        max_groups: int | None = None,
    ) -> View:
        """This table beside another: a public one, or a private one of the same persons.

        Args:
            other: A `PublicTable`, unique in the columns joined on; or a table whose unit is a person too.
            on: The columns that must agree, {"ours": "theirs"} where they are called differently. Two private
                tables must be joined on the person column, and may be on others besides.
            how: "inner", or "left" to keep this table's rows without a match.
            rename: New names for the other table's columns that this one has too.
            max_rows: Joined rows that one person may add; the product of both tables' caps if left out.
            max_groups: Groups that one person may be counted in.
        """
        return joined(
            cast("Asked", self),
            other,
            on,
            how=how,
            rename=rename or {},
            max_rows=max_rows,
            max_groups=max_groups,
        )


@dataclass(frozen=True, eq=False, repr=False)
class View(Joinable, Displayed):
    """A lazy table made from others. Made by `join` and by SQL's sub-queries; never changes."""

    relation: Relation
    name: str
    unit: Unit | None
    parts: tuple[Asked, ...]
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    keys: Mapping[Names, KeySet] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)
    stages: tuple[str, ...] = ()
    _drawn_as: ClassVar[str] = "view"

    @property
    def columns(self) -> dict[str, ColumnKind]:
        """The columns in order, with their kinds."""
        return self.relation.columns

    @property
    def terms(self) -> tuple[AccessTerms, ...]:
        """The terms of all the tables that it is made from."""
        return tuple(dict.fromkeys(one for part in self.parts for one in part.terms))

    @property
    def fingerprint(self) -> str:
        """The snapshots of all the tables that it is made from; an error if one's file has been changed."""
        # In their order: tables of one name may be joined either way round, and that is another view.
        found = [part.fingerprint for part in self.parts]
        if len(set(found)) == 1:
            return found[0]
        return "snapshots:" + hashlib.sha256(repr(found).encode()).hexdigest()

    def unit_or_refuse(self) -> Unit:
        """Whose presence is hidden."""
        if self.unit is None:
            raise BadUnit(
                "the tables do not say whose presence is to be hidden.",
                'Open them with unit=Person("patient_id", max_rows=20).',
            )
        return self.unit

    def __repr__(self) -> str:
        """What is known about it; never a row."""
        hides = self.unit.sentence() if self.unit else "nobody yet (no unit stated)"
        return f"View {self.name}\n  hides {hides}\n  " + ", ".join(self.columns)


def joined(
    left: Asked,
    right: Asked | PublicTable,
    on: str | Sequence[str] | Mapping[str, str],
    *,
    how: str = INNER,
    rename: Mapping[str, str],
    max_rows: int | None = None,
    max_groups: int | None = None,
) -> View:
    """Two tables beside each other; see `Joinable.join`."""
    pairs = _pairs(on)
    if isinstance(right, PublicTable):
        if max_rows or max_groups:
            raise BadQuery(
                "joining a public table adds no rows, so there is nothing to cap.", "Leave the caps out."
            )
        return _with_public(left, right, pairs, how, rename)
    caps = {"max_rows": max_rows, "max_groups": max_groups}
    return _with_persons(left, right, pairs, how, rename=rename, limits=caps)


def _pairs(on: str | Sequence[str] | Mapping[str, str]) -> list[tuple[str, str]]:
    if isinstance(on, str):
        return [(on, on)]
    found = list(on.items()) if isinstance(on, Mapping) else [(name, name) for name in on]
    if not found:
        raise BadQuery("no column is named to join on.", 'Write on="patient_id".')
    return found


def _with_public(
    left: Asked, right: PublicTable, pairs: list[tuple[str, str]], how: str, rename: Mapping[str, str]
) -> View:
    _known(right.columns, [name for _, name in pairs], right.name)
    ours = {theirs: own for own, theirs in pairs}
    added = {name: rename.get(name, name) for name in right.columns if name not in ours or name in rename}
    public = right.rows.rename_columns([ours.get(name) or added[name] for name in right.rows.column_names])
    for name in set(added) & set(ours):
        # Beside the column joined on, which a row without a match has too, one that only matches have.
        public = public.append_column(added[name], right.rows[name])
    base = left.relation

    def beside(relation: Relation) -> Relation:
        return join_public(relation, public, [own for own, _ in pairs], how)

    keys: dict[Names, KeySet] = {
        (new,): listed
        for name, new in added.items()
        if (listed := right.keys_of(name, with_missing=how != INNER)) is not None
    }
    said = ", ".join(f"{own!r} = {theirs!r}" for own, theirs in pairs)
    renamed = ", ".join(f"{name!r} AS {new!r}" for name, new in added.items())
    return View(
        relation=_made(base, beside),
        name=f"({left.name} {how.upper()} JOIN PUBLIC {right.name} {right.digest()} ON {said} GIVING {renamed})",
        unit=left.unit,
        parts=(left,),
        bounds={
            **left.bounds,
            **{new: found for name, new in added.items() if (found := right.bounds_of(name)) is not None},
        },
        keys={**left.keys, **keys},
        spans=left.spans,
        stages=(*stages_of(left), f"Look up {', '.join(added.values())} in the public table {right.name!r}."),
    )


def _with_persons(
    left: Asked,
    right: Asked,
    pairs: list[tuple[str, str]],
    how: str,
    *,
    rename: Mapping[str, str],
    limits: Mapping[str, int | None],
) -> View:
    ours, theirs = _person(left), _person(right)
    _known(left.columns, [name for name, _ in pairs], left.name)
    _known(right.columns, [name for _, name in pairs], right.name)
    who = (ours.column, theirs.column)
    if who not in pairs:
        raise BadQuery(
            f"private tables are joined person by person, and {who[0]!r} = {who[1]!r} is not among the columns.",
            "Otherwise one person's row could meet everybody's, and no number of rows would bound it.",
        )
    pairs = [who, *(pair for pair in pairs if pair != who)]
    keyed = {name for _, name in pairs}
    added = {
        name: rename.get(name, name)
        for name, kind in right.columns.items()
        if (name not in keyed or name in rename) and kind is not ColumnKind.OTHER
    }
    clashes = sorted(set(added.values()) & set(left.columns))
    if clashes:
        raise BadQuery(
            f"both tables have a column {clashes[0]!r}.",
            f"Give one another name: rename={{{clashes[0]!r}: {clashes[0] + '_2'!r}}}.",
        )
    caps = (_cap(left, ours), _cap(right, theirs))
    relation = join_persons(
        left.relation, right.relation, pairs, left_rows=caps[0], right_rows=caps[1], names=added, how=how
    )
    said = ", ".join(f"{own!r} = {name!r}" for own, name in pairs)
    renamed = ", ".join(f"{name!r} AS {new!r}" for name, new in added.items())
    return View(
        relation=relation,
        name=f"({left.name} {how.upper()} JOIN {right.name} ON {said} ROWS {caps[0]} * {caps[1]} GIVING {renamed})",
        unit=_joined_unit(ours, theirs, caps, **limits),
        parts=(left, right),
        bounds={
            **left.bounds,
            **{new: right.bounds[name] for name, new in added.items() if name in right.bounds},
        },
        keys={**left.keys, **_renamed_keys(right, added)},
        spans={
            **left.spans,
            **{new: right.spans[name] for name, new in added.items() if name in right.spans},
        },
        stages=(
            *stages_of(left),
            *stages_of(right),
            f"Keep at most {caps[0]} rows of each person of {left.name!r} and {caps[1]} of {right.name!r}, chosen by a "
            f"keyed hash, and put them beside each other.",
        ),
    )


def _joined_unit(
    ours: Person, theirs: Person, caps: tuple[int, int], max_rows: int | None, max_groups: int | None
) -> Person:
    """One person has at most the product of both caps; fewer if the caller says so."""
    if ours.change is not theirs.change:
        raise BadUnit("the two tables protect against different changes.", "State the same unit for both.")
    rows = caps[0] * caps[1] if max_rows is None else max_rows
    if rows > caps[0] * caps[1]:
        raise BadUnit(
            f"a person has at most {caps[0]} * {caps[1]} joined rows, and max_rows={rows} is more.",
            "Raise the caps of the tables themselves.",
        )
    stated = [unit.max_groups for unit in (ours, theirs) if unit.max_groups is not None]
    groups = max_groups if max_groups is not None else min(max(stated), rows) if stated else None
    return replace(ours, max_rows=rows, max_groups=groups)


def _person(table: Asked) -> Person:
    unit = table.unit_or_refuse()
    if isinstance(unit, Person):
        return unit
    raise BadUnit(
        f"the rows of {table.name!r} do not say whose they are: its unit is one row.",
        'Private tables are joined person by person: open both with unit=Person("patient_id", max_rows=…).',
    )


def _cap(table: Asked, unit: Person) -> int:
    if unit.max_rows is None:
        raise BadUnit(
            f"the table {table.name!r} does not say how many rows of one person may count.",
            f"Write Person({unit.column!r}, max_rows=…): joined rows are bounded by the product of both.",
        )
    return unit.max_rows


def _known(columns: Mapping[str, ColumnKind], wanted: Sequence[str], name: str) -> None:
    for column in wanted:
        if column not in columns:
            raise BadQuery(
                f"the table {name!r} has no column {column!r} to join on.", did_you_mean(column, columns)
            )


def _renamed_keys(table: Asked, added: Mapping[str, str]) -> dict[Names, KeySet]:
    return {
        tuple(added[name] for name in names): keys
        for names, keys in table.keys.items()
        if all(name in added for name in names)
    }


def rows_of(
    table: Asked,
    columns: Mapping[str, Expression],
    condition: Expression | None,
    bounds: Mapping[str, Bounds],
) -> View:
    """The rows that meet a condition, with these columns and the person's: stability 1, row by row."""
    kinds = dict(table.columns)
    person = {table.unit.column} if isinstance(table.unit, Person) else set()
    made = {name: expression for name, expression in columns.items() if name not in person}
    for expression in made.values():
        check(expression, kinds)
    refuse_named_person(table, [*made.values(), *([] if condition is None else [condition])])

    def narrowed(relation: Relation) -> Relation:
        found = relation if condition is None else filter_rows(relation, condition)
        staged = {f"privet_new_{at}": expression for at, expression in enumerate(made.values())}
        found = project(derive(found, staged), [*person, *staged])
        fresh = found.table.select(
            **{name: found.table[name] for name in person},
            **{name: found.table[f"privet_new_{at}"] for at, name in enumerate(made)},
        )
        return found.with_table(fresh)

    said = ", ".join(f"{worded(value)} AS {name!r}" for name, value in made.items())
    where = "" if condition is None else f" WHERE {worded(condition)}"
    return View(
        relation=_made(table.relation, narrowed),
        name=f"({table.name} ROWS {said}{where})",
        unit=table.unit,
        parts=(table,),
        bounds=bounds,
        keys={
            (name,): table.keys[source]
            for name, source in _plain_columns(made).items()
            if source in table.keys
        },
        spans={
            name: table.spans[source[0]]
            for name, source in _plain_columns(made).items()
            if source[0] in table.spans
        },
        stages=stages_of(table),
    )


def _plain_columns(columns: Mapping[str, Expression]) -> dict[str, Names]:
    """The columns that are another table's, as they are."""
    from privet.engine import Column

    return {name: (value.name,) for name, value in columns.items() if isinstance(value, Column)}


def persons_of(
    table: Asked,
    keys: Sequence[str],
    told: Mapping[str, PersonSummary],
    condition: Expression | None,
    bounds: Mapping[str, Bounds],
) -> View:
    """One row for each person, or for each person and value of further columns. Stability 1 for persons.

    A person alone in `keys` has one row afterwards, whatever the table's caps are; with further keys the caps stay.
    """
    unit = _person(table)
    if not keys or keys[0] != unit.column:
        raise BadQuery("rows are put together person by person.", f"Group by {unit.column!r}.")
    refuse_named_person(table, [] if condition is None else [condition])

    def together(relation: Relation) -> Relation:
        return collapse(relation if condition is None else filter_rows(relation, condition), keys, told)

    said = ", ".join(f"{_told(one)} AS {name!r}" for name, one in told.items())
    where = "" if condition is None else f" WHERE {worded(condition)}"
    alone = len(keys) == 1
    return View(
        relation=_made(table.relation, together),
        name=f"({table.name} BY {', '.join(map(repr, keys))} GIVING {said}{where})",
        unit=replace(unit, max_rows=1, max_groups=1) if alone else unit,
        parts=(table,),
        bounds=bounds,
        keys={(name,): table.keys[name,] for name in keys if (name,) in table.keys},
        spans={name: table.spans[name] for name in keys if name in table.spans},
        stages=(*stages_of(table), f"Put the rows of each {', '.join(keys)} together: {', '.join(told)}."),
    )


def _told(one: PersonSummary) -> str:
    if one.fixed is None:
        return f"{one.kind} {one.column!r}"
    return f"{one.kind} {one.column!r} IN [{written(one.fixed.lower)}, {written(one.fixed.upper)}] BY {written(one.fixed.step)}"


def stages_of(table: Asked) -> tuple[str, ...]:
    """What was done to make a table, as sentences; nothing for one that was opened."""
    return table.stages if isinstance(table, View) else ()


def _made(base: Relation, step: Any) -> Relation:
    """A relation made from another by a step that can be taken again over another connection."""
    found: Relation = step(base)

    def elsewhere(connection: Any) -> Any:
        return step(moved(base, connection)).table

    return Relation(
        found.table,
        base.engine,
        sources=unread_in(base),
        elsewhere=None if base.elsewhere is None else elsewhere,
        files=base.files,
        speed=base.speed,
    )
