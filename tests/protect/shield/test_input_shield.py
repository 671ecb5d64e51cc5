"""A fitted shield: fresh noise at every call, a stamp on what is not, and a folder that only its own model opens."""

import json
from functools import cache

import pytest
import torch
from tests.protect.shield.small_models import causal, classifier, texts

from privet.errors import BadModel, BadShield, ForeignShield
from privet.protect.shield import InputShield, ShieldSettings, fit_shield, load_shield

GIVEN, LABELS = texts(40, seed=1)


@cache
def shield() -> InputShield:
    settings = ShieldSettings(heads=2, steps=4, batch=8)
    return fit_shield(classifier(), GIVEN, task=LABELS, strength=0.1, settings=settings)


def test_every_call_is_noised_afresh_and_a_seed_is_stamped() -> None:
    assert not torch.equal(shield().embed(GIVEN[0]), shield().embed(GIVEN[0]))
    first, second = (shield().send(GIVEN[0], seed_for_tests=1) for _ in range(2))
    assert torch.equal(first[0], second[0])
    assert not first.private
    assert "protects nobody" in first.stamp()
    assert shield().send(GIVEN[0]).stamp() == "noise: fresh"


def test_the_noise_has_the_learned_size() -> None:
    """Squares of 96 × 300 standardized numbers: within 5 % of 1 but for a chance below 1e-8."""
    tokens = shield().tokens(GIVEN[0])
    ((mean, log_variance),) = shield().moments([tokens])
    sent = torch.stack([shield().embed(GIVEN[0])[0] for _ in range(300)])
    standard = (sent / shield().scale - mean) / torch.exp(log_variance / 2)
    assert float(standard.square().mean()) == pytest.approx(1, rel=0.05)


def test_texts_of_different_lengths_are_no_tensor() -> None:
    with pytest.raises(BadShield, match="lengths"):
        shield().embed(["w1 w2", "w3"])
    assert [len(one) for one in shield().send(["w1 w2", "w3"]).embeddings] == [2, 1]
    for wrong in ([], [3], ""):
        with pytest.raises(BadShield):
            shield().send(wrong)


def test_a_saved_shield_sends_the_same(tmp_path) -> None:
    shield().save(tmp_path / "ward.shield")
    assert {path.name for path in (tmp_path / "ward.shield").iterdir()} == {
        "model.json",
        "model.safetensors",
        "card.md",
    }
    loaded = load_shield(tmp_path / "ward.shield", classifier())
    assert torch.equal(
        loaded.send(GIVEN[0], seed_for_tests=3)[0], shield().send(GIVEN[0], seed_for_tests=3)[0]
    )
    assert loaded.fitted == dict(shield().fitted)
    card = (tmp_path / "ward.shield" / "card.md").read_text()
    assert "no differential privacy" in card
    assert "patents" in card


def test_another_model_or_a_changed_folder_is_refused(tmp_path) -> None:
    place = shield().save(tmp_path / "ward.shield")
    with pytest.raises(ForeignShield):
        load_shield(place, causal())
    with pytest.raises(ForeignShield):
        shield().attached(causal())
    assert shield().attached(classifier()) is shield()
    record = json.loads((place / "model.json").read_text())
    record["scale"] = 3.0
    (place / "model.json").write_text(json.dumps(record))
    with pytest.raises(BadModel):
        load_shield(place, classifier())


def test_information_is_told_as_an_estimate() -> None:
    found = shield().information(GIVEN[:10])
    assert found.text == pytest.approx(6 * found.each)
    assert "not a promise" in found.sentence(0.1)
