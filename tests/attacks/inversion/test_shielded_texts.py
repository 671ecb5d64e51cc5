"""Who holds what: half the corpus is learned from where nothing else is given, and no text stands on both sides."""

import pandas as pd
import pytest
from tests.attacks.inversion.toy_shields import NAMES, ToyShield, corpus

from privet.attacks._attack_registry import Case
from privet.attacks.inversion import is_shield
from privet.attacks.inversion._shielded_texts import shielded_texts
from privet.errors import BadAttack

TEXTS = corpus(40, 1)


def test_a_shield_is_known_by_what_it_does() -> None:
    assert is_shield(ToyShield())
    assert not any(map(is_shield, (ToyShield, "text", pd.DataFrame({"name": [1]}), None)))


def test_half_the_corpus_is_learned_from() -> None:
    found = shielded_texts(ToyShield(), Case(settings={"corpus": [*TEXTS, *TEXTS]}))
    known = {tuple(one) for one in found.known}
    assert not known & {tuple(one) for one in found.wanted}
    assert len(found.known) == 40
    assert 0 < len(found.wanted) < 40


def test_other_texts_leave_the_whole_corpus_to_be_attacked() -> None:
    case = Case(auxiliary=corpus(30, 2), settings={"corpus": TEXTS, "guessed": corpus(5, 3), "names": NAMES})
    found = shielded_texts(ToyShield(), case)
    assert len(found.wanted) == 40
    assert len(found.known) == 30
    assert len(found.guessed) == 5
    assert (52, 53) in found.names
    assert found.guess() != 0


def test_too_few_texts_are_refused() -> None:
    with pytest.raises(BadAttack, match="too few"):
        shielded_texts(ToyShield(), Case(settings={"corpus": TEXTS[:3]}))


def test_long_texts_are_cut_and_it_is_said() -> None:
    long = [" ".join(["n1"] * 100 + [one]) for one in TEXTS]
    found = shielded_texts(ToyShield(), Case(auxiliary=TEXTS, settings={"corpus": long}))
    assert max(map(len, found.wanted)) == 64
    assert any("cut to 64" in said for said in found.notes())
