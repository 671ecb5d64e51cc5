"""Scale factors: no scaled gradient is longer than the bound, and what is not finite is left out."""

import math

import numpy as np
import pytest
import torch

from privet.protect.train.gradients.clipping._clipping_rule import STABILITY, ClippingRule

NORMS = [0.0, 1e-6, 0.5, 2.0, 8.0, math.inf, math.nan]


def test_normalised_gradients_all_have_nearly_the_bound_as_their_norm():
    norms = torch.tensor([1e-6, 0.01, 1.0, 1e6])
    scaled = ClippingRule(2.0, normalised=True).factors(norms) * norms
    assert (scaled <= 2).all()
    assert scaled[-2:].min() > 1.98
    assert ClippingRule(2.0).factors(norms).tolist() == [1, 1, 1, pytest.approx(2e-6)]


@pytest.mark.parametrize("bound", [0.5, 2.0])
def test_flat_clipping_is_the_least_of_one_and_bound_over_norm(bound):
    wanted = [1.0, 1.0, min(1.0, bound / 0.5), min(1.0, bound / 2), bound / 8, 0.0, 0.0]
    assert ClippingRule(bound).factors(torch.tensor(NORMS)).tolist() == pytest.approx(wanted)


def test_normalising_divides_by_the_norm_and_a_hundredth():
    wanted = [2 / (norm + 0.01) for norm in NORMS[:5]] + [0.0, 0.0]
    found = ClippingRule(2.0, normalised=True).factors(torch.tensor(NORMS))
    assert found.tolist() == pytest.approx(wanted, rel=1e-6)
    assert pytest.approx(0.01) == STABILITY


@pytest.mark.parametrize("normalised", [False, True])
def test_arrays_have_the_same_factors(normalised):
    rule = ClippingRule(0.7, normalised)
    with np.errstate(all="ignore"):
        found = rule.array_factors(np.array(NORMS, np.float32))
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx(rule.factors(torch.tensor(NORMS)).tolist(), rel=1e-6)


@pytest.mark.parametrize("normalised", [False, True])
def test_no_scaled_norm_exceeds_the_bound(normalised):
    norms = torch.logspace(-6, 6, 200, dtype=torch.float64)
    scaled = ClippingRule(0.7, normalised).factors(norms) * norms
    assert float(scaled.max()) <= 0.7 * (1 + 1e-12)
