"""Signals of membership as their papers define them."""

import numpy as np

from privet.attacks.language._text_entropy import compressed_bits
from privet.attacks.language._text_signals import (
    beyond_reference,
    for_each_bit,
    least_likely,
    mean_log_probability,
)

TOKENS = [np.array([-1.0, -2.0, -3.0, -10.0]), np.array([-1.0]), np.empty(0)]


def test_they_are_what_they_are_called() -> None:
    assert mean_log_probability(TOKENS).tolist() == [-4.0, -1.0, 0.0]
    assert least_likely(TOKENS, 0.5).tolist() == [-6.5, -1.0, 0.0]
    assert least_likely(TOKENS, 0.01)[0] == -10
    assert for_each_bit(TOKENS, ["a", "b", "c"])[0] == -16 / compressed_bits("a")
    assert beyond_reference(TOKENS, [one - 1 for one in TOKENS]).tolist() == [1.0, 1.0, 0.0]
