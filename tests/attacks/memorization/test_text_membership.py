"""Membership of texts: found in a model that knows them by heart, and not in one that never saw them."""

import numpy as np
import pytest
from tests.attacks.memorization.tiny_models import CONTROL, MEMBERS, notes, parrot

from privet.artifact import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.memorization import text_membership
from privet.attacks.memorization._causal_model import CausalModel
from privet.errors import BadAttack, NoPower
from privet.guarantee import ApproxDP

PROMISE = ApproxDP("0.5", 1e-6)
WITHOUT_SHADOWS = (text_membership.text_loss, text_membership.text_min_k, text_membership.text_zlib)


def case(**settings: object) -> Case:
    return Case(members=MEMBERS, control=CONTROL, promise=PROMISE, settings=settings)


@pytest.mark.parametrize("attack", WITHOUT_SHADOWS)
def test_what_is_known_by_heart_is_found(attack) -> None:
    found = attack(parrot(MEMBERS), case())
    assert found.success.value > 0.999
    assert found.verdict is Verdict.CONTRADICTS
    assert set(found.details["true positives"]) == {"0.1 %", "1 %"}
    missed = attack(parrot([]), case())
    assert not missed.found_something
    assert missed.verdict is not Verdict.CONTRADICTS


def test_a_reference_model_is_subtracted() -> None:
    both = [*MEMBERS, *CONTROL]
    found = text_membership.text_reference(parrot(both), case(reference=parrot(CONTROL)))
    assert found.success.value > 0.999
    assert found.cost.models == 1
    same = text_membership.text_reference(parrot(both), case(reference=parrot(both)))
    assert same.success.value == pytest.approx(0.5)


def test_lira_reads_shadows_that_were_trained_on_halves() -> None:
    seen = []

    def recipe(texts: list[str], seed: int) -> CausalModel:
        seen.append((len(texts), seed))
        return parrot(texts)

    found = text_membership.text_lira(parrot(MEMBERS), case(recipe=recipe, shadows=4))
    assert [many for many, _ in seen] == [40] * 4
    assert found.success.value > 0.999
    assert found.cost.models == 4


def test_repeated_texts_are_left_out_on_both_sides() -> None:
    mixed = Case(members=[*MEMBERS, MEMBERS[0]], control=[*CONTROL, MEMBERS[1]], promise=PROMISE)
    game = text_membership.text_game(parrot([]), mixed)
    assert game.members == len(MEMBERS) - 2
    assert len(game.texts) == len(MEMBERS) - 2 + len(CONTROL)
    assert "4 texts" in game.notes[0]


def test_texts_of_several_sequences_are_held_against_as_many_units() -> None:
    model = parrot(MEMBERS)
    short = CausalModel(model.network, model.tokenizer, sequence=20)
    found = text_membership.text_loss(short, case())
    assert found.bound > text_membership.text_loss(model, case()).bound
    assert any("sequences" in note for note in found.notes)


def test_an_unfair_control_says_nothing() -> None:
    other = [f"today {one}" for one in notes(150, 9)]
    found = text_membership.text_loss(parrot([]), Case(members=notes(150, 8), control=other, promise=PROMISE))
    assert found.unfair
    assert found.verdict is Verdict.INCONCLUSIVE


def test_too_little_is_refused() -> None:
    with pytest.raises(NoPower):
        text_membership.text_loss(parrot([]), Case(members=MEMBERS[:3], control=CONTROL))
    with pytest.raises(BadAttack):
        text_membership.text_min_k(parrot([]), case(share=2.0))
    few = text_membership.text_game(parrot([]), case(windows=12))
    assert (few.members, len(few.texts)) == (12, 24)
    assert np.unique(few.texts).size == 24
