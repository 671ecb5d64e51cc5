"""A single person's key is shown exactly as often as the event's delta says; OpenDP's own threshold shows more.

False-alarm rate 1e-9 for each assertion (`tests.statistical.binomial`).
"""

import math

import numpy as np
import pytest
from tests.mechanism.permits import permit_for
from tests.statistical.binomial import fits

from privet.guarantee._basic_composition import pure_cost
from privet.guarantee._events import ThresholdedKeys
from privet.mechanism import _opendp_samplers as sampling
from privet.mechanism import thresholded_keys
from privet.sealed import Sealed, Sensitivity

N = 200_000
SINGLE = Sensitivity(1, 1, 1)


def shown_rate(scale: float, reach: int) -> float:
    """P[z ≥ reach] of discrete Laplace noise."""
    return math.exp(-reach / scale) / (1 + math.exp(-1 / scale))


def lone_keys_shown(event: ThresholdedKeys) -> int:
    found = thresholded_keys(Sealed(np.ones(N, dtype=np.int64), SINGLE), permit_for(event))
    return int(found.shown.sum())


# A rarer event needs to be further off before 200,000 keys tell: the odds of missing it are below 1e-12.
@pytest.mark.parametrize(("scale", "threshold", "off"), [(1, 3, 0.2), (1, 2, 0.1), (2.5, 4, 0.1)])
def test_delta_is_what_it_says(scale, threshold, off):
    event = ThresholdedKeys(scale, threshold)
    delta = float(pure_cost(event).delta)
    assert delta == pytest.approx(shown_rate(scale, threshold), rel=1e-9)
    hits = lone_keys_shown(event)
    assert fits([(hits, N, delta)])
    assert not fits([(hits, N, (1 - off) * delta)])
    assert not fits([(hits, N, (1 + off) * delta)])


def summed_rate(scale: float, least: int) -> float:
    """P[z + z' ≥ least] of two draws, added up over the first."""
    weights = {z: math.exp(-abs(z) / scale) for z in range(-400, 401)}
    total = sum(weights.values())
    return sum(weight / total * tail(scale, least - z) for z, weight in weights.items())


def tail(scale: float, least: int) -> float:
    return shown_rate(scale, least) if least > 0 else 1 - shown_rate(scale, 1 - least)


@pytest.mark.parametrize("event", [ThresholdedKeys(4, 12, 1, 5), ThresholdedKeys(2.5, 12, 1, 3, 2)])
def test_delta_of_rows_is_what_it_says(event):
    """A person alone with all the rows that they may have, in one part or two; one row more or less is told."""
    moved = Sensitivity(event.parts, event.reach, event.reach, block=event.parts)
    # Each part at the most that the seal allows it.
    lone = np.full(N * event.parts, event.reach, dtype=np.int64)
    least = event.threshold - event.parts * event.reach + 1
    rate = (
        shown_rate(float(event.scale), least) if event.parts == 1 else summed_rate(float(event.scale), least)
    )
    assert float(pure_cost(event).delta) == pytest.approx(rate, rel=1e-9)
    hits = int(thresholded_keys(Sealed(lone, moved), permit_for(event)).shown.sum())
    assert fits([(hits, N, rate)])
    assert not fits([(hits, N, 0.9 * rate)])
    assert not fits([(hits, N, 1.1 * rate)])
    fewer = int(thresholded_keys(Sealed(lone - 1, moved), permit_for(event)).shown.sum())
    assert fewer < 0.9 * hits


def test_delta_is_kept_where_the_scale_had_to_be_rounded():
    event = ThresholdedKeys("4/3", 3)
    hits = lone_keys_shown(event)
    assert fits([(hits, N, shown_rate(4 / 3, 4))])
    assert hits / N < float(pure_cost(event).delta)


def test_a_common_key_is_shown_as_often_as_it_should():
    found = thresholded_keys(
        Sealed(np.full(N // 2, 5), SINGLE), permit_for(ThresholdedKeys(1, 4))
    )  # 5 + z > 4: z ≥ 0
    assert fits([(int(found.shown.sum()), N // 2, shown_rate(1, 0))])


def test_opendps_own_threshold_still_shows_more_than_it_claims():
    """When this fails, OpenDP has mended its comparison, and the note in `thresholding.py` can go."""
    import opendp.prelude as dp

    sampling._opendp()
    n, scale, threshold = 50_000, 1.0, 3
    theirs = dp.m.make_laplace_threshold(
        dp.map_domain(dp.atom_domain(T="i64"), dp.atom_domain(T="i64")),
        dp.l01inf_distance(dp.absolute_distance(T="i64")),
        scale=scale,
        threshold=threshold,
    )
    claimed = theirs.map((1, 1, 1))[1]
    assert claimed == pytest.approx(shown_rate(scale, threshold), rel=1e-3)
    hits = len(theirs(dict.fromkeys(range(n), 1)))
    assert not fits([(hits, n, claimed)])
    assert fits([(hits, n, shown_rate(scale, threshold - 1))])
