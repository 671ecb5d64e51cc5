"""The terms a shield is fitted by, held against torch's own divergences and against what they must be."""

import pytest
import torch
from torch import distributions
from torch.nn import functional as nnf

from privet.protect.shield import _shield_losses as losses


def gaussians(seed: int, rows: int = 7, width: int = 5):
    made = torch.Generator().manual_seed(seed)
    return torch.randn(rows, width, generator=made), torch.randn(rows, width, generator=made)


def test_the_divergence_is_that_of_torch() -> None:
    first, second = gaussians(1), gaussians(2)
    wanted = distributions.kl_divergence(
        *(distributions.Normal(mean, torch.exp(log / 2)) for mean, log in (first, second))
    ).sum(-1)
    assert torch.allclose(losses.gaussian_divergence(first, second), wanted, rtol=1e-4)


def test_pairs_of_a_place_with_itself_tell_nothing() -> None:
    mean, log = gaussians(3)
    assert float(losses.pairwise_information(mean, log, torch.arange(7))) == pytest.approx(0)
    assert float(losses.pairwise_information(mean, log, torch.arange(7).roll(1))) > 1


def test_more_noise_tells_less() -> None:
    mean, log = gaussians(4)
    order = torch.arange(7).roll(2)
    quiet, loud = (losses.pairwise_information(mean, torch.full_like(log, at), order) for at in (-2.0, 2.0))
    assert float(loud) < float(quiet) / 10


def test_distillation_is_nought_for_equal_answers_and_the_divergence_else() -> None:
    (clean, other) = gaussians(5)
    assert float(losses.distilled(clean, clean)) == pytest.approx(0, abs=1e-6)
    p, q = torch.softmax(clean, -1), torch.softmax(other, -1)
    wanted = (p * (p / q).log()).sum(-1).mean()
    assert float(losses.distilled(clean, other)) == pytest.approx(float(wanted), rel=1e-4)


def test_hidden_states_alignment_and_norms() -> None:
    mean, other = gaussians(6)
    assert float(losses.hidden_distance(mean, mean)) == pytest.approx(0, abs=1e-6)
    assert float(losses.hidden_distance(mean, other)) > 0.5
    assert float(losses.alignment(mean, -3 * mean)) == pytest.approx(1, rel=1e-5)
    unit = nnf.normalize(mean, dim=-1)
    assert float(losses.norm_distance(2 * unit, 2.0)) == pytest.approx(0, abs=1e-6)
    assert float(losses.norm_distance(3 * unit, 2.0)) == pytest.approx(0.5, rel=1e-5)
