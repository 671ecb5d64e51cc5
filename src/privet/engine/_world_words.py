"""Who is in which world: bits of a keyed hash of the person, the same on every engine and in every order of rows.

Worlds come in pairs: in the first of pair k are the persons whose bit k is 1, in the second all others, so that everybody is in
exactly half of the worlds. Bits come in words of 24, each from a hash of the person with constants of its own
(`privet.engine._keyed_hash`). Where each row counts by itself, its place among equal rows tells it from them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import _dialects as dialects
from privet.engine import _keyed_hash as keyed_hash
from privet.engine._bounded_rows import OWNER, chosen_rows
from privet.engine._engine_results import fetch, read_through, stream
from privet.engine._expression_kinds import column_kind
from privet.engine._relation import DUCKDB, SPARK, ColumnKind, Relation
from privet.guarantee import Person, Unit

if TYPE_CHECKING:
    import pyarrow as pa

WORD = "privet_world_"
BITS = 24  # of each word; the lowest seven bits of a hash are left out
_ID, _PLACE = "privet_unit_word", "privet_place"


def words_for(worlds: int) -> list[str]:
    """The names of the columns of words that so many worlds need."""
    return [f"{WORD}{at}" for at in range(math.ceil(worlds / 2 / BITS))]


def with_words(table: Any, word: Any, seed: str, worlds: int) -> Any:
    """A lazy table with the words of each row's unit, which `word` tells apart."""
    names = words_for(worlds)
    staged = table.mutate(**{_ID: word})
    staged = staged.mutate(
        **{name: keyed_hash.person_word(staged[_ID], f"{seed} {at}") for at, name in enumerate(names)}
    ).drop(_ID)
    # In stages: each round uses its input twice.
    for round_ in range(2):
        staged = staged.mutate(
            **{
                name: keyed_hash.round_of(staged[name], round_, f"{seed} {at}")
                for at, name in enumerate(names)
            }
        )
    return staged.mutate(**{name: (staged[name] >> 7).cast("int32") for name in names})


def members(words: Sequence[NDArray[np.int32]], pair: int) -> NDArray[np.bool_]:
    """Which rows are in the first world of a pair."""
    return np.asarray((words[pair // BITS] >> (pair % BITS)) & 1, np.bool_)


def row_word(table: Any, columns: Sequence[str], engine: str, seed: str) -> tuple[Any, Any]:
    """A lazy table and the word of each of its rows; equal rows are told apart by their place among themselves.

    Rows of DuckDB come in one order, so that their number is enough; other engines have none.
    """
    import ibis

    if engine == DUCKDB:
        numbered = table.mutate(**{_PLACE: ibis.row_number().over(ibis.window())})
        return numbered, numbered[_PLACE] % dialects.whole(keyed_hash.PRIME) + dialects.whole(
            keyed_hash.PRIME
        )
    place = ibis.row_number().over(ibis.window(group_by=list(columns), order_by=list(columns)))
    numbered = table.mutate(**{_PLACE: place})
    words = [keyed_hash.word(numbered[name], engine, seed) for name in columns]
    words.append(numbered[_PLACE] % dialects.whole(keyed_hash.PRIME))
    return numbered, keyed_hash.combined(words, seed)


def world_rows(
    relation: Relation, columns: Sequence[str], unit: Unit, *, seed: str, worlds: int
) -> Iterator[pa.RecordBatch]:
    """The rows that may count, these columns only, and beside them the words that say which worlds they are in.

    A person's rows are bounded as in `unit_rows`. For a function that is run on each world outside the engine.
    """
    kinds = relation.columns
    for name in columns:
        column_kind(name, kinds)
    read_through(relation)
    if isinstance(unit, Person):
        rows = chosen_rows(relation, list(columns), unit, "privet")
        word = keyed_hash.word(rows[OWNER], relation.engine, seed)
    else:
        known = [name for name, kind in kinds.items() if kind is not ColumnKind.OTHER]
        rows, word = row_word(relation.table, known, relation.engine, seed)
        shown = {name: dialects.canonical(rows[name], relation.engine) for name in columns}
        rows = rows.select(**shown, **{_ID: word})
        word = rows[_ID]
    found = with_words(rows, word, seed, worlds)
    kept = [*columns, *words_for(worlds)] + ([OWNER] if isinstance(unit, Person) else [])
    chosen = found.select(*kept)
    if relation.engine == SPARK:
        yield from fetch(chosen, relation.engine).to_batches()
    else:
        yield from stream(chosen)
