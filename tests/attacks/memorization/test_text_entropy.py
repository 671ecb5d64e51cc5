"""Entropy by compression: random characters have more of it than phrases, and thirds are thirds."""

import numpy as np

from privet.attacks.memorization._text_entropy import compressed_bits, entropy_bands, entropy_rates


def test_what_repeats_itself_has_few_bits() -> None:
    draw = np.random.default_rng(0)
    random = bytes(draw.integers(97, 123, 400).tolist()).decode()
    low, high = entropy_rates(["the same " * 44, random])
    assert low < 1
    assert high > 4
    assert compressed_bits(random) > compressed_bits("a" * 400)
    assert entropy_rates([""])[0] > 0


def test_bands_are_thirds() -> None:
    bands, (low, high) = entropy_bands(np.arange(30.0))
    assert np.bincount(bands).tolist() == [10, 10, 10]
    assert low < high
    assert len(entropy_bands(np.empty(0))[0]) == 0
