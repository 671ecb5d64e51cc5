"""Presence heard through the noise: found where nothing bounds an outlier, and nearly nothing where it is bounded."""

from tests.attacks.worlds.noisy_worlds import NoisyWorlds

from privet.artifact import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.worlds._noise_scale_attack import world_noise_scale
from privet.guarantee import PacPrivacy

CASE = Case(promise=PacPrivacy("1/128"), settings={"draws": 1_000})


def test_an_outlier_shouts_through_the_noise_and_no_bound_is_claimed() -> None:
    found = world_noise_scale(NoisyWorlds("1/128", largest=999_999.0), CASE)
    assert found.success.low > 0.95  # where the promise on membership is 56.2 %
    assert found.bound is None
    assert found.verdict is Verdict.NOT_PROMISED
    assert found.details["noise_ratio"] < 1e-3


def test_one_whose_value_is_bounded_is_hardly_heard() -> None:
    found = world_noise_scale(NoisyWorlds("1/128", largest=2.0), CASE)
    assert found.success.high < 0.65
