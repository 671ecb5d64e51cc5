"""Questions about a table: which rows, which groups, which numbers. Nothing is computed here.

    patients.where(pv.col("days") > 0).group_by("ward").agg(n=pv.count(), days=pv.mean("days", bounds=(0, 60)))

A `Selection` is a question in the making; `agg` turns it into a `Query`, which is checked as a whole: every
fault is found before anything is booked or read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from privet.engine import Column, ColumnKind, Expression, Relation, Truncate, check, did_you_mean
from privet.errors import BadKeySet, BadQuery, NotPublic, PolicyBreach, checked
from privet.guarantee import Person, Unit
from privet.source._access_terms import AccessTerms
from privet.source._column_expressions import ColumnExpression, as_tree, columns_in, shallow, worded
from privet.source._key_sets import KeySet, as_arrow, crossed
from privet.source._public_ranges import Bounds
from privet.source._time_windows import Span, Window
from privet.source.aggregates import Aggregate

if TYPE_CHECKING:
    import pyarrow as pa

Names: TypeAlias = tuple[str, ...]
Keys: TypeAlias = Mapping[Any, KeySet | Iterable[Any]] | KeySet | Iterable[Any] | None


class Asked(Protocol):
    """What a query asks: a table."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def relation(self) -> Relation:
        """The lazy table on its engine."""

    @property
    def unit(self) -> Unit | None:
        """Whose presence is hidden."""

    @property
    def columns(self) -> Mapping[str, ColumnKind]:
        """Columns and kinds."""

    @property
    def bounds(self) -> Mapping[str, Bounds]:
        """Public ranges."""

    @property
    def keys(self) -> Mapping[Names, KeySet]:
        """Public keys, by the columns they are for."""

    @property
    def spans(self) -> Mapping[str, Span]:
        """Public first and last days."""

    @property
    def fingerprint(self) -> str:
        """The snapshot."""

    @property
    def terms(self) -> tuple[AccessTerms, ...]:
        """On which its data set gave it out."""

    def unit_or_refuse(self) -> Unit:
        """The unit, or an error."""


@dataclass(frozen=True, eq=False)
class Selection:
    """A question in the making: derived columns, a condition, and groups."""

    table: Asked
    derived: tuple[tuple[str, Expression], ...] = ()
    condition: Expression | None = None
    keys: Names = ()
    key_sets: Mapping[Names, KeySet] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, ColumnKind]:
        """The table's columns and the derived ones."""
        known = dict(self.table.columns)
        for name, expression in self.derived:
            known[name] = check(expression, known)
        return known

    @checked
    def where(self, condition: ColumnExpression | Expression) -> Selection:
        """Only rows that meet the condition (in addition to earlier ones)."""
        wanted = shallow(as_tree(condition))
        if check(wanted, self.columns) is not ColumnKind.BOOLEAN:
            raise BadQuery("a condition must be true or false.", 'Write where(col("days") > 3).')
        both = wanted if self.condition is None else as_tree(ColumnExpression(self.condition) & wanted)
        return replace(self, condition=shallow(both))

    @checked
    def derive(self, /, **values: ColumnExpression | Expression) -> Selection:
        """New columns, computed row by row. Existing names are refused: a person's identity must not be rewritten."""
        known, added = self.columns, list(self.derived)
        for name, value in values.items():
            if name.lower() in {one.lower() for one in known}:
                raise BadQuery(f"there is a column {name!r} already.", "Give the derived column a new name.")
            known[name] = check(shallow(as_tree(value)), known)
            added.append((name, as_tree(value)))
        return replace(self, derived=tuple(added))

    @checked
    def group_by(self, *columns: str | Window, keys: Keys = None) -> Selection:
        """One answer for each value of these columns; `keys` names the values that will be shown.

        Of one column they may be listed as they are; of several, by column: `keys={"ward": ["ICU", "Surgery"]}`. A time
        window is a column too: `group_by(window("arrived", "month"))`.
        """
        keys = _by_column(columns, keys)
        windows = [one for one in columns if isinstance(one, Window)]
        if windows:
            return self._windowed(columns, windows, keys)
        known = self.columns
        faults = [
            f"there is no column {name!r} to group by. {did_you_mean(str(name), known)}"
            for name in columns
            if name not in known
        ]
        if len(set(columns)) != len(columns):
            faults.append("a column is named twice to group by.")
        if not columns:
            faults.append("no column is named to group by.")
        _refuse(faults)
        names = tuple(str(name) for name in columns)
        return replace(self, keys=names, key_sets=key_sets(keys, known))

    def _windowed(self, columns: Sequence[str | Window], windows: Sequence[Window], keys: Any) -> Selection:
        """The windows as derived columns, with their public keys where a span is known."""
        found, stated = self, dict(keys or {})
        for one in windows:
            found = found.derive(**{one.name: Truncate(one.unit, Column(one.column))})
            public = one.keys(found.columns[one.name], self.table.spans.get(one.column))
            if public is not None and one.name not in stated:
                stated[one.name] = public
        names = [one.name if isinstance(one, Window) else one for one in columns]
        return found.group_by(*names, keys=stated)

    @checked
    def agg(self, /, **aggregates: Aggregate) -> Query:
        """The whole question, checked."""
        given: list[object] = list(aggregates.values())
        known = self.columns
        own = [key for one in given if isinstance(one, Aggregate) for key in one.keys if key in known]
        return Query(
            self.table,
            self.condition,
            tuple(dict.fromkeys((*self.keys, *own))),
            self.derived,
            tuple(aggregates.items()),
            dict(self.key_sets),
        )


