"""Signals of membership as their papers define them."""

import numpy as np

from privet.attacks.memorization._text_entropy import compressed_bits
from privet.attacks.memorization._text_signals import (
    beyond_reference,
    for_each_bit,
    least_likely,
    mean_log_probability,
)

TOKENS = [np.array([-1.0, -2.0, -3.0, -10.0]), np.array([-1.0]), np.empty(0)]


def test_they_are_what_they_are_called() -> None:
    assert np.allclose(mean_log_probability(TOKENS), [-4, -1, 0])
    assert np.allclose(least_likely(TOKENS, 0.5), [-6.5, -1, 0])
    assert np.isclose(least_likely(TOKENS, 0.01)[0], -10)
    assert np.isclose(for_each_bit(TOKENS, ["a", "b", "c"])[0], -16 / compressed_bits("a"))
    assert np.allclose(beyond_reference(TOKENS, [one - 1 for one in TOKENS]), [1, 1, 0])
