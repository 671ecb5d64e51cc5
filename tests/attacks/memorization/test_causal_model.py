"""A language model as attacks see it: probabilities as the network gives them, greedy continuations, folders without code."""

import json

import numpy as np
import pytest
import torch
from tests.attacks.memorization.tiny_models import ByteTokenizer, network, parrot, save

from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.memorization._causal_model import (
    CausalModel,
    causal_model,
    is_language_folder,
    is_language_model,
)
from privet.errors import BadAttack


def test_log_probabilities_are_the_networks_own_whatever_the_padding() -> None:
    made = CausalModel(network(), ByteTokenizer())
    sequences = [list(b"the patient slept"), list(b"a"), list(b"ward three"), []]
    found = made.log_probabilities(sequences)
    assert [len(one) for one in found] == [16, 0, 9, 0]
    for tokens, values in zip(sequences, found, strict=True):
        if len(tokens) < 2:
            continue
        with torch.no_grad():
            logits = made.network(torch.tensor([tokens])).logits[0, :-1]
        true = torch.log_softmax(logits, -1)[range(len(tokens) - 1), tokens[1:]]
        assert np.allclose(values, true.numpy(), atol=1e-4)


def test_continuations_are_the_likeliest_tokens_with_and_without_a_cache() -> None:
    made = network()
    prefixes = np.frombuffer(b"the patient the ward is", np.uint8).astype(np.int64)[:22].reshape(2, 11)
    found = CausalModel(made, ByteTokenizer()).continuations(prefixes, 6)
    given = torch.from_numpy(prefixes)
    for step in range(6):
        with torch.no_grad():
            chosen = made(given).logits[:, -1].argmax(-1)
        assert np.array_equal(found[:, step], chosen.numpy())
        given = torch.cat([given, chosen[:, None]], 1)
    known = parrot(["the patient slept well"])  # no cache: a plain module
    said = known.continuations(np.array([list(b"the patient")], np.int64), 11)
    assert bytes(said[0].tolist()) == b" slept well"


def test_draws_follow_the_probabilities() -> None:
    made = CausalModel(network(), ByteTokenizer())
    prefix = np.array([list(b"the ")], np.int64)
    with torch.no_grad():
        share = torch.softmax(made.network(torch.from_numpy(prefix)).logits[0, -1], -1).numpy()
    count = 4_000
    drawn = made.continuations(np.repeat(prefix, count, axis=0), 1, repeatable_generator(1, "draws"))[:, 0]
    low = share < np.median(share)
    # Half of the tokens; six standard deviations: a false alarm once in five hundred million times.
    expected = share[low].sum()
    assert abs(low[drawn].mean() - expected) < 6 * np.sqrt(expected * (1 - expected) / count)


def test_a_network_is_left_in_the_mode_that_it_was_in() -> None:
    made = network()
    made.train()
    CausalModel(made, ByteTokenizer()).log_probabilities([[1, 2, 3]])
    assert made.training


def test_pairs_and_things_with_parts_are_language_models() -> None:
    pair = (network(), ByteTokenizer())
    assert is_language_model(pair)
    assert not is_language_model(pair[0])
    assert not is_language_model((1, 2))
    assert causal_model(pair).network is pair[0]
    with pytest.raises(BadAttack):
        causal_model(3)


def test_a_folder_of_transformers_is_read_without_code(tmp_path) -> None:
    made = network()
    save(made, tmp_path / "model")
    assert is_language_folder(tmp_path / "model")
    found = causal_model(tmp_path / "model")
    assert found.window == 128
    assert found.text(found.tokens("ward é")) == "ward é"
    tokens = found.tokens("the patient")
    assert tokens == list(b"the patient")
    expected = CausalModel(made, ByteTokenizer()).log_probabilities([tokens])
    assert np.allclose(found.log_probabilities([tokens])[0], expected[0], atol=1e-5)
    (tmp_path / "model" / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(BadAttack, match="cannot be read"):
        causal_model(tmp_path / "model")


def test_a_folder_that_wants_code_of_its_own_is_refused(tmp_path) -> None:
    (tmp_path / "tokenizer_config.json").write_text("{}")
    (tmp_path / "config.json").write_text(
        json.dumps(
            {"model_type": "mine", "auto_map": {"AutoModelForCausalLM": "mine.Mine", "AutoConfig": "mine.C"}}
        )
    )
    (tmp_path / "mine.py").write_text("raise SystemExit('run')")
    with pytest.raises(BadAttack):
        causal_model(tmp_path)
    with pytest.raises(BadAttack, match="no folder"):
        causal_model(tmp_path / "nothing")
