"""The transform: it begins near the embeddings, reads the whole text and no padding, and keeps its variance in bounds."""

import pytest
import torch

from privet.errors import BadShield
from privet.mechanism import WordStream
from privet.protect.shield import ShieldSettings
from privet.protect.shield._glass_transform import begun_transform, drawn_embeddings

SETTINGS = ShieldSettings(heads=2)


def transform(settings: ShieldSettings = SETTINGS):
    return begun_transform(8, settings, WordStream.seeded(1))


def test_it_begins_with_embeddings_and_a_little_noise() -> None:
    given = torch.randn(200, 6, 8, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        mean, log_variance = transform()(given)
    assert float((mean - given).square().mean()) < 0.3
    assert float(log_variance.mean()) < -2


def test_the_same_stream_makes_the_same_weights() -> None:
    first, second = (transform().state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_place_is_read_with_the_whole_text_and_without_padding() -> None:
    made, given = transform(), torch.randn(1, 4, 8, generator=torch.Generator().manual_seed(2))
    mask = torch.tensor([[True, True, True, False]])
    other, beside = given.clone(), given.clone()
    other[0, 3] += 5
    beside[0, 2] = beside[0, 2].flip(0) * 3
    assert torch.allclose(made(given, mask)[0][0, 0], made(other, mask)[0][0, 0])
    assert not torch.allclose(made(given, mask)[0][0, 0], made(beside, mask)[0][0, 0], atol=1e-4)


def test_variances_stay_in_bounds() -> None:
    settings = ShieldSettings(heads=2, least_log_variance=-1.0, most_log_variance=0.5)
    made = transform(settings)
    with torch.no_grad():
        made.spread.weight.mul_(1000)
    found = made(torch.randn(50, 3, 8, generator=torch.Generator().manual_seed(3)))[1]
    assert float(found.min()) == pytest.approx(-1.0)
    assert float(found.max()) == pytest.approx(0.5)


def test_draws_have_gradients_and_the_stated_spread() -> None:
    """10,000 squares: chi-squared, so within a tenth but for a chance below 1e-9."""
    mean, log = torch.zeros(100, 100, requires_grad=True), torch.full((100, 100), 2.0, requires_grad=True)
    drawn = drawn_embeddings(mean, log, WordStream.seeded(4))
    drawn.sum().backward()
    assert mean.grad is not None
    assert log.grad is not None
    assert float(drawn.detach().square().mean()) == pytest.approx(
        float(torch.exp(torch.tensor(2.0))), rel=0.1
    )


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(BadShield, match="heads"):
        begun_transform(9, SETTINGS, WordStream.seeded(1))
