"""Learned readers: they see through what fools the nearest token, and averages tell more than one send."""

import pytest
from tests.attacks.inversion.toy_shields import ToyShield, corpus

from privet.attacks._attack_registry import Case
from privet.attacks.inversion._learned_inverter import averaging, inverter_mlp, inverter_transformer
from privet.errors import BadAttack

CASE = Case(
    auxiliary=corpus(150, 2), settings={"corpus": corpus(40, 1), "steps": 60, "pairs": (0.5,), "sends": 8}
)


@pytest.mark.parametrize("attack", [inverter_mlp, inverter_transformer])
def test_a_secret_turn_is_read(attack) -> None:
    found = attack(ToyShield(turned=True), CASE)
    assert found.success.low > 0.5
    if attack is inverter_mlp:
        (row,) = found.details["by pairs"]
        assert row["share"] == pytest.approx(0.5)


def test_an_average_tells_more_than_one_send() -> None:
    once = inverter_mlp(ToyShield(deviation=2.0), CASE)
    often = averaging(ToyShield(deviation=2.0), CASE)
    assert often.success.value > once.success.value + 0.2
    assert often.details["sends"] == 8


def test_a_reader_that_cannot_learn_says_so() -> None:
    found = inverter_mlp(
        ToyShield(), Case(auxiliary=corpus(10, 2), settings={**CASE.settings, "steps": 1, "pairs": ()})
    )
    assert not found.details["worked"]


def test_guessed_texts_are_learned_from_last() -> None:
    case = Case(auxiliary=corpus(40, 2), settings={**CASE.settings, "guessed": corpus(40, 5), "pairs": ()})
    assert inverter_mlp(ToyShield(turned=True), case).success.value > 0.3


def test_shares_that_are_none_are_refused() -> None:
    with pytest.raises(BadAttack):
        inverter_mlp(ToyShield(), Case(auxiliary=CASE.auxiliary, settings={**CASE.settings, "pairs": (2.0,)}))
