"""Rows for training, bounded for each person inside the engine, and handed over batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from privet.engine import _dialects as dialects
from privet.engine import _keyed_hash as keyed_hash
from privet.engine._engine_results import fetch, read_through, stream
from privet.engine._expression_kinds import column_kind
from privet.engine._relation import SPARK, Relation
from privet.guarantee import Person, Unit

if TYPE_CHECKING:
    import pyarrow as pa

OWNER = "privet_owner"
_HASH, _RANK, _MIXED = "privet_hash", "privet_rank", "privet_mixed"


def unit_rows(
    relation: Relation, columns: Sequence[str], unit: Unit, *, bounding_key: str = "privet"
) -> Iterator[pa.RecordBatch]:
    """The rows that may count, these columns only; for persons with a column `OWNER` that says whose they are.

    A person with more rows than `max_rows` keeps the first ones in an order that is hashed from the person and the
    row's own values (`privet.engine._keyed_hash`), so who else is in the table decides nothing. Rows without a person
    are dropped. Values are as expressions see them: what is out of every reader's reach is missing. Stability: one unit
    adds or removes its own rows only, at most `max_rows` of them.
    """
    kinds = relation.columns
    for name in columns:
        column_kind(name, kinds)
    # A malformed value must stop the work before the first batch: where it stopped would tell which rows are
    # in order.
    read_through(relation)
    chosen = chosen_rows(relation, list(columns), unit, bounding_key)
    if relation.engine == SPARK:
        yield from fetch(chosen, relation.engine).to_batches()
    else:
        yield from stream(chosen)


def chosen_rows(relation: Relation, columns: list[str], unit: Unit, bounding_key: str) -> Any:
    """The rows that may count, lazily; see `unit_rows`."""
    table = relation.table
    if not isinstance(unit, Person):
        return _readable(table, columns, relation.engine)
    table = table.filter(dialects.is_there(table[unit.column]))
    owned = table.select(
        dialects.canonical_key(table[unit.column], relation.engine).name(OWNER),
        *(table[name] for name in columns),
    )
    if unit.max_rows is None:
        return _readable(owned, columns, relation.engine, OWNER)
    import ibis

    order = _hashed(owned, columns, relation.engine, bounding_key)
    # Rows whose hashes collide are put in order by their own values, never by their place in the table.
    window = ibis.window(group_by=OWNER, order_by=[_HASH, *columns])
    ranked = order.mutate(**{_RANK: ibis.row_number().over(window)})
    kept = ranked.filter(ranked[_RANK] < dialects.whole(unit.max_rows))
    return _readable(kept, columns, relation.engine, OWNER)


def _readable(table: Any, columns: list[str], engine: str, *others: str) -> Any:
    # Named by `name`, not as arguments: a column may be called `self`.
    return table.select(*others, *(dialects.canonical(table[name], engine).name(name) for name in columns))


def _hashed(owned: Any, columns: list[str], engine: str, bounding_key: str) -> Any:
    words = [keyed_hash.word(owned[name], engine, bounding_key) for name in columns]
    person = keyed_hash.word(owned[OWNER], engine, bounding_key)
    mixed = keyed_hash.person_word(person, bounding_key) ^ keyed_hash.combined(words, bounding_key)
    # In stages: each round uses its input twice, and written out at once the expression would double with
    # every round.
    staged = owned.mutate(**{_MIXED: mixed})
    staged = staged.mutate(**{_MIXED: keyed_hash.round_of(staged[_MIXED], 0, bounding_key)})
    return staged.mutate(**{_HASH: keyed_hash.round_of(staged[_MIXED], 1, bounding_key)}).drop(_MIXED)
