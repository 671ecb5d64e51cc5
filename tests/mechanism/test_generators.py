"""Generators: fresh each time, with no seed to give or to lose."""

import inspect
import random

import numpy as np
import pytest

from privet.mechanism import fresh_generator
from privet.mechanism._generators import shared_state


def test_no_two_generators_agree():
    drawn = {int(fresh_generator().integers(2**63)) for _ in range(200)}
    assert len(drawn) == 200  # a collision: odds below 1e-14


def test_the_global_seed_has_no_say():
    np.random.seed(1)
    first = fresh_generator().integers(2**63)
    np.random.seed(1)
    assert fresh_generator().integers(2**63) != first


def test_there_is_no_seed_to_give():
    assert not inspect.signature(fresh_generator).parameters


def test_a_draw_from_a_shared_generator_shows():
    before = shared_state()
    assert shared_state() == before
    random.random()
    after = shared_state()
    assert after != before
    np.random.random()
    assert shared_state() != after
    fresh_generator().random()


def test_the_seed_has_256_bits():
    # Of 128 seeds the largest lies in the upper half of the range: odds of a false alarm 2^-128.
    drawn = [fresh_generator().bit_generator.seed_seq.entropy for _ in range(128)]
    assert 2**255 <= max(drawn) < 2**256


@pytest.fixture
def numpys_own():
    """NumPy's shared generator at a known place, put back afterwards."""
    kept = np.random.get_state()
    np.random.seed(1)
    yield
    np.random.set_state(kept)


def test_each_part_of_numpys_shared_generator_shows(numpys_own):
    kind, key, place, has_gauss, gauss = np.random.get_state()
    seen = set()
    for other in [
        (kind, key, place, has_gauss, gauss),
        (kind, key ^ 1, place, has_gauss, gauss),
        (kind, key, place - 1, has_gauss, gauss),
        (kind, key, place, 1, gauss),
        (kind, key, place, 1, gauss + 1),
    ]:
        np.random.set_state(other)
        seen.add(shared_state())
    assert len(seen) == 5
