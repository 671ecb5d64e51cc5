"""A secret column from counts over subsets: exact counts give it away, noise does not."""

import numpy as np
import pytest
from tests.attacks.statistics.secrets import KNOWN, setting

from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.statistics import Answered, reconstruct
from privet.errors import BadAttack
from privet.guarantee._promise_registry import PureDP


def test_exact_counts_give_the_whole_column_away() -> None:
    truth, asked = setting()
    found = KNOWN["reconstruction"](Answered(asked, asked @ truth.astype(float)), Case(members=truth))
    assert found.success.value == pytest.approx(1)
    assert found.beats_baseline


def test_a_little_error_does_not_help() -> None:
    truth, asked = setting(2)
    off = np.random.default_rng(3).integers(-1, 2, len(asked))
    found = KNOWN["reconstruction"](Answered(asked, asked @ truth.astype(float) + off), Case(members=truth))
    assert found.success.value == pytest.approx(1)


def test_a_total_epsilon_of_one_leaves_chance() -> None:
    """Every question gets its share of epsilon 1; the answers then tell next to nothing."""
    truth, asked = setting(4)
    noise = np.random.default_rng(5).laplace(0, len(asked), len(asked))
    case = Case(members=truth, promise=PureDP(1))
    found = KNOWN["reconstruction"](Answered(asked, asked @ truth.astype(float) + noise), case)
    assert found.success.low < 0.55
    assert found.verdict in {Verdict.WITHIN, Verdict.EDGE}


def test_a_claim_that_is_not_kept_is_contradicted() -> None:
    truth, asked = setting(6)
    case = Case(members=truth, promise=PureDP("0.5"))
    found = KNOWN["reconstruction"](Answered(asked, asked @ truth.astype(float)), case)
    assert found.verdict is Verdict.CONTRADICTS


def test_three_people_and_three_questions_by_hand() -> None:
    """Both of the first two: 1. The last two: 1. All: 2. Only 1, 0, 1 fits."""
    asked = np.array([[1, 1, 0], [0, 1, 1], [1, 1, 1]], bool)
    assert reconstruct(Answered(asked, np.array([1.0, 1.0, 2.0]))) == pytest.approx([1, 0, 1])


def test_answers_beyond_what_can_be_are_fitted_as_well_as_may_be() -> None:
    assert reconstruct(Answered(np.array([[True]]), np.array([5.0]))) == pytest.approx([1])
    with pytest.raises(BadAttack, match="no question was answered"):
        reconstruct(Answered(np.array([[True]]), np.array([np.nan])))
