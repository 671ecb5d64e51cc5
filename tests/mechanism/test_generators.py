"""Generators: fresh each time, with no seed to give or to lose."""

import inspect
import random

import numpy as np

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
