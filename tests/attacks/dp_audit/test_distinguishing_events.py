"""The pair of thresholds that tells two inputs apart best."""

import numpy as np
import pytest

from privet.attacks.dp_audit._distinguishing_events import _at_least, _cuts, chosen
from privet.attacks.dp_audit._output_scores import OutputView


def view(name: str, family: str, sign: float = 1.0) -> OutputView:
    return OutputView(family, name, lambda rows: sign * rows[:, 0])


def picked(a, b, views=None, most: int = 4, delta: float = 0.0):
    sides = [np.asarray(side, float)[:, None] for side in (a, b)]
    return chosen(views or [view("x", "f")], *sides, delta=delta, alarm=1e-3, draws=len(sides[0]), most=most)


def test_cuts_lie_between_values_and_the_outermost_let_nobody_pass() -> None:
    assert _cuts(np.array([1.0, 3.0, 3.0, np.nan])) == pytest.approx([-np.inf, 2.0, np.inf])
    assert _cuts(np.array([np.nan])) == pytest.approx([-np.inf, np.inf])
    assert len(_cuts(np.random.default_rng(1).normal(size=5_000))) < 125


def test_how_many_lie_at_or_above() -> None:
    found = _at_least(np.array([1.0, 2.0, np.nan, 3.0]), np.array([-np.inf, 2.0, np.inf]))
    assert found == pytest.approx([3, 2, 0])


def test_sides_that_lie_apart_are_guessed_right_either_way_round() -> None:
    here, there = np.full(300, 5.0), np.full(300, -5.0)
    for a, b, sign in ((here, there, 1), (there, here, -1)):
        (event,) = picked(a, b)
        assert event.guess(np.array([[9.0], [-9.0], [np.nan]])).tolist() == [sign, -sign, 0]


def test_an_output_in_the_middle_that_says_nothing_is_not_guessed_on() -> None:
    """Rare certain outputs at both ends, and a crowd that is the same on both inputs."""
    crowd = np.zeros(5_000)
    (event,) = picked(
        np.concatenate([crowd, np.full(2_000, 9.0)]), np.concatenate([crowd, np.full(2_000, -9.0)])
    )
    assert event.guess(np.array([[9.0], [0.0], [-9.0]])).tolist() == [1, 0, -1]


def test_the_best_of_each_family_and_none_far_behind() -> None:
    draw = np.random.default_rng(3)
    a, b = draw.normal(3, 1, 400), draw.normal(0, 1, 400)
    blind = OutputView("blind", "nothing", lambda rows: np.zeros(len(rows)))
    found = picked(a, b, [view("x", "f"), view("-x", "f", -1.0), blind])
    assert [event.view.family for event in found] == ["f"]
    assert len(picked(a, b, [view("x", "f"), view("y", "g")], most=1)) == 1


def test_what_delta_allows_is_worth_nothing() -> None:
    """Two in ten only here: worth much without a delta, next to nothing with a larger one."""
    a, b = np.repeat([1.0, 0.0], [2_000, 8_000]), np.zeros(10_000)
    assert picked(a, b)[0].worth > 0.5
    assert picked(a, b, delta=0.3)[0].worth < 0.2
