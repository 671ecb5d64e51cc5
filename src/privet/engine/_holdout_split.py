"""Keeping some people apart: who is held out is decided by a hash of the person alone, the same on every engine."""

from __future__ import annotations

import re

from privet.engine import _keyed_hash as hashing
from privet.engine._relation import Relation
from privet.guarantee import Person, Unit

_WORD = "privet_word"
_WHOLE = hashing.PRIME
_LOADED = re.compile(r'"ibis_[^"]*"')  # what the engine calls a file that it reads


def held_out(
    relation: Relation, unit: Unit, share: float, *, key: str = "privet"
) -> tuple[Relation, Relation]:
    """The rows that stay and those kept apart, about `share` of all units: a person's rows stay together.

    Where each row counts by itself, the row's values decide. Each unit's fate depends on that unit alone, so removing one
    moves nobody else: stability 1. Rows without a person stay.
    """
    table = relation.table
    columns = list(relation.columns)
    names = [unit.column] if isinstance(unit, Person) else columns
    words = [hashing.word(table[name], relation.engine, key) for name in names]
    staged = table.mutate(**{_WORD: hashing.combined(words, key)})
    for at in range(2):
        staged = staged.mutate(**{_WORD: hashing.round_of(staged[_WORD], at, key)})
    apart = staged[_WORD] < int(share * _WHOLE)
    if isinstance(unit, Person):
        apart = apart & staged[unit.column].notnull()
    return (
        relation.with_table(staged.filter(~apart).select(*columns)),
        relation.with_table(staged.filter(apart).select(*columns)),
    )


def wording(relation: Relation, name: str) -> str:
    """The query that the engine would be asked for, on one line; the source goes by this name."""
    found = " ".join(str(relation.table.compile()).split())
    return _LOADED.sub(lambda _: f'"{name}"', found)
