"""Errors before anybody is asked: those that collections then have."""

import numpy as np
import pytest
from tests.protect.collect.specifications import ALL, VALUES, collection

import privet as pv
from privet.errors import NoSolution, PrivetError
from privet.mechanism import WordStream
from privet.protect.collect import epsilon_for_error, forecasts


@pytest.mark.parametrize("kind", ["grr", "olh", "hadamard", "piecewise", "hybrid"])
def test_the_forecast_is_the_width_that_comes_out(kind: str) -> None:
    made = collection(kind)
    values = VALUES * 167 if kind in ("grr", "olh", "hadamard") else [0.0] * 2_004
    found = pv.estimate(made.reports_from(values, WordStream.seeded(1)), made).answers[0]
    rare = -1 if len(found.values) > 1 else 0
    width = (found.high[rare] - found.low[rare]) / 2
    said = pv.expected_error(made, 2_004, share=1 / 12) * (2_004 if rare else 1)
    assert said == pytest.approx(width, rel=0.25)


@pytest.mark.parametrize("kind", ALL)
def test_four_times_as_many_people_halve_the_error(kind: str) -> None:
    made = collection(kind)
    assert pv.expected_error(made, 40_000) == pytest.approx(2 * pv.expected_error(made, 160_000), rel=1e-3)
    assert pv.expected_error(made, 10_000, confidence=0.99) > pv.expected_error(made, 10_000)


def test_all_oracles_are_compared_the_best_first() -> None:
    found = forecasts(pv.OneOf(list(range(100))), 1.0, 10_000)
    assert {one.oracle for one in found} >= {
        "grr",
        "sue",
        "oue",
        "olh",
        "flh",
        "subset",
        "hadamard",
        "cms",
        "hcms",
    }
    assert [one.error for one in found] == sorted(one.error for one in found)
    assert found[0].oracle == "subset"
    assert found[0].error == pytest.approx(1.96 * (3.590 / 10_000) ** 0.5, rel=1e-3)
    assert found[0].to_json()["auto"] is True


@pytest.mark.parametrize("question", [pv.OneOf(list(range(50))), pv.NumberIn(0, 60), pv.TextOf(6)])
def test_the_epsilon_for_an_error_reaches_it_and_a_little_less_does_not(question) -> None:
    wanted = 0.5 if isinstance(question, pv.NumberIn) else 0.004
    epsilon = epsilon_for_error(question, 100_000, wanted)
    reached = pv.expected_error(pv.Collection("x", question, pv.LocalDP(epsilon)), 100_000)
    missed = pv.expected_error(pv.Collection("x", question, pv.LocalDP(round(epsilon - 0.01, 3))), 100_000)
    assert reached <= wanted * (1 + 1e-9)
    assert missed > wanted


def test_what_cannot_be_reached_is_said() -> None:
    with pytest.raises(NoSolution):
        epsilon_for_error(pv.OneOf(list(range(50))), 10, 1e-9)
    for wrong in (
        lambda: epsilon_for_error(pv.NumberIn(0, 1), 10, np.nan),
        lambda: pv.expected_error(collection("grr"), 0),
    ):
        with pytest.raises(PrivetError):
            wrong()
