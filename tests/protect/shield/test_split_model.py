"""A model in two parts: the parts together answer as the whole, and it is afterwards as it was."""

import pytest
import torch
from tests.protect.shield.small_models import VOCABULARY, WIDTH, causal, classifier

from privet.errors import BadShield
from privet.protect.shield import split_model
from privet.protect.shield._split_model import as_given, as_sequence, frozen, typical_size


def test_a_causal_network_answers_the_same_through_its_parts() -> None:
    network, _ = causal()
    split, ids = split_model(causal()), torch.tensor([[1, 5, 7]])
    found, hidden = split.rest(split.embed(ids), torch.ones(1, 3), 1)
    assert torch.allclose(found, network(ids).logits, atol=1e-5)
    assert hidden is not None
    assert split.table.shape == (VOCABULARY, WIDTH)
    assert split.rest(split.embed(ids), None, None)[1] is None


def test_a_folder_of_transformers_is_split(tmp_path) -> None:
    from tests.attacks.memorization.tiny_models import network, save

    save(network(), tmp_path / "model")
    split = split_model(tmp_path / "model")
    assert split.vocabulary == 256
    assert split.token_text(split.tokens("fever")[0]) == "f"


def test_what_cannot_be_split_is_refused(tmp_path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{}")
    embed, rest, words = classifier()
    for wrong in (
        3,
        (embed,),
        (embed, 4),
        (rest, words),
        (rest, rest, words),
        tmp_path / "empty",
        tmp_path / "broken",
    ):
        with pytest.raises(BadShield):
            split_model(wrong)


def test_the_fingerprint_changes_with_a_weight() -> None:
    embed, rest, words = classifier()
    other = torch.nn.Embedding.from_pretrained(embed.weight.detach().clone(), freeze=False)
    same = split_model((other, rest, words)).fingerprint
    assert same == split_model((embed, rest, words)).fingerprint
    with torch.no_grad():
        other.weight[3, 3] += 1
    assert split_model((other, rest, words)).fingerprint != same


def test_a_frozen_model_asks_for_no_gradients_and_is_then_as_it_was() -> None:
    network, _ = causal()
    network.train()
    next(network.parameters()).requires_grad_(requires_grad=False)
    before = [one.requires_grad for one in network.parameters()]
    with frozen(split_model(causal())):
        assert not network.training
        assert not any(one.requires_grad for one in network.parameters())
    assert network.training
    assert [one.requires_grad for one in network.parameters()] == before
    next(network.parameters()).requires_grad_(requires_grad=True)
    network.eval()


@pytest.mark.parametrize("shape", [(3, 5), (3, 4, 5), (3, 5, 2, 4)])
def test_shapes_come_back(shape) -> None:
    given = torch.arange(float(torch.Size(shape).numel())).reshape(shape)
    rows = as_sequence(given)
    assert rows.shape[-1] == 5
    assert torch.equal(as_given(rows, shape), given)


def test_embeddings_without_a_size_are_refused() -> None:
    with pytest.raises(BadShield):
        typical_size(torch.zeros(3, 3))
    with pytest.raises(BadShield):
        as_sequence(torch.zeros(3))
