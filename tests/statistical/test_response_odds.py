"""Randomised response replaces as often as it says: the right p passes, 0.9 and 1.1 times of it do not.

300,000 answers each; false-alarm rate 1e-9 for each assertion (`tests.statistical.binomial`).
"""

from fractions import Fraction

import numpy as np
import pytest
from tests.statistical.binomial import fits

from privet.mechanism import _opendp_samplers as sampling

N = 300_000


def counts(values, out, p, buckets):
    """How often each bucket comes out for each true answer."""
    for true in range(buckets):
        given = out[values == true]
        for bucket in range(buckets):
            chance = p / buckets + (1 - p) * (bucket == true)
            yield int((given == bucket).sum()), len(given), chance


@pytest.mark.parametrize(("p", "buckets"), [("1/2", 2), ("1/4", 3), ("9/10", 5), ("1/3", 4)])
def test_the_right_odds_and_no_others(p, buckets):
    p = Fraction(p)
    values = np.arange(N) % buckets
    out = sampling.draw_randomized_response(values, p, buckets)
    assert fits(counts(values, out, float(p), buckets))
    assert not fits(counts(values, out, 0.9 * float(p), buckets))
    assert not fits(counts(values, out, min(1.0, 1.1 * float(p)), buckets))
    one, other = (out[0::2] == values[0::2]), (out[1::2] == values[1::2])
    true = float(1 - p + p / buckets)
    assert fits([(int((one == other).sum()), len(one), true**2 + (1 - true) ** 2)])  # independent persons


def test_answers_that_are_always_replaced_say_nothing():
    values = np.arange(N) % 6
    out = sampling.draw_randomized_response(values, Fraction(1), 6)
    assert fits(counts(values, out, 1.0, 6))


def test_rare_replacement_is_not_lost():
    out = sampling.draw_randomized_response(np.zeros(N, dtype=np.int64), Fraction(1, 1000), 2)
    assert fits([(int(out.sum()), N, 0.0005)])
    assert not fits([(int(out.sum()), N, 0.0)])
