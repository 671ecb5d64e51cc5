"""Explanations: numbers from formulas, a sentence for people, nothing read and nothing spent."""

import dataclasses
import math

import pytest

from privet.errors import UnsupportedEvent
from privet.guarantee._events import (
    Composed,
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    NonPrivate,
    PermuteAndFlip,
    RandomizedResponse,
    ThresholdedKeys,
)
from privet.mechanism import explain


def test_discrete_laplace_by_hand():
    found = explain(DiscreteLaplace(2))
    q = math.exp(-0.5)
    assert found.standard_deviation == pytest.approx(math.sqrt(2 * q) / (1 - q), rel=1e-9)
    assert found.mean_absolute == pytest.approx(2 * q / (1 - q) / (1 + q), rel=1e-9)
    # P[|z| > w] = 2 q^(w+1) / (1+q) is at most 0.05 first at w = 6.
    assert found.half_width == pytest.approx(6)
    assert "at most 6" in found.sentence


def test_wide_gaussian_noise_is_nearly_normal():
    found = explain(DiscreteGaussian(1000))
    assert found.standard_deviation == pytest.approx(1000, rel=1e-6)
    assert found.mean_absolute == pytest.approx(1000 * math.sqrt(2 / math.pi), rel=1e-6)
    assert found.half_width == pytest.approx(1959.96, abs=1)


@pytest.mark.parametrize("event", [Laplace(3), Gaussian(3)])
def test_continuous_noise_is_explained_too(event):
    found = explain(event)
    assert found.half_width > found.standard_deviation > found.mean_absolute > 0


def test_keys_say_when_they_are_shown():
    found = explain(ThresholdedKeys(1, 3))
    assert f"{math.exp(-3) / (1 + math.exp(-1)):.6g}" in found.sentence
    assert "exceeds 3" in found.sentence
    assert "exceeds 4" in explain(ThresholdedKeys("10/3", 3)).sentence  # a rounded scale costs one person


@pytest.mark.parametrize("event", [Exponential("0.5"), PermuteAndFlip("0.5")])
def test_selections_say_how_far_from_the_best(event):
    found = explain(event)
    assert (found.standard_deviation, found.mean_absolute, found.half_width) == (None, None, None)
    assert f"{4 * math.log(20):.6g} + 4·ln(candidates)" in found.sentence


def test_randomised_response_says_how_often_the_truth_comes_out():
    sentence = explain(RandomizedResponse("0.5", 4)).sentence
    assert "probability 0.625" in sentence
    assert f"{2 * math.sqrt(0.125 * 0.875):.6g}/√n" in sentence
    assert "nothing can be learnt" in explain(RandomizedResponse(1)).sentence


@pytest.mark.parametrize("event", [NonPrivate(), Composed([DiscreteLaplace(1)])])
def test_what_no_single_mechanism_draws_is_refused(event):
    with pytest.raises(UnsupportedEvent):
        explain(event)


def test_an_explanation_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        explain(Exponential(1)).sentence = "fine"
