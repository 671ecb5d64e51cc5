"""Questions with their answers, refused ones included."""

import numpy as np
import pytest
from tests.attacks.statistics.secrets import KNOWN, PEOPLE, setting

from privet.attacks._attack_registry import Case
from privet.attacks.statistics import Answered, ask
from privet.attacks.statistics._released_counts import secrets_of
from privet.errors import BadAttack


def test_refused_answers_are_left_out_and_shapes_are_checked() -> None:
    truth, asked = setting(13)
    answered = ask(lambda mask: None if mask[0] else float(truth[mask].sum()), asked)
    assert np.isnan(answered.answers).any()
    found = KNOWN["reconstruction"](answered, Case(members=truth))
    assert found.success.value >= (PEOPLE - 1) / PEOPLE
    with pytest.raises(BadAttack, match="shapes"):
        Answered(asked, np.zeros(3))
    with pytest.raises(BadAttack, match="yes or no"):
        KNOWN["reconstruction"](answered, Case(members=np.arange(PEOPLE)))


def test_the_truth_is_one_yes_or_no_each() -> None:
    assert secrets_of([0, 1, 1], 3).tolist() == [False, True, True]
    for wrong in ([0, 1], [0, 2, 1], [[0], [1], [1]]):
        with pytest.raises(BadAttack, match="3 people"):
            secrets_of(wrong, 3)


def test_questions_are_put_one_by_one() -> None:
    asked = np.array([[1, 0, 1], [0, 0, 0]], bool)
    found = ask(lambda mask: None if not mask.any() else float(mask.sum()), asked)
    assert found.people == 3
    assert found.answers[0] == 2
    assert np.isnan(found.answers[1])
