"""Local randomisers: reports have the probabilities of the oracle's matrix, for every oracle and value."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.guarantee.oracles.test_oracle import SMALL, small

from privet.errors import InternalError
from privet.guarantee.oracles import (
    BloomResponse,
    HadamardResponse,
    LocalHashing,
    SubsetSelection,
    hashed,
    pool,
    pooled,
)
from privet.mechanism import WordStream, bloom_filters, instantaneous_bits, permanent_bits, respond
from privet.mechanism._local_response import uniform_sets

SEED, MANY = 99, 60_000


def outcomes(kind: str, x: int, stream: WordStream, epsilon: Fraction) -> np.ndarray:
    """Each report as the number of its column in the matrix."""
    oracle = small(kind, epsilon)
    found = respond(oracle, np.full(MANY, x), stream, SEED)
    if kind in ("grr", "hadamard"):
        return found["value"]
    if kind == "sue":
        bits = np.unpackbits(found["bits"], axis=1, count=oracle.size, bitorder="little")
        return bits @ (2 ** np.arange(oracle.size)[::-1])
    if kind == "oue":
        offsets, ones = found["ones"]
        rows = np.repeat(np.arange(MANY), np.diff(offsets))
        return np.bincount(rows, 2.0 ** (oracle.size - 1 - ones), minlength=MANY).astype(int)
    if kind == "subset":
        first, second = found["values"][1].reshape(MANY, 2).T
        pairs = {pair: at for at, pair in enumerate((a, b) for a in range(6) for b in range(a + 1, 6))}
        return np.array([pairs[pair] for pair in zip(first.tolist(), second.tolist(), strict=True)])
    raise AssertionError(kind)


@pytest.mark.parametrize("kind", ["grr", "hadamard", "sue", "oue", "subset"])
@pytest.mark.parametrize("epsilon", ["1/2", "2"])
def test_reports_have_the_probabilities_of_the_matrix(kind: str, epsilon: str) -> None:
    """False alarms: one in a million for each value."""
    oracle, stream = small(kind, Fraction(epsilon)), WordStream.seeded(11)
    for x, row in enumerate(oracle.matrix()):
        seen = np.bincount(outcomes(kind, x, stream, Fraction(epsilon)), minlength=len(row))
        assert chisquare(seen, MANY * np.array([float(chance) for chance in row])).pvalue > 1e-6


@pytest.mark.parametrize("kind", ["olh", "flh"])
def test_hashed_reports_keep_the_hash_with_the_oracle_s_chance(kind: str) -> None:
    oracle = small(kind, Fraction(1))
    assert isinstance(oracle, LocalHashing)
    found = respond(oracle, np.full(MANY, 2), WordStream.seeded(4), SEED)
    seeds = found["seed"] if kind == "olh" else pool(SEED, oracle.pool)[found["hash"]]
    own = (hashed if kind == "olh" else pooled)(seeds, np.array([2]), oracle.range)
    moved = (found["value"] - own) % oracle.range
    keep = oracle.odds()[0] / 2**64
    expected = MANY * np.array([keep, (1 - keep) / 2, (1 - keep) / 2])
    assert chisquare(np.bincount(moved, minlength=3), expected).pvalue > 1e-6


@pytest.mark.parametrize("kind", ["cms", "hcms"])
def test_sketch_reports_have_a_uniform_row_and_the_oracle_s_chances(kind: str) -> None:
    oracle = small(kind, Fraction(1))
    found = respond(oracle, np.full(MANY, 1), WordStream.seeded(4), SEED)
    assert chisquare(np.bincount(found["row"], minlength=2)).pvalue > 1e-6
    places = pooled(pool(SEED, 2)[found["row"]], np.array([1]), 4)
    if kind == "hcms":
        assert chisquare(np.bincount(found["column"], minlength=4)).pvalue > 1e-6
        positive = np.bitwise_count(places & found["column"]) % 2 == 0
        flipped = (found["sign"] == 1) != positive
        chance = oracle.odds()[0] / 2**64
        assert abs(flipped.mean() - chance) < 5 * math.sqrt(chance * (1 - chance) / MANY)
        return
    bits = np.unpackbits(found["bits"], axis=1, count=4, bitorder="little")
    own, other = (words / 2**64 for words in oracle.odds())
    assert abs(bits[np.arange(MANY), places].mean() - own) < 5 * math.sqrt(own * other / MANY)
    rest = (bits.sum() - bits[np.arange(MANY), places].sum()) / (3 * MANY)
    assert abs(rest - other) < 5 * math.sqrt(own * other / (3 * MANY))


def test_sets_are_uniform() -> None:
    found = uniform_sets(60_000, 5, 2, WordStream.seeded(8))
    assert (np.sort(found, axis=1)[:, 0] < np.sort(found, axis=1)[:, 1]).all()
    both = np.sort(found, axis=1) @ [5, 1]
    assert chisquare(np.unique(both, return_counts=True)[1]).pvalue > 1e-6
    assert len(np.unique(both)) == 10
    assert uniform_sets(3, 4, 4, WordStream.of_bytes(b"")).tolist() == [[0, 1, 2, 3]] * 3
    assert uniform_sets(3, 4, 0, WordStream.of_bytes(b"")).shape == (3, 0)


def test_a_tie_at_the_edge_of_a_set_is_drawn_again() -> None:
    tied = b"".join(key.to_bytes(4, "little") for key in (1, 5, 5, 9))
    clear = b"".join(key.to_bytes(4, "little") for key in (9, 1, 5, 2))
    assert sorted(uniform_sets(1, 4, 2, WordStream.of_bytes(tied + clear))[0].tolist()) == [1, 3]
    # Two equal keys that are both chosen leave nothing open.
    inside = b"".join(key.to_bytes(4, "little") for key in (5, 5, 7, 9))
    assert sorted(uniform_sets(1, 4, 2, WordStream.of_bytes(inside))[0].tolist()) == [0, 1]


def test_many_sets_come_out_in_the_order_of_their_values() -> None:
    oracle = SubsetSelection(Fraction(16), 1_000, 1)
    codes = np.arange(1_000)
    assert (respond(oracle, codes, WordStream.seeded(1), 0)["values"][1] == codes).mean() > 0.99


@pytest.mark.parametrize("blocks", [1, 4])
def test_each_column_of_a_large_hadamard_matrix_is_right(blocks: int) -> None:
    oracle = HadamardResponse(Fraction(20), 50, blocks)
    codes = np.arange(50).repeat(40)
    found = respond(oracle, codes, WordStream.seeded(3), 0)["value"]
    block, row = codes % blocks, codes // blocks + 1
    likely = (found // oracle.width == block) & (np.bitwise_count(row & found % oracle.width) % 2 == 0)
    assert likely.mean() > 0.999


def test_permanent_bits_flip_with_their_chance_and_reports_show_them() -> None:
    oracle = BloomResponse(Fraction(2), 10, 32, 2, 4, 64, 192)
    filters = bloom_filters(oracle, np.zeros(3_000, np.int64), np.arange(3_000) % 4, SEED)
    assert (filters.sum(axis=1) <= 2).all()
    assert len(np.unique(filters, axis=0)) == 4
    stream = WordStream.seeded(6)
    kept = permanent_bits(oracle, filters, stream)
    chance = oracle.odds()[0] / 2**64
    assert abs((kept ^ filters).mean() - chance) < 5 * math.sqrt(chance / filters.size)
    shown = instantaneous_bits(oracle, kept, stream)
    assert abs(shown[kept].mean() - 0.75) < 5 / math.sqrt(kept.sum())
    assert abs(shown[~kept].mean() - 0.25) < 5 / math.sqrt((~kept).sum())
    assert set(respond(oracle, np.zeros(3, np.int64), stream, SEED)) == {"row", "bits"}


def test_what_has_no_randomiser_is_refused() -> None:
    with pytest.raises(InternalError):
        respond(small("piecewise", Fraction(1)), np.zeros(1, np.int64), WordStream.seeded(1), 0)
    assert len(SMALL) == 14
