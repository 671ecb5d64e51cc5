"""With every draw at the same quantile, a record gives the same alone and in a batch, whatever layer draws where."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from privet.protect.train.gradients._controlled_randomness import QUANTILES, controlled

X = torch.randn(5, 7, 8, generator=torch.Generator().manual_seed(0))
MAKERS = {
    "dropout": nn.Dropout,
    "dropout 1-D": nn.Dropout1d,
    "alpha dropout": nn.AlphaDropout,
    "feature alpha dropout": nn.FeatureAlphaDropout,
    "random slopes": nn.RReLU,
    "encoder layer": lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True),
    "LSTM with dropout": lambda: nn.LSTM(8, 4, 2, dropout=0.1, batch_first=True),
    "GRU with dropout": lambda: nn.GRU(8, 4, 2, dropout=0.1, bidirectional=True, batch_first=True),
    "normal noise": lambda: lambda x: x + torch.randn_like(x) * torch.rand(1) + torch.normal(x, 1.0),
    "in place": lambda: lambda x: x + torch.empty(8).normal_(2, 3) + torch.empty_like(x).uniform_(1, 2),
    "whole numbers": lambda: lambda x: x + torch.randint(0, 9, x.shape) + torch.randint_like(x, 5),
    "counts": lambda: lambda x: torch.poisson(x.abs()) + torch.empty_like(x).random_(0, 9),
    "coins": lambda: lambda x: torch.bernoulli(x.sigmoid()) + x,
    "Gumbel": lambda: lambda x: F.gumbel_softmax(x, dim=-1),
    "classes": lambda: lambda x: torch.multinomial(x[:, 0].softmax(-1), 2).float(),
    "distributions": lambda: (
        lambda x: (
            x
            + torch.distributions.Beta(1.0, 2.0).sample()
            + torch.distributions.Gamma(x.exp(), 1.0).rsample()
        )
    ),
}


def first(found):
    return found[0] if isinstance(found, tuple) else found


@pytest.mark.parametrize("name", MAKERS)
def test_one_record_gives_one_number_alone_and_in_a_batch(name):
    torch.manual_seed(0)
    layer = MAKERS[name]()
    for quantile in QUANTILES:
        with torch.no_grad(), controlled(quantile) as mode:
            together, again = first(layer(X)), first(layer(X))
            alone = torch.cat([first(layer(X[i : i + 1])) for i in range(len(X))])
        assert mode.drawn
        assert torch.equal(together, again)
        torch.testing.assert_close(together, alone, rtol=1e-4, atol=1e-5)


def test_without_control_they_differ():
    """So that the test above can fail."""
    layer = nn.Dropout()
    assert not torch.equal(layer(X), layer(X))


@pytest.mark.parametrize("name", ["dropout", "random slopes", "encoder layer", "LSTM with dropout"])
def test_at_the_first_quantile_gradients_flow_through_everything(name):
    torch.manual_seed(0)
    layer, x = MAKERS[name](), X.clone().requires_grad_()
    with controlled():
        first(layer(x)).sin().sum().backward()
    assert bool((x.grad != 0).all())


def test_a_permutation_of_records_shows_and_chance_is_left_as_it_was():
    with controlled():
        assert torch.randperm(4).tolist() == [3, 2, 1, 0]
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    with controlled():
        torch.rand(5)
    assert torch.equal(torch.rand(2), expected)


def test_branches_that_chance_takes_are_taken_at_some_quantile():
    taken = set()
    for quantile in QUANTILES:
        with controlled(quantile):
            taken.add(bool(torch.rand(()) < 0.1))
            taken.add(bool(torch.rand(()) > 0.9))
    assert taken == {True, False}
