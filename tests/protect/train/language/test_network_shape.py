"""Shapes: by name or by numbers, tied, without chance of their own; folders that hold no causal model are refused."""

import json

import pytest
import torch
from tests.protect.train.gradients.models import seeded

from privet.errors import BadTraining
from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients.clipping import Bookkeeping, ClippingRule
from privet.protect.train.language._network_shape import (
    SIZES,
    NetworkShape,
    adapted,
    fresh_network,
    is_shape_name,
    public_network,
)

FAMILIES = ("llama", "gemma", "gpt2")


def small(family):
    return fresh_network(NetworkShape(family, 2, 16, 2), 29, 12, 28, 0)


def test_names_say_sizes() -> None:
    assert NetworkShape.named("gemma") == NetworkShape("gemma", *SIZES["tiny"])
    assert NetworkShape.named("gpt2-small") == NetworkShape("gpt2", 4, 128, 4)
    assert NetworkShape.named("llama-3x96") == NetworkShape("llama", 3, 96, 3)
    assert not is_shape_name("./llama")
    assert not is_shape_name("models/gemma-2b")


@pytest.mark.parametrize("name", ["llama-huge", "llama-4", "llama-0x64", "gemma-4x", "gpt2-", "bert"])
def test_an_unknown_size_is_refused_with_those_there_are(name) -> None:
    with pytest.raises(BadTraining, match="no shape") as found:
        NetworkShape.named(name)
    assert "tiny" in found.value.hint


@pytest.mark.parametrize("numbers", [(0, 64, 4), (2, 63, 4), (2, 64, 0)])
def test_impossible_sizes_are_refused(numbers) -> None:
    with pytest.raises(BadTraining):
        NetworkShape("llama", *numbers)


@pytest.mark.parametrize("family", FAMILIES)
def test_embeddings_are_tied_and_weights_follow_from_the_seed(family) -> None:
    before = torch.random.get_rng_state()
    one, other = small(family), small(family)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert one.get_input_embeddings().weight is one.get_output_embeddings().weight
    assert all(torch.equal(x, y) for x, y in zip(one.parameters(), other.parameters(), strict=True))
    assert not one.training


@pytest.mark.parametrize("family", [*FAMILIES, "lora"])
def test_clipped_sums_are_those_of_single_examples(family) -> None:
    """To 1e-5, with one example that is far too large, for every kind of network that is offered."""
    network = seeded(lambda: adapted(small("llama"), 2, 0) if family == "lora" else small(family))
    weights = {name: one for name, one in network.named_parameters() if one.requires_grad}
    torch.manual_seed(1)
    ids = torch.randint(0, 28, (5, 12))
    targets = ids.clone()
    targets[2, 5:] = -100
    batch, objective = Batch({"input_ids": ids}, targets, 5), Objective.of("language")
    rule = ClippingRule(0.05)
    found = Bookkeeping(network, weights, objective).clipped_sum(batch, rule)
    wanted = {name: torch.zeros_like(one) for name, one in weights.items()}
    for at in range(5):
        alone = objective.losses(network, batch.alone(at)).sum()
        gradients = torch.autograd.grad(alone, list(weights.values()), allow_unused=True)
        norm = sum(float(one.pow(2).sum()) for one in gradients if one is not None) ** 0.5
        for name, one in zip(weights, gradients, strict=True):
            if one is not None:
                wanted[name] += one * min(1.0, 0.05 / norm)
    for name, one in wanted.items():
        assert torch.allclose(found.sums[name], one, rtol=1e-4, atol=1e-5 * 0.05), name


def test_adapters_alone_are_trained() -> None:
    network = adapted(small("gpt2"), 2, 0)
    assert {"lora" in name for name, one in network.named_parameters() if one.requires_grad} == {True}
    with torch.no_grad():
        ids = torch.arange(10)[None]
        assert torch.allclose(network(ids).logits, small("gpt2")(ids).logits, atol=1e-6)


def test_folders_that_are_no_causal_model_are_refused(tmp_path) -> None:
    with pytest.raises(BadTraining, match="no folder"):
        public_network(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no such thing"}))
    with pytest.raises(BadTraining, match="cannot be read"):
        public_network(tmp_path)


def test_a_folder_that_lacks_weights_is_refused_instead_of_made_up(tmp_path) -> None:
    from safetensors.torch import load_file, save_file

    small("gpt2").save_pretrained(tmp_path)
    assert public_network(tmp_path).config.n_layer == 2
    place = tmp_path / "model.safetensors"
    kept = {name: one for name, one in load_file(place).items() if "h.1" not in name}
    save_file(kept, place, metadata={"format": "pt"})
    with pytest.raises(BadTraining, match="lacks weights"):
        public_network(tmp_path)
