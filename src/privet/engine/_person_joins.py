"""Joining two private tables of the same persons: a person's rows meet only that person's rows.

Each side is first cut to a stated number of rows for each person, so one person adds at most the product of the
two numbers. Which rows those are depends on the person's own rows alone: they are taken in the order of a keyed
hash of the whole row, and where hashes are equal, of the row itself. Rows that still tie are the same row.

Stability, for persons: adding or removing one person adds or removes that person's joined rows, at most
`left rows * right rows` of them, and changes nobody else's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from privet.engine import _dialects as dialects
from privet.engine import _keyed_hash as keyed_hash
from privet.engine._expression_kinds import column_kind
from privet.engine._public_joins import INNER, LEFT
from privet.engine._relation import ColumnKind, Relation
from privet.engine._table_transfer import moved, together
from privet.errors import BadKeys
from privet.guarantee import whole

_RANK, _MIXED = "privet_rank", "privet_mixed"


def first_rows(
    relation: Relation, person: str, most: int, columns: Sequence[str], bounding_key: str = "privet"
) -> Relation:
    """At most `most` rows of each person, with these columns and the person's. Stability 1 for persons.

    Rows without a person are dropped. Values become canonical (not-a-number is missing, minus zero is zero), so
    that rows which look the same are the same.
    """
    import ibis

    whole(most, "rows")
    engine, known = relation.engine, relation.columns
    names = list(dict.fromkeys([person, *columns]))
    kinds = {name: column_kind(name, known) for name in names}
    if kinds[person] is ColumnKind.REAL:
        raise BadKeys("real numbers do not identify persons.", "Cast them in the source.")
    source = relation.table
    rows = source.filter(source[person].notnull()).select(
        **{name: dialects.canonical_key(source[name], engine) for name in names}
    )
    words = [keyed_hash.word(rows[name], engine, bounding_key) for name in names]
    mixed = rows.mutate(**{_MIXED: keyed_hash.combined(words, bounding_key)})
    for at in (0, 1):
        mixed = mixed.mutate(**{_MIXED: keyed_hash.round_of(mixed[_MIXED], at, bounding_key)})
    window = ibis.window(group_by=person, order_by=[_MIXED, *(name for name in names if name != person)])
    ranked = mixed.mutate(**{_RANK: ibis.row_number().over(window)})
    kept = ranked.filter(ranked[_RANK] < dialects.whole(most))
    return relation.with_table(kept.drop(_MIXED, _RANK))


def join_persons(
    left: Relation,
    right: Relation,
    on: Sequence[tuple[str, str]],
    *,
    left_rows: int,
    right_rows: int,
    names: Mapping[str, str],
    how: str = INNER,
) -> Relation:
    """Rows of the same person beside each other; the first pair of `on` are the two person columns.

    The result has the left table's columns, and the right one's under the names that `names` gives them. `left`
    keeps left rows without a match. Missing values match nothing.
    """
    if how not in (LEFT, INNER):
        raise BadKeys("private tables are joined with how='left' or how='inner'.", "Swap the two sides.")
    one, other = together(left, right)
    kinds = [(column_kind(a, one.columns), column_kind(b, other.columns)) for a, b in on]
    for (a, b), (first, second) in zip(on, kinds, strict=True):
        if first is not second:
            raise BadKeys(
                f"{a!r} holds {first.value} values and {b!r} {second.value} values.",
                "Cast one of them first.",
            )
    if not on or set(names.values()) & set(one.columns) or len(set(names.values())) < len(names):
        raise BadKeys("two columns of the joined table would have one name.", "Rename one: rename={…}.")

    def joined(one: Relation, other: Relation) -> Any:
        usable = [name for name, kind in one.columns.items() if kind is not ColumnKind.OTHER]
        first = first_rows(one, on[0][0], left_rows, usable).table
        wanted = [*names, *(name for _, name in on)]
        second = first_rows(other, on[0][1], right_rows, wanted).table
        renamed = second.select(
            **{f"privet_on_{at}": second[name] for at, (_, name) in enumerate(on)},
            **{new: second[name] for name, new in names.items()},
        )
        conditions = [first[name] == renamed[f"privet_on_{at}"] for at, (name, _) in enumerate(on)]
        return first.join(renamed, conditions, how=how).select(*usable, *names.values())

    def elsewhere(connection: Any) -> Any:
        return joined(moved(one, connection), moved(other, connection))

    return Relation(
        joined(one, other),
        one.engine,
        sources=tuple(part for side in (one, other) for part in unread_in(side)),
        elsewhere=elsewhere if one.elsewhere and other.elsewhere else None,
        files=(*one.files, *other.files),
        speed=one.speed,
    )


def unread_in(relation: Relation) -> tuple[Relation, ...]:
    """The text files behind a relation that must be read through before anything is booked."""
    return (*relation.sources, *((relation,) if relation.unread else ()))
