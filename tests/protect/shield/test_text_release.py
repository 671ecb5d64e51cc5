"""Batches: a text is sent alike whatever stands beside it."""

import numpy as np
import torch
from tests.protect.shield.small_models import classifier

from privet.protect.shield import _text_release as text_release
from privet.protect.shield import plain_shield


def test_padding_is_masked_and_cut_again(monkeypatch) -> None:
    made = plain_shield(classifier())
    sequences = [[1, 2, 3], [4], [5, 6], [7, 8, 9, 10]]
    monkeypatch.setattr(text_release, "_TOKENS", 8)
    found = made.sent_tokens(sequences)
    assert all(np.array_equal(one, made.table[tokens]) for one, tokens in zip(found, sequences, strict=True))
    ids, mask = text_release.padded(sequences)
    assert ids.shape == mask.shape == (4, 4)
    assert mask.sum(1).tolist() == [3, 1, 2, 4]


def test_answers_are_those_of_the_model() -> None:
    embed, rest, words = classifier()
    (found,) = plain_shield(classifier()).answers(["w1 w2"])
    with torch.no_grad():
        wanted = rest(embed(torch.tensor([words.encode("w1 w2")])))[0]
    assert torch.allclose(torch.from_numpy(found), wanted, atol=1e-6)
