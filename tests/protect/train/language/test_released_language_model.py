"""A released language model: transformers reads what was saved, and what was changed, forged or added is refused."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from tests.evidence.keys import signing
from tests.protect.train.language.small_runs import once

import privet as pv
from privet.artifact import LANGUAGE, kind_of_model, verified_record
from privet.artifact._signed_files import record_digest
from privet.errors import BadModel, PrivetError
from privet.protect.train.language import ReleasedLanguageModel


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return once().save(tmp_path_factory.mktemp("language") / "model")


@pytest.fixture
def folder(saved, tmp_path):
    return shutil.copytree(saved, tmp_path / "model")


def rewrite(folder, change):
    """The record with something else in it, and a digest that fits."""
    record = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    change(record)
    record.pop("digest")
    record["digest"] = record_digest(record)
    (folder / "model.json").write_text(json.dumps(record), encoding="utf-8")


def test_transformers_loads_the_folder_as_it_is(saved) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    network = AutoModelForCausalLM.from_pretrained(saved)
    tokenizer = AutoTokenizer.from_pretrained(saved)
    ids = torch.tensor([tokenizer.encode("The ward, Ärztin")])
    assert tokenizer.decode(ids[0]) == "The ward, Ärztin"
    assert torch.equal(network(ids).logits, once().network(ids).logits)


def test_a_notebook_shows_what_it_is_and_what_it_promises(saved) -> None:
    for model in (once(), pv.load_language_model(saved)):
        shown = model._repr_html_()
        assert "Language model" in shown
        assert "<script" not in shown
        assert f"{model.record.weights:,}" in shown
        assert model.receipt.why in shown


def test_what_is_read_back_is_what_was_saved(saved) -> None:
    found = pv.load_language_model(saved)
    assert kind_of_model(saved) == LANGUAGE
    assert found.record.to_json() == once().record.to_json()
    assert found.standing.word == "claimed"
    assert found.card() != once().card()  # it says that nobody signed it
    assert (saved / "card.md").read_text(encoding="utf-8") == once().card()
    assert found.generate("the ward", tokens=8) == once().generate("the ward", tokens=8)
    assert found.promise == pv.ApproxDP(8, 1e-5)


def test_a_signed_folder_is_known_as_signed(tmp_path) -> None:
    place = once().save(tmp_path / "m", signing=signing())
    assert "signature" in json.loads((place / "model.json").read_text())
    verified_record(place)


def test_nothing_of_this_machine_is_in_it(saved) -> None:
    whole = b"".join(one.read_bytes() for one in saved.iterdir())
    assert str(Path.cwd()).encode() not in whole
    assert str(saved.parent).encode() not in whole
    assert {one.name for one in saved.iterdir()} == {
        "card.md", "config.json", "generation_config.json", "model.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json",
    }  # fmt: skip


@pytest.mark.parametrize(
    "name", ["config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json"]
)
@pytest.mark.parametrize("how", ["changed", "gone"])
def test_files_beside_the_weights_are_verified(folder, name, how) -> None:
    place = folder / name
    if how == "gone":
        place.unlink()
    else:
        place.write_bytes(place.read_bytes() + b"\n")
    with pytest.raises(BadModel):
        ReleasedLanguageModel.load(folder)
    with pytest.raises(BadModel):
        verified_record(folder)


def test_changed_weights_are_refused(folder) -> None:
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    for read in (ReleasedLanguageModel.load, verified_record):
        with pytest.raises(BadModel, match="changed"):
            read(folder)


def test_a_file_that_the_record_does_not_name_is_refused(folder) -> None:
    """transformers would read it."""
    (folder / "added_tokens.json").write_text("{}")
    with pytest.raises(BadModel, match="changed"):
        ReleasedLanguageModel.load(folder)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["promise"].update(epsilon="1"),
        lambda record: [
            one["promise"].update(epsilon="1") for one in (record, record["plan"], record["receipt"])
        ],
        lambda record: record.update(sentence="Nobody is at risk."),
        lambda record: record["terms"].update(kind="person"),
        lambda record: record["terms"].update(sequences=1),
        lambda record: record["unit"].update(column="patient_id"),
        lambda record: record["files"].update({"../evil": "0"}),
        lambda record: record.update(numbers=7),
        lambda record: record.pop("terms"),
        lambda record: record.update(artifact="released-network"),
    ],
)
def test_a_forged_record_is_refused_even_where_nothing_is_signed(folder, change) -> None:
    rewrite(folder, change)
    with pytest.raises(PrivetError):
        ReleasedLanguageModel.load(folder)


def test_a_network_that_was_trained_further_is_not_saved(tmp_path) -> None:
    from copy import deepcopy
    from dataclasses import replace

    other = replace(once(), network=deepcopy(once().network))
    with torch.no_grad():
        next(other.network.parameters()).add_(1)
    with pytest.raises(BadModel, match="no longer"):
        other.save(tmp_path / "m")


def test_other_things_are_not_replaced(tmp_path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(PrivetError):
        once().save(tmp_path / "mine")
    place = once().save(tmp_path / "model")
    assert once().save(tmp_path / "model") == place


def test_what_is_drawn_follows_from_the_seed_and_stays_in_the_window() -> None:
    made = once()
    before = torch.random.get_rng_state()
    one = made.generate("the", tokens=5, temperature=1.0, copies=3, seed=4)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert one == made.generate("the", tokens=5, temperature=1.0, copies=3, seed=4)
    assert len(one) == 3
    assert made.generate("the " * 2000, tokens=5)
    assert made.generate("", tokens=100)
    for wrong in ({"tokens": 0}, {"copies": 0}, {"temperature": -1.0}):
        with pytest.raises(BadModel):
            made.generate("the", **wrong)


def test_attacks_read_its_promise_and_do_not_believe_a_changed_folder(folder) -> None:
    from privet.attacks.memorization._causal_model import causal_model

    assert causal_model(folder).promise == pv.ApproxDP(8, 1e-5)
    assert causal_model(folder).sequence is None
    rewrite(folder, lambda record: record["promise"].update(epsilon="1"))
    with pytest.raises(BadModel):
        causal_model(folder)
