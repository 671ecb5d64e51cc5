"""Samples of whole persons: all rows of some values of a column, chosen by a keyed hash of the value alone.

What holds within a person can be seen on some persons, but only with all their rows: a sample of rows would tear them
apart. The choice is the same on every engine and in every order of rows. For the owner's audit, never for a release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from privet.engine import _keyed_hash as keyed_hash
from privet.engine._frequency_table import FrequencyTable, frequency_table
from privet.engine._relation import Relation

_VALUE, _ROW, _IN = "privet_value_", "privet_row", "privet_in_"
_HASHED = 8  # columns that decide which rows of very long groups are kept


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a column's values that is kept, and the part of the rows of each."""

    values: float
    rows: float = 1.0


def keyed_sample(
    relation: Relation, columns: Sequence[str], shares: Mapping[str, Share], *, key: str = "privet"
) -> tuple[FrequencyTable, tuple[str, ...]]:
    """Combinations of these columns in the rows of any sample, and the names of the columns that say of which.

    One scan for all samples: the last columns of the table are true where a row belongs to the sample of each name in
    `shares`. Stability: none is claimed.
    """
    table = _hashed(relation, columns, shares, key)
    chosen = {}
    for at, (name, share) in enumerate(shares.items()):
        kept = table[f"{_VALUE}{at}"] < int(share.values * keyed_hash.PRIME)
        if share.rows < 1:
            kept = kept & (table[_ROW] < int(share.rows * keyed_hash.PRIME))
        chosen[f"{_IN}{at}"] = kept & table[name].notnull()
    table = table.mutate(**chosen)
    anywhere = table[f"{_IN}0"]
    for at in range(1, len(shares)):
        anywhere = anywhere | table[f"{_IN}{at}"]
    found = relation.with_table(table.filter(anywhere).select(*columns, *chosen))
    return frequency_table(found, [*columns, *chosen]), tuple(chosen)


def _hashed(relation: Relation, columns: Sequence[str], shares: Mapping[str, Share], key: str) -> Any:
    """The table with a hash of each sampled column's value, and of the row where some are to be thinned out."""
    table = relation.table
    words = {
        f"{_VALUE}{at}": keyed_hash.combined([keyed_hash.word(table[name], relation.engine, key)], key)
        for at, name in enumerate(shares)
    }
    if any(share.rows < 1 for share in shares.values()):
        some = [keyed_hash.word(table[name], relation.engine, f"{key} row") for name in columns[:_HASHED]]
        words[_ROW] = keyed_hash.combined(some, f"{key} row")
    staged = table.mutate(**words)
    for at in range(2):
        staged = staged.mutate(**{name: keyed_hash.round_of(staged[name], at, key) for name in words})
    return staged
