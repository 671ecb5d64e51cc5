"""The hashed order: equal to its description, fair to every group, and another one for another key."""

from __future__ import annotations

import math

import ibis
import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from tests.engine import oracle

from privet.engine import _keyed_hash as hashing

BACKEND = ibis.duckdb.connect()
PEOPLE = 60_000
# Every fairness test below must be passed by a perfect hash but once in a thousand million times.
FALSE_ALARM = 1e-9

PERSON_SETS = {
    "in sequence": np.arange(PEOPLE),
    "large steps": np.arange(PEOPLE) * 1_000_003 + 10**12,
    "negative": -np.arange(PEOPLE),
    "multiples of 2^31": np.arange(PEOPLE) * 2**31,
    "spread": np.random.default_rng(1).integers(-(2**63), 2**63 - 1, PEOPLE),
}
KEY_SETS = {
    "in sequence": list(range(6)),
    "powers of two": [2**n for n in range(8)],
    "multiples of 2^16": [65_536 * n for n in range(7)],
    "around zero": [-2, -1, 0, 1, 2],
    "texts": [f"ward {n}" for n in range(6)],
    "reals": [n / 4 for n in range(6)],
}


def hashes(people, groups, key="privet"):
    """The order of each group for each person, as DuckDB computes it: a matrix of people by groups."""
    persons = BACKEND.create_table(
        "persons", pa.table({"p": people, "at": np.arange(len(people))}), overwrite=True
    )
    listed = BACKEND.create_table(
        "groups", pa.table({"g": groups, "place": range(len(groups))}), overwrite=True
    )
    pairs = persons.cross_join(listed)
    group = hashing.combined([hashing.word(pairs.g, "duckdb", key)], key)
    mixed = hashing.person_word(hashing.word(pairs.p, "duckdb", key), key) ^ group
    staged = pairs.mutate(h=hashing.round_of(hashing.round_of(mixed, 0, key), 1, key))
    found = staged.select("at", "place", "h").order_by("at", "place").to_pyarrow()
    return found["h"].to_numpy().reshape(len(people), len(groups))


@pytest.mark.parametrize("people", PERSON_SETS)
@pytest.mark.parametrize("groups", KEY_SETS)
def test_every_group_is_kept_equally_often(people, groups):
    order = np.argsort(hashes(PERSON_SETS[people], KEY_SETS[groups]), axis=1, kind="stable")
    for place in range(order.shape[1]):
        counts = np.bincount(order[:, place], minlength=order.shape[1])
        assert stats.chisquare(counts).pvalue > FALSE_ALARM / 10 / len(counts)


@pytest.mark.parametrize("groups", KEY_SETS)
def test_every_pair_of_groups_is_kept_together_equally_often(groups):
    order = np.argsort(hashes(PERSON_SETS["in sequence"], KEY_SETS[groups]), axis=1, kind="stable")
    width = order.shape[1]
    counts = np.bincount(order[:, 0] * width + order[:, 1], minlength=width**2).reshape(width, width)
    assert stats.chisquare(counts[~np.eye(width, dtype=bool)]).pvalue > FALSE_ALARM / 10


@pytest.mark.parametrize("people", PERSON_SETS)
def test_two_keys_choose_independently(people):
    first, second = (
        np.argmin(hashes(PERSON_SETS[people], KEY_SETS["in sequence"], key), axis=1) for key in ("one", "two")
    )
    table = np.zeros((6, 6), int)
    np.add.at(table, (first, second), 1)
    assert stats.chi2_contingency(table).pvalue > FALSE_ALARM / 10
    assert not np.array_equal(first, second)


def test_this_would_catch_a_weak_hash():
    """An affine order prefers the ends of a sequence: the test must see it."""
    people = np.arange(PEOPLE, dtype=np.int64)[:, None]
    slope = (people * 48_271 + 11) % hashing.PRIME
    start = (people * 69_621 + 7) % hashing.PRIME
    weak = (slope * np.arange(3)[None, :] + start) % hashing.PRIME
    assert stats.chisquare(np.bincount(np.argmin(weak, axis=1), minlength=3)).pvalue < FALSE_ALARM


def test_the_order_is_what_its_description_says():
    people = [0, 1, -1, 2**63 - 1, -(2**63), 12345]
    for groups in (
        [5, -7, None, 2**63 - 1, -(2**63)],
        ["", "é", None, "a|b"],
        [0.1, -2.5, None, math.inf, 1e300],
    ):
        found = hashes(np.array(people), groups)
        expected = [[oracle.order_of(person, (group,)) for group in groups] for person in people]
        assert found.tolist() == expected


def test_an_order_never_leaves_64_bits():
    """The largest words and multipliers: products and their sums stay below 2^63."""
    word, multiplier = 2**32 - 1, 2**30 - 1
    assert word * multiplier + multiplier + (hashing.PRIME - 1) * multiplier < 2**63
    for label in ("person", "power", "key 0", "round 1"):
        assert 2**28 <= hashing.constant("privet", label) < 2**30
