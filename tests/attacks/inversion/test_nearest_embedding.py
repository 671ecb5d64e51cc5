"""The nearest token: all of plain embeddings, most under a little noise, chance of what holds nothing."""

import pytest
from tests.attacks.inversion.toy_shields import VOCABULARY, ToyShield, corpus

from privet.attacks._attack_registry import Case
from privet.attacks.inversion._nearest_embedding import nearest_cosine, nearest_l2

CASE = Case(auxiliary=corpus(40, 2), settings={"corpus": corpus(60, 1)})


@pytest.mark.parametrize("attack", [nearest_l2, nearest_cosine])
def test_plain_embeddings_are_read_and_a_secret_turn_is_not(attack) -> None:
    plain = attack(ToyShield(), CASE)
    assert plain.success.value == pytest.approx(1)
    assert plain.details["worked"]
    turned = attack(ToyShield(turned=True), CASE)
    assert turned.success.value < 0.2
    among = turned.details["among"]
    assert among["1"] == pytest.approx(turned.success.value)
    assert among["1"] <= among["10"] <= among["100"] == pytest.approx(1)


def test_what_holds_nothing_is_read_by_chance() -> None:
    """480 tokens at 1 / 60: more than 40 right ones have a chance below 1e-13."""
    found = nearest_l2(ToyShield(deviation=1.0, kept=0.0), CASE)
    assert found.success.value * 480 <= 40
    assert VOCABULARY == 60
