"""Randomised response: the permit's p and buckets reach the sampler; strange answers do not raise."""

from fractions import Fraction

import pytest
from tests.mechanism.permits import permit_for

from privet.errors import OutOfRange, PermitMismatch
from privet.guarantee._events import RandomizedResponse
from privet.mechanism import _opendp_samplers as sampling
from privet.mechanism import randomized_response
from privet.mechanism._randomized_response import check_response
from privet.sealed import Sealed, Sensitivity


def test_the_event_decides_and_answers_outside_count_as_the_nearest(monkeypatch):
    asked = []

    def draw(values, p, buckets):
        asked.append((values.tolist(), p, buckets))
        return values

    monkeypatch.setattr(sampling, "draw_randomized_response", draw)
    event = RandomizedResponse("1/4", 3)
    answers = Sealed([0, 1, 2, 3, 10**12, -1], Sensitivity(1, 2, 2))
    assert randomized_response(answers, permit_for(event)).tolist() == [0, 1, 2, 2, 2, 0]
    assert asked == [([0, 1, 2, 2, 2, 0], Fraction(1, 4), 3)]


@pytest.mark.parametrize("buckets", [2, 3, 4, 5, 1000, 2**32])
def test_answers_stay_inside_the_buckets(buckets):
    permit = permit_for(RandomizedResponse("0.9", buckets))
    out = randomized_response(Sealed([1] * 500, Sensitivity(1, 1, 1)), permit)
    assert out.shape == (500,)
    assert out.min() >= 0
    assert out.max() < buckets


def test_one_person_gives_one_answer():
    permit = permit_for(RandomizedResponse("0.5"))
    with pytest.raises(PermitMismatch):
        randomized_response(Sealed([0, 1], Sensitivity(2, 1, 2)), permit)


ONE = Sensitivity(1, 1, 1)


@pytest.mark.parametrize(
    ("p", "buckets"), [(Fraction(1, 2**60) - Fraction(1, 2**200), 2), (Fraction(1, 2), 2**32 + 1)]
)
def test_what_would_hide_nothing_and_what_is_too_wide_is_refused(p, buckets):
    with pytest.raises(OutOfRange):
        check_response(RandomizedResponse(p, buckets), ONE)


@pytest.mark.parametrize(
    ("p", "buckets"), [(Fraction(1, 2**60), 2), (Fraction(1, 2), 2**32), (Fraction(1), 2)]
)
def test_the_ends_of_what_is_drawn_are_drawn(p, buckets):
    check_response(RandomizedResponse(p, buckets), ONE)
