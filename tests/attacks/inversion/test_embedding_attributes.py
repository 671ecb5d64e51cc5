"""Attributes: told from words that are readable, and not from what holds nothing."""

import pytest
from tests.attacks.inversion.toy_shields import ToyShield, corpus

from privet.attacks._attack_registry import Case
from privet.attacks.inversion._embedding_attributes import attribute
from privet.errors import BadAttack

TEXTS = corpus(160, 1, words=3)
SEX = ["f" if int(one.split()[0][1:]) < 30 else "m" for one in TEXTS]
TEXTS = [f"{one} n{3 if sex == 'f' else 33} n5" for one, sex in zip(TEXTS, SEX, strict=True)]
CASE = Case(settings={"corpus": TEXTS, "attribute": SEX, "steps": 40})


def test_an_attribute_that_words_tell_is_told() -> None:
    found = attribute(ToyShield(turned=True), CASE)
    assert found.success.value > found.baseline + 0.1
    assert found.details["plain"] > found.baseline


def test_what_holds_nothing_tells_nothing() -> None:
    assert not attribute(ToyShield(deviation=1.0, kept=0.0), CASE).beats_baseline


@pytest.mark.parametrize("wrong", [SEX[:-1], ["f"] * 160])
def test_labels_that_do_not_fit_are_refused(wrong) -> None:
    with pytest.raises(BadAttack):
        attribute(ToyShield(), Case(settings={**CASE.settings, "attribute": wrong}))