@dataclass(frozen=True, eq=False)
class Query:
    """A whole question, with nothing computed. Made by `Selection.agg`; faults are all found on making it."""

    table: Asked
    where: Expression | None
    keys: Names
    derived: tuple[tuple[str, Expression], ...]
    aggregates: tuple[tuple[str, Aggregate], ...]
    key_sets: Mapping[Names, KeySet] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _refuse(list(self._faults()))
        _refuse_private(self)
        computed = [expression for _, expression in self.derived] + (
            [] if self.where is None else [self.where]
        )
        refuse_named_person(self.table, computed, (*self.keys, *self.columns_measured))

    @property
    def columns(self) -> dict[str, ColumnKind]:
        """The table's columns and the derived ones."""
        return Selection(self.table, self.derived).columns

    @property
    def unit(self) -> Unit | None:
        """Whose presence is hidden."""
        return self.table.unit

    @property
    def bounds(self) -> Mapping[str, Bounds]:
        """The table's public ranges."""
        return self.table.bounds

    @property
    def public_values(self) -> Mapping[Names, KeySet]:
        """The table's public keys, by the columns they are for."""
        return self.table.keys

    @property
    def columns_measured(self) -> Names:
        """The columns that the aggregates read, each once."""
        return tuple(
            dict.fromkeys(column for _, aggregate in self.aggregates for column in aggregate.columns)
        )

    def columns_used(self) -> list[str]:
        """The table's own columns that are read, in the table's order."""
        used = {*self.keys, *self.columns_measured}
        if self.where is not None:
            used |= columns_in(self.where)
        for name, expression in reversed(self.derived):
            if name in used:
                used |= columns_in(expression)
        if isinstance(self.table.unit, Person):
            used.add(self.table.unit.column)
        return [name for name in self.table.columns if name in used]

    def relation(self) -> Relation:
        """The rows and columns that are asked about, lazily."""
        from privet.engine import derive, filter_rows, project

        used = self.columns_used()
        found = project(self.table.relation, used) if used else self.table.relation
        for name, expression in self.derived:
            if columns_in(expression) <= set(found.columns):
                found = derive(found, {name: expression})
        if self.where is not None:
            found = filter_rows(found, self.where)
        kept = [*self.keys, *self.columns_measured]
        if isinstance(self.table.unit, Person):
            kept.append(self.table.unit.column)
        return project(found, list(dict.fromkeys(kept))) if kept else found

    def public_keys(self) -> pa.Table | None:
        """Every key that will be shown, in order; None if some column's keys are not public."""
        if not self.keys:
            return None
        rows = crossed(self.keys, {**self.table.keys, **self.key_sets})
        kinds = [self.columns[name] for name in self.keys]
        return None if rows is None else as_arrow(self.keys, kinds, rows)

    def describe(self) -> str:
        """The question as text. Two questions about a table read the same only if they are the same."""
        said = [f"FROM {self.table.name!r}"]
        said += [f"DERIVE {worded(value)} AS {name!r}" for name, value in self.derived]
        if self.where is not None:
            said.append(f"WHERE {worded(self.where)}")
        if self.keys:
            said.append(f"GROUP BY {', '.join(map(repr, self.keys))}")
        for names, keys in sorted({**self.table.keys, **self.key_sets}.items()):
            if set(names) <= set(self.keys):
                said.append(f"KEYS OF {', '.join(map(repr, names))} {len(keys)} public, {keys.digest()}")
        said += [f"GIVE {aggregate.said(self)} AS {name!r}" for name, aggregate in self.aggregates]
        return "\n".join(said)

    def _faults(self) -> Iterable[str]:
        known = self.columns
        if not self.aggregates:
            yield "nothing is asked for. Add agg(n=count())."
        asked = [(name, a) for name, a in self.aggregates if _is_aggregate(a)]
        for name in sorted({name for name, _ in self.aggregates} - {name for name, _ in asked}):
            yield f"{name!r} is not an aggregate: use count(), persons(), sum(), mean() and the like."
        yield from self._name_faults(asked)
        for name, aggregate in asked:
            yield from aggregate.faults(name, self)
            if aggregate.alone and len(self.aggregates) > 1:
                yield f"{name!r} is a table of its own: ask for it alone."
        for name in self.keys:
            if known[name] is ColumnKind.OTHER:
                yield f"column {name!r} has a type that cannot be grouped by."

    def _name_faults(self, asked: Iterable[tuple[str, Aggregate]]) -> Iterable[str]:
        shown = Counter([*self.keys, *(one for name, a in asked for one in a.shown(name))])
        for name, times in shown.items():
            if times > 1 and name in self.keys:
                yield f"an answer cannot be called {name!r} like a column that is grouped by."
            elif times > 1:
                yield f"two columns of the answer would be called {name!r}: intervals are <name>_low and <name>_high."


