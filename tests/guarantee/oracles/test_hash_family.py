"""Hash functions: pairs of values are independent and uniform, and the same numbers come out everywhere."""

import numpy as np
from scipy.stats import chisquare

from privet.guarantee.oracles import (
    factors,
    hashed,
    mixed,
    pool,
    pool_sums,
    pooled,
    pooled_each,
    text_words,
    window,
)


def test_known_numbers() -> None:
    """The first outputs of SplitMix64 seeded with 0, as its authors publish them."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        found = [int(mixed(golden * np.uint64(place))) for place in (1, 2, 3)]
    assert found == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert pool(0, 3).tolist() == found


def test_pairs_of_hashes_are_uniform_together() -> None:
    """False alarms: one in a million for each pair of values."""
    seeds = mixed(np.arange(200_000))
    for one, two in ((0, 1), (3, 1000), (12, 2**23)):
        both = hashed(seeds, np.array([one]), 7) * 7 + hashed(seeds, np.array([two]), 7)
        assert chisquare(np.bincount(both, minlength=49)).pvalue > 1e-6


def test_a_window_is_where_the_hash_is() -> None:
    seeds = mixed(np.arange(5_000))
    values = np.arange(5_000) % 64
    for bound in (2, 4, 56, 2982, 8_886_112):
        a, b = factors(seeds)
        words = a * values.astype(np.uint64) + b
        begin, width = window(hashed(seeds, values, bound), bound)
        assert (words - begin < width).all()
        begin, width = window((hashed(seeds, values, bound) + 1) % bound, bound)
        assert not (words - begin < width).any()


def test_functions_whose_numbers_are_mixed_once_are_the_same_functions() -> None:
    """More values than are hashed at once, and words of all 64 bits."""
    draw, seeds = np.random.default_rng(0), pool(9, 32)
    chosen = draw.integers(0, 32, 70_000)
    values = draw.integers(0, 2**64, 70_000, dtype=np.uint64)
    values[:100] = np.arange(100)
    assert (pooled_each(seeds, chosen, values, 56) == pooled(seeds[chosen], values, 56)).all()
    assert pooled_each(seeds, chosen[:0], values[:0], 56).shape == (0,)


def test_sums_over_a_pool_are_those_of_each_function() -> None:
    draw = np.random.default_rng(0)
    for functions, many in ((3, 20_000), (40_000, 3), (7, 0)):
        cells, values = draw.integers(0, 50, (functions, 5)), np.arange(many)
        seeds = pool(4, functions)
        found = pool_sums(cells, seeds, values, 5)
        hashes = pooled(seeds[:, None], values[None], 5)
        assert found.tolist() == cells[np.arange(functions)[:, None], hashes].sum(axis=0).tolist()


def test_texts_become_different_words_by_place_and_seed() -> None:
    codes = np.array([[1, 2], [2, 1], [1, 0], [0, 1]])
    assert len(set(text_words(codes, 5).tolist()) | set(text_words(codes, 6).tolist())) == 8


def test_an_unlucky_pool_does_not_move_all_values_alike() -> None:
    """How many values share a place with value 0, on average over values that follow each other, as categories do.

    Of independent functions it spreads from pool to pool by 1 / √1023 = .031. Over 60 pools that is found within a tenth of
    it, so a limit of .05 raises less than one false alarm in a million; unmixed values spread by .07.
    """
    values, means, unmixed = np.arange(1, 1024), [], []
    for seed in range(60):
        seeds = pool(seed, 512)
        for function, found in ((pooled, means), (hashed, unmixed)):
            first = function(seeds, np.array([0]), 512)
            found.append(
                (function(seeds[:, None], values[None, :], 512) == first[:, None]).sum(axis=0).mean()
            )
    assert np.std(means) < 0.05 < np.std(unmixed)
