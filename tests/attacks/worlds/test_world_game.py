"""Who may play: whatever has worlds, people, a promise and releases; with the real mechanism or without."""

import pytest
from tests.attacks.worlds.noisy_worlds import NoisyWorlds
from tests.protect.pac.people import book, means, people

import privet as pv
from privet.attacks.worlds import WorldGame
from privet.errors import BadAttack

FEW = {"draws": 40, "repeats": 2, "steps": 2}


def test_a_game_is_known_by_what_it_offers() -> None:
    assert isinstance(NoisyWorlds("1/16"), WorldGame)
    assert not isinstance(people(), WorldGame)


def test_all_attacks_on_worlds_are_tried_with_the_bound_beside() -> None:
    found = pv.attack(NoisyWorlds("1/16"), **FEW)
    assert {one.attack for one in found} == {
        "world-adaptive",
        "world-averaging",
        "world-identification",
        "world-membership",
        "world-noise-scale",
    }
    assert all(one.bound is not None for one in found if one.attack != "world-noise-scale")
    assert all(one.promise == pv.PacPrivacy("1/16") for one in found)


def test_an_output_alone_is_refused_with_a_hint() -> None:
    asked = people().apply(means, ["age"])
    answer = pv.release(asked, pv.PacPrivacy("1/16"), ledger=book(), why="a test", worlds=16)
    with pytest.raises(BadAttack, match="other halves") as refused:
        pv.attack(answer)
    assert "pac_trials" in refused.value.hint
