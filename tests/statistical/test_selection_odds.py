"""Selections choose with exactly their probabilities: the right scale passes, 0.9 and 1.1 times of it do not.

40,000 choices each; false-alarm rate 1e-9 for each assertion (`tests.statistical.binomial`). The candidate whose odds tell most
is then 14 standard deviations or more from what a wrong scale says, where 6.3 are asked: missed less than once in 10¹².
"""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from tests.statistical.binomial import fits

from privet.mechanism import _opendp_samplers as sampling

N = 40_000
SCALE = 2.0
SCORES = [0, 6, 3, 3]  # ties, and odds that move by a fifth when the scale moves by a tenth


def exponential_odds(scores, scale):
    weights = [math.exp(score / scale) for score in scores]
    return [weight / sum(weights) for weight in weights]


def permute_and_flip_odds(scores, scale):
    """Averaged over all orders in which the candidates may be visited."""
    odds = [0.0] * len(scores)
    orders = list(itertools.permutations(range(len(scores))))
    for order in orders:
        still_open = 1 / len(orders)
        for i in order:
            taken = math.exp((scores[i] - max(scores)) / scale)
            odds[i] += still_open * taken
            still_open *= 1 - taken
    return odds


ODDS = {"gumbel": exponential_odds, "exponential": permute_and_flip_odds}


@pytest.mark.parametrize("noise", ODDS)
def test_the_right_odds_and_no_others(noise):
    scores = np.array(SCORES)
    chosen = Counter(sampling.draw_noisy_max(scores, SCALE, noise) for _ in range(N))

    def fit(name, scale):
        return fits((chosen[i], N, chance) for i, chance in enumerate(ODDS[name](SCORES, scale)))

    assert fit(noise, SCALE)
    assert not fit(noise, 0.9 * SCALE)
    assert not fit(noise, 1.1 * SCALE)
    other = next(name for name in ODDS if name != noise)
    assert not fit(other, SCALE)
