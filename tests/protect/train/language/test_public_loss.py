"""The loss on public text: that of every token, and lower after ordinary steps on it."""

import math

import pytest
import torch

from privet.artifact import UnitTerms
from privet.errors import BadTraining
from privet.protect.train.language._network_shape import NetworkShape, fresh_network
from privet.protect.train.language._public_loss import public_loss, warm_start
from privet.protect.train.language._text_sequences import packed
from privet.protect.train.language._text_tokenizer import byte_tokenizer

TEXT = byte_tokenizer()
TERMS = UnitTerms("sequence", 16, 1)


def network():
    return fresh_network(NetworkShape("llama", 1, 16, 2), TEXT.size, 16, TEXT.end, 0)


def test_it_is_the_mean_over_tokens_of_all_sequences() -> None:
    rows, made = packed([["one ward"], ["a far longer text than that"]], TEXT, TERMS), network()
    total, count = 0.0, 0
    for row, target in zip(rows.inputs, rows.targets, strict=True):
        chances = torch.log_softmax(made(torch.from_numpy(row)[None]).logits[0], -1)
        for at in range(1, len(row)):
            if target[at] >= 0:
                total -= float(chances[at - 1, target[at]].detach())
                count += 1
    assert math.isclose(public_loss(made, rows), total / count, rel_tol=1e-5)


def test_ordinary_steps_lower_it_and_follow_from_the_seed() -> None:
    rows = packed([["the patient slept"], ["the patient walked"]], TEXT, TERMS)
    one, other = network(), network()
    before = public_loss(one, rows)
    for made in (one, other):
        warm_start(made, rows, 10, 0.01, seed=3)
    assert public_loss(one, rows) < before - 0.1
    assert all(torch.equal(x, y) for x, y in zip(one.parameters(), other.parameters(), strict=True))
    assert all(weight.grad is None for weight in one.parameters())


def test_texts_without_a_token_to_predict_are_refused() -> None:
    rows = packed([["a"]], TEXT, TERMS)
    rows.targets[:] = -100
    with pytest.raises(BadTraining, match="no token"):
        public_loss(network(), rows)
