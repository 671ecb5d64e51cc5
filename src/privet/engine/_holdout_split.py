"""Keeping some people apart: who is held out is decided by a hash of the person alone, the same on every engine."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from privet.engine import _keyed_hash as keyed_hash
from privet.engine._relation import Relation
from privet.guarantee import Person, Unit

_WORD = "privet_word"
_WHOLE = keyed_hash.PRIME
_LOADED = re.compile(r'"ibis_[^"]*"')  # what the engine calls a file that it reads


def held_out(
    relation: Relation, unit: Unit, share: float, *, key: str = "privet"
) -> tuple[Relation, Relation]:
    """The rows that stay and those kept apart, about `share` of all units: a person's rows stay together.

    Where each row counts by itself, the row's values decide. Each unit's fate depends on that unit alone, so removing one
    moves nobody else: stability 1. Rows without a person stay.
    """
    columns = list(relation.columns)
    names = [unit.column] if isinstance(unit, Person) else columns

    def part(table: Any, *, kept: bool) -> Any:
        words = [keyed_hash.word(table[name], relation.engine, key) for name in names]
        staged = table.mutate(**{_WORD: keyed_hash.combined(words, key)})
        for at in range(2):
            staged = staged.mutate(**{_WORD: keyed_hash.round_of(staged[_WORD], at, key)})
        apart = staged[_WORD] < int(share * _WHOLE)
        if isinstance(unit, Person):
            apart = apart & staged[unit.column].notnull()
        return staged.filter(~apart if kept else apart).select(*columns)

    def side(*, kept: bool) -> Relation:
        again = relation.elsewhere
        return replace(
            relation,
            table=part(relation.table, kept=kept),
            # Tables of the same persons are joined after they were split, so each side can be opened again elsewhere.
            elsewhere=None if again is None else lambda connection: part(again(connection), kept=kept),
        )

    return side(kept=True), side(kept=False)


def wording(relation: Relation, name: str) -> str:
    """The query that the engine would be asked for, on one line; the source goes by this name."""
    found = " ".join(str(relation.table.compile()).split())
    return _LOADED.sub(lambda _: f'"{name}"', found)
