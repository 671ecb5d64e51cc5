"""Keys of every size are shown exactly as often as the truncated noise says, and not 10 % more or less (20 % for the rarest).

False-alarm rate 1e-9 for each assertion (`tests.statistical.binomial`).
"""

import numpy as np
import pytest
from tests.mechanism.permits import permit_for
from tests.mechanism.test_truncated_keys import chances, shown_chance
from tests.statistical.binomial import fits

from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._events import TruncatedKeys
from privet.mechanism import truncated_keys
from privet.mechanism._truncated_keys import draw_truncated
from privet.sealed import Sealed, Sensitivity

N = 100_000
SINGLE = Sensitivity(1, 1, 1)


def shown(scale: float, bound: int, persons: int) -> int:
    answer = Sealed(np.full(N, persons), SINGLE)
    return int(truncated_keys(answer, permit_for(TruncatedKeys(scale, bound))).shown.sum())


# A rarer event needs to be further off before 100,000 keys tell: the odds of missing it are below 1e-12.
@pytest.mark.parametrize(("persons", "off"), [(1, 0.2), (2, 0.2), (4, 0.1), (5, 0.1)])
def test_selection_is_as_likely_as_it_says(persons, off):
    hits, chance = shown(2.5, 4, persons), shown_chance(2.5, 4, persons)
    assert fits([(hits, N, chance)])
    assert not fits([(hits, N, (1 - off) * chance)])
    assert not fits([(hits, N, min((1 + off) * chance, 1 - 1e-9))])


def test_a_single_person_is_shown_as_often_as_delta_says():
    hits = shown(2.5, 4, 1)
    assert fits([(hits, N, float(pure_cost(TruncatedKeys(2.5, 4)).delta))])


def test_large_keys_are_always_shown():
    assert shown(2.5, 4, 9) == N


def test_the_noise_has_the_law_it_says():
    noise = draw_truncated(N, 2.5, 4)
    assert np.abs(noise).max() == 4
    assert fits([(int((noise == z).sum()), N, chance) for z, chance in chances(2.5, 4).items()])
