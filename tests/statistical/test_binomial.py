"""The test of the tests: right counts pass, wrong ones do not, and the level is what it says."""

from scipy.stats import binom
from tests.statistical.binomial import FALSE_ALARM, fits


def test_the_expected_count_fits():
    assert fits([(5000, 10_000, 0.5), (100, 100, 1.0), (0, 100, 0.0)])


def test_either_side_can_fail():
    assert not fits([(5500, 10_000, 0.5)])
    assert not fits([(4500, 10_000, 0.5)])
    assert not fits([(5000, 10_000, 0.5), (99, 100, 1.0)])
    assert not fits([(1, 100, 0.0)])


def test_the_false_alarm_rate_is_kept_exactly():
    n, p = 1000, 0.3
    refused = sum(binom.pmf(hits, n, p) for hits in range(n + 1) if not fits([(hits, n, p)]))
    assert 0 < refused <= FALSE_ALARM
