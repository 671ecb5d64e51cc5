"""Nats and what they allow: golden values of Xiao and Devadas' bound, and cases that are known."""

import pytest
import torch

from privet.errors import BadShield
from privet.protect.shield._mutual_information import allowed_success, information_bound


@pytest.mark.parametrize(
    ("nats", "prior", "wanted"),
    [
        (1 / 128, 0.5, 0.5624),
        (1 / 16, 0.25, 0.4117),
        (1 / 4, 0.1, 0.3643),
        (1 / 2, 0.01, 0.2218),
        (1.0, 0.5, 1.0),
    ],
)
def test_the_success_that_nats_allow(nats, prior, wanted) -> None:
    assert allowed_success(nats, prior) == pytest.approx(wanted, abs=6e-5)


def test_equal_texts_tell_nothing_and_distant_ones_their_divergence() -> None:
    mean, log = torch.zeros(4, 3), torch.zeros(4, 3)
    assert information_bound([(mean, log), (mean, log)]).text == pytest.approx(0)
    apart = information_bound([(mean, log), (mean + 2, log)])
    assert apart.each == pytest.approx(3 * 2.0**2 / 2)
    assert apart.text == pytest.approx(4 * apart.each)
    assert apart.allows(0.1) == pytest.approx(1)


def test_too_little_is_refused() -> None:
    with pytest.raises(BadShield):
        information_bound([])
    with pytest.raises(BadShield):
        allowed_success(0.1, 0.0)
