"""One answer each: loss, confidence and entropy."""

import numpy as np
import pytest
from tests.attacks.models.games import game

from privet.attacks._attack_registry import Case
from privet.attacks.models._threshold_attacks import confidence_threshold, entropy_threshold, loss_threshold


def test_members_that_are_answered_surely_are_found() -> None:
    _, target, case = game(np.repeat([3.0, 0.5], [20, 20]), 20)
    for attack in (loss_threshold, confidence_threshold, entropy_threshold):
        assert attack(target, case).success.value == pytest.approx(1)


def test_only_loss_and_informed_entropy_know_that_an_answer_is_wrong() -> None:
    """Members are surely right, others as surely wrong: confidence alone cannot tell."""
    _, target, case = game(np.repeat([3.0, -3.0], [20, 20]), 20)
    assert loss_threshold(target, case).success.value == pytest.approx(1)
    assert entropy_threshold(target, case).success.value == pytest.approx(1)
    assert confidence_threshold(target, case).success.value == pytest.approx(0.5)


def test_without_labels_entropy_is_plain_and_the_adversary_knows_less() -> None:
    _, target, case = game(np.repeat([3.0, -3.0], [20, 20]), 20)
    blind = Case(members=case.members[0], control=case.control[0])
    assert entropy_threshold(target, blind).success.value == pytest.approx(0.5)
    assert loss_threshold(target, blind).adversary.knows == ("a record",)
    assert loss_threshold(target, case).adversary.knows == ("a record", "its label")