def _by_column(columns: Sequence[str | Window], keys: Keys) -> Mapping[Any, KeySet | Iterable[Any]] | None:
    """Keys by the columns they are for; those of a single column may come without its name."""
    if keys is None or isinstance(keys, Mapping):
        return keys
    if len(columns) != 1:
        raise BadQuery(
            "keys of several columns are given by column.",
            'Write keys={"ward": ["ICU", "Surgery"]}.',
            faults=[],
        )
    (one,) = columns
    return {one.name if isinstance(one, Window) else one: keys}


def key_sets(
    given: Mapping[Any, KeySet | Iterable[Any]] | None, known: Mapping[str, ColumnKind]
) -> dict[Names, KeySet]:
    """Public keys by the columns they are for, fitted to those columns; all faults are raised at once."""
    found: dict[Names, KeySet] = {}
    faults = []
    for names, values in (given or {}).items():
        columns = names if isinstance(names, tuple) else (names,)
        missing = [name for name in columns if name not in known]
        if missing:
            faults += [
                f"keys: there is no column {name!r}. {did_you_mean(str(name), known)}" for name in missing
            ]
            continue
        try:
            found[columns] = KeySet.of(values).fitted([known[name] for name in columns])
        except BadKeySet as fault:
            faults.append(f"keys of {', '.join(map(repr, columns))}: {fault.fact}")
    _refuse(faults)
    return found


def _is_aggregate(thing: object) -> bool:
    return isinstance(thing, Aggregate)


def _refuse(faults: list[str]) -> None:
    if faults:
        faults = list(dict.fromkeys(faults))
        raise BadQuery(" ".join(faults), "Correct the question; nothing was read or spent.", faults=faults)


def refuse_named_person(table: Asked, computed: Iterable[Expression], used: Iterable[str] = ()) -> None:
    """Whose rows they are is for bounding; a condition on it picks somebody out, so a purpose has to allow it."""
    if not isinstance(table.unit, Person) or all(one.person_named for one in table.terms):
        return
    named = set(used).union(*(columns_in(expression) for expression in computed))
    if table.unit.column in named:
        purpose = next(one.purpose for one in table.terms if not one.person_named)
        raise PolicyBreach(
            f"purpose {purpose!r} does not allow column {table.unit.column!r}, which says whose rows they are: it may "
            "not stand in a condition, a key or a computed column.",
            "Nothing was read or spent. Persons can be counted: COUNT(DISTINCT …) or persons().",
        )


def _refuse_private(query: Query) -> None:
    """Bounds and keys read off the data do not flow into a release by themselves."""
    private = [
        f"the bounds of {column!r}"
        for _, aggregate in query.aggregates
        for column, bounds in zip(aggregate.columns, aggregate.ranges(query), strict=False)
        if not bounds.is_public
    ]
    sets = {**query.table.keys, **query.key_sets}
    private += [
        f"the keys of {', '.join(map(repr, names))}"
        for names, keys in sets.items()
        if set(names) <= set(query.keys) and not keys.is_public
    ]
    if private:
        raise NotPublic(
            f"{' and '.join(private)} were read off the data: an answer would give them away.",
            'State them from other knowledge, or take responsibility: .confirmed("why they may be public").',
            facts=private,
        )
