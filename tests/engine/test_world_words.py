"""Who is in which world: everybody in half of them, all rows of a person together, the same on every engine."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from privet.engine import members, words_for, world_rows
from privet.engine._bounded_rows import OWNER
from privet.engine._open_relation import open_frame
from privet.guarantee import Person, Row

WORLDS = 128


def table(rows: int, persons: int | None = None) -> pa.Table:
    who = np.arange(rows) % (persons or rows)
    return pa.table({"who": [f"p{one}" for one in who], "x": np.arange(rows, dtype=float)})


def words_of(rows: pa.Table, unit, seed="seed", worlds=WORLDS):
    relation = open_frame(rows)
    found = pa.Table.from_batches(list(world_rows(relation, ["x"], unit, seed=seed, worlds=worlds)))
    return found, [found[name].to_numpy() for name in words_for(worlds)]


@pytest.mark.parametrize("unit", [Person("who"), Row()])
def test_half_of_the_units_are_in_each_world_and_worlds_are_independent(unit) -> None:
    """Shares and correlations of 4,000 coins: beyond 6.5 standard errors in less than one of 10^6 runs of all pairs."""
    _, words = words_of(table(4_000), unit)
    inside = np.array([members(words, pair) for pair in range(WORLDS // 2)], float)
    assert np.abs(inside.mean(axis=1) - 0.5).max() < 6.5 * 0.5 / np.sqrt(4_000)
    assert np.abs(np.corrcoef(inside) - np.eye(WORLDS // 2)).max() < 6.5 / np.sqrt(4_000)
    between = np.corrcoef(inside.T[:300])  # of persons, over the 64 pairs
    assert np.abs(between[np.triu_indices(300, 1)]).mean() < 0.15


def test_all_rows_of_a_person_are_in_the_same_worlds() -> None:
    found, words = words_of(table(3_000, 500), Person("who"))
    owners = np.array(found[OWNER].to_pylist())
    for word in words:
        assert all(len(set(word[owners == one])) == 1 for one in np.unique(owners)[:50])


def test_where_rows_count_equal_ones_are_apart() -> None:
    same = pa.table({"who": ["a"] * 1_000, "x": [1.0] * 1_000})
    _, words = words_of(same, Row())
    assert 0.4 < members(words, 0).mean() < 0.6


def test_worlds_are_decided_by_the_seed_and_nobody_else() -> None:
    one, words = words_of(table(200), Person("who"))
    _, others = words_of(table(200), Person("who"), seed="other")
    assert (words[0] != others[0]).mean() > 0.9
    fewer, rest = words_of(table(150), Person("who"))
    known = dict(zip(one[OWNER].to_pylist(), words[0].tolist(), strict=True))
    assert all(
        known[who] == word for who, word in zip(fewer[OWNER].to_pylist(), rest[0].tolist(), strict=True)
    )


@pytest.mark.parametrize(("worlds", "words"), [(2, 1), (48, 1), (50, 2), (128, 3), (1024, 22)])
def test_as_many_words_as_pairs_need(worlds, words) -> None:
    assert len(words_for(worlds)) == words
