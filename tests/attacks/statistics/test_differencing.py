"""What needs no solver: differences, means and trackers."""

import numpy as np
import pytest
from tests.attacks.statistics.secrets import KNOWN, PEOPLE, setting

from privet.attacks._attack_registry import Case
from privet.attacks.statistics import Answered, track
from privet.attacks.statistics._differencing import _means, _neighbours, _pairs
from privet.errors import NoPower


def test_two_counts_that_differ_in_one_person() -> None:
    truth, _ = setting(7)
    asked = np.array([np.arange(PEOPLE) <= i for i in range(PEOPLE)])
    exact = Answered(asked, asked @ truth.astype(float))
    assert KNOWN["differencing"](exact, Case(members=truth)).success.value == pytest.approx(1)
    noise = np.random.default_rng(8).laplace(0, PEOPLE, PEOPLE)
    noisy = KNOWN["differencing"](Answered(asked, exact.answers + noise), Case(members=truth))
    assert noisy.success.low < 0.55


def test_questions_that_never_meet_expose_nobody() -> None:
    truth, asked = setting(9)
    once = Answered(asked[:10], (asked[:10] @ truth.astype(float)))
    with pytest.raises(NoPower, match="differ in one person"):
        KNOWN["differencing"](once, Case(members=truth))
    with pytest.raises(NoPower, match="answered twice"):
        KNOWN["averaging"](once, Case(members=truth))


def test_repeated_answers_average_out_unless_they_are_the_same_answer() -> None:
    truth, asked = setting(10)
    draw = np.random.default_rng(11)
    rows = np.repeat(asked[:5], 400, axis=0)
    exact = rows @ truth.astype(float)
    fresh = KNOWN["averaging"](Answered(rows, exact + draw.laplace(0, 2, len(rows))), Case(members=truth))
    assert fresh.success.value >= 0.8
    stored = KNOWN["averaging"](
        Answered(rows, exact + np.repeat(draw.laplace(0, 2, 5) + 1.5, 400)), Case(members=truth)
    )
    assert stored.success.value <= 0.4


def test_a_limit_on_small_subsets_is_walked_around() -> None:
    truth, _ = setting(12)

    def limited(mask: np.ndarray) -> float | None:
        return float(truth[mask].sum()) if 10 <= mask.sum() <= PEOPLE - 10 else None

    alone = np.zeros(PEOPLE, bool)
    alone[0] = True
    assert limited(alone) is None
    assert track(limited, PEOPLE, 0) == pytest.approx(float(truth[0]))
    found = KNOWN["tracker"](None, Case(members=truth, settings={"oracle": limited}))
    assert found.success.value == pytest.approx(1)
    assert track(lambda mask: None, PEOPLE, 0) is None


@pytest.mark.parametrize("questions", [5, 12, 40])
def test_few_and_many_questions_are_differenced_alike(questions: int) -> None:
    from privet.attacks.statistics._differencing import _means

    rng = np.random.default_rng(questions)
    asked = rng.random((questions, 4)) < 0.6
    means = _means(Answered(asked, rng.random(questions)))
    few, many = _pairs(means), _neighbours(means)
    assert {person: sorted(found) for person, found in few.items()} == {
        person: sorted(found) for person, found in many.items()
    }


def test_means_leave_refusals_out() -> None:
    asked = np.array([[1, 0], [1, 0], [0, 1]], bool)
    found = sorted(value for _, value in _means(Answered(asked, np.array([2.0, 4.0, np.nan]))).values())
    assert found == pytest.approx([3.0])
