"""Fitting: what is hidden grows with strength, what is kept stays, and an interrupted fit ends where the other one does."""

import pytest
import torch
from tests.protect.shield.small_models import causal, classifier, texts

from privet.errors import BadShield, ForeignShield
from privet.protect.shield import ShieldSettings, fit_shield
from privet.protect.shield import _fit_checkpoint as fit_checkpoint

GIVEN, LABELS = texts(120, seed=1)
SHORT = ShieldSettings(heads=2, steps=60, batch=16)


def test_strength_hides_and_the_task_is_kept() -> None:
    weak, strong = (
        fit_shield(classifier(), GIVEN, task=LABELS, strength=at, settings=SHORT) for at in (0.0, 0.2)
    )
    assert strong.fitted["information"] < weak.fitted["information"] / 5
    new, labels = texts(150, seed=2)
    right = [int(one.argmax()) == label for one, label in zip(strong.answers(new), labels, strict=True)]
    assert sum(right) > 90


def test_a_causal_network_is_kept_by_its_logits_or_hidden_states() -> None:
    few = ShieldSettings(heads=2, steps=3, batch=8)
    for more in ({}, {"utility": "hidden", "layer": 1}):
        made = fit_shield(causal(), GIVEN, strength=0.01, settings=few, **more)
        assert made.embed(GIVEN[0]).shape == (1, 6, 16)
        assert causal()[0].generate(
            inputs_embeds=made.embed(GIVEN[0]), max_new_tokens=2, do_sample=False
        ).shape == (1, 2)


def test_rows_that_are_no_texts() -> None:
    inputs = torch.randn(60, 4, generator=torch.Generator().manual_seed(1))
    pair = torch.nn.Linear(4, 8), torch.nn.Linear(8, 3)
    made = fit_shield(pair, inputs, strength=0.01, settings=ShieldSettings(heads=2, steps=3, batch=8))
    assert made.embed_rows(inputs[:5]).shape == (5, 8)


def test_an_interrupted_fit_ends_where_the_other_one_does(tmp_path, monkeypatch) -> None:
    few = ShieldSettings(heads=2, steps=6, batch=8)
    whole = fit_shield(classifier(), GIVEN, task=LABELS, strength=0.1, settings=few)
    monkeypatch.setattr(fit_checkpoint, "_SECONDS", 0.0)

    class Killed(Exception):
        pass

    def kill(_: str, done: int, __: int) -> None:
        if done == 4:
            raise Killed

    with pytest.raises(Killed):
        fit_shield(
            classifier(),
            GIVEN,
            task=LABELS,
            strength=0.1,
            settings=few,
            checkpoint=tmp_path / "fit",
            progress=kill,
        )
    steps = []
    resumed = fit_shield(
        classifier(), GIVEN, task=LABELS, strength=0.1, settings=few, checkpoint=tmp_path / "fit",
        progress=lambda _, done, __: steps.append(done),
    )  # fmt: skip
    assert steps == [4, 5]
    ours, theirs = whole.transform.state_dict(), resumed.transform.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    with pytest.raises(ForeignShield):
        fit_shield(classifier(), GIVEN, task=LABELS, strength=0.2, settings=few, checkpoint=tmp_path / "fit")


def test_what_cannot_be_fitted_is_refused_with_every_reason() -> None:
    with pytest.raises(BadShield) as caught:
        fit_shield(classifier(), GIVEN[:3], task=LABELS, strength=-1.0, settings=SHORT)
    assert all(said in caught.value.fact for said in ("strength", "fewer than a batch", "120 labels"))
    with pytest.raises(BadShield, match="classifier"):
        fit_shield(causal(), GIVEN, task=LABELS, strength=0.1, settings=SHORT)
