"""The power of the falsifier is measured, on mechanisms whose epsilon is known."""

import json

import numpy as np
import pytest

from privet.artifact._risk_estimate import RiskEstimate, Verdict
from privet.artifact._test_power import Planted, Power
from privet.attacks._attack_registry import Case
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.dp_audit import Neighbours
from privet.attacks.dp_audit import _falsifier_power as planted
from privet.attacks.dp_audit._falsifier import falsifier
from privet.guarantee._promise_registry import PureDP

GRID = 2.0**20


def noisy(n: int, width: int, answer: float, seed: int) -> np.ndarray:
    draw = np.random.default_rng(seed)
    return np.rint((answer + draw.laplace(0, 2 * width, (n, width))) * GRID) / GRID


@pytest.mark.parametrize("kind", planted._KINDS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 5.0])
def test_what_is_planted_has_the_epsilon_that_is_said(kind: str, epsilon: float) -> None:
    outputs = np.random.default_rng(1).laplace(0, 1, (4_000, 3))
    made = planted._KINDS[kind](planted._Recorded.of(outputs), epsilon, repeatable_generator(1))
    assert made is not None
    assert made[0].sum() == pytest.approx(1)
    assert made[1].sum() == pytest.approx(1)
    assert planted.planted_epsilon(made) == pytest.approx(epsilon, rel=0.02)


def test_nothing_is_planted_where_nothing_varies() -> None:
    trial = planted.PlantedTrial(lambda *_: True, 1.0, 100, 2)
    assert planted.measured(np.full((200, 2), np.nan), trial) is None
    assert planted.measured(np.full((200, 1), 3.0), trial) is None


def test_a_test_that_always_and_one_that_never_accuses() -> None:
    outputs = np.arange(1_000.0)[:, None]
    always, never = (
        planted.measured(outputs, planted.PlantedTrial(lambda *_, said=said: said, 1.0, 100, 4))
        for said in (True, False)
    )
    assert always is not None
    assert never is not None
    assert always.finds_something
    assert not never.finds_something
    assert min(one.size for one in always.planted) == pytest.approx(1.25)  # it went down to the smallest
    assert max(one.size for one in never.planted) == pytest.approx(5)  # and up to the largest
    assert {one.found for one in never.planted} == {0}
    assert "not found up to epsilon 5 (0 of 3 times)" in never.sentence()


def test_the_power_stands_beside_the_verdict_and_in_the_record() -> None:
    target = Neighbours(lambda n: noisy(n, 2, 1, 1), lambda n: noisy(n, 2, 0, 2))
    found = falsifier(target, Case(promise=PureDP(1), settings={"draws": 10_000, "plants": 3}))
    assert found.verdict is not Verdict.CONTRADICTS
    assert found.power is not None
    kinds = {one.kind for one in found.power.planted}
    assert kinds == set(planted._KINDS) - {
        "through the last bit of one output"
    }  # these outputs lie on a grid
    assert any(one.reliably and one.size <= 2 for one in found.power.planted)
    assert "Test power, measured on planted mechanisms" in found.sentence()
    again = RiskEstimate.from_json(json.loads(json.dumps(found.to_json())))
    assert again.power == found.power


def test_without_plants_it_is_said_that_nothing_was_measured() -> None:
    target = Neighbours(lambda n: noisy(n, 1, 1, 1), lambda n: noisy(n, 1, 0, 2))
    found = falsifier(target, Case(promise=PureDP(1), settings={"draws": 2_000, "plants": 0}))
    assert found.power is None
    assert found.sentence().endswith("Test power: not measured.")


def test_a_test_that_finds_nothing_planted_is_inconclusive() -> None:
    """A hundred draws find no leak of half an epsilon above the claim: being silent, they say nothing."""
    target = Neighbours(lambda n: noisy(n, 1, 1, 1), lambda n: noisy(n, 1, 0, 2))
    found = falsifier(target, Case(promise=PureDP(2), settings={"draws": 110, "plants": 3}))
    assert found.power is not None
    assert not found.power.finds_something
    assert found.verdict is Verdict.INCONCLUSIVE


def test_words() -> None:
    power = Power(
        "planted leaks",
        "epsilon",
        (Planted("A", 2.0, 9, 10), Planted("A", 1.5, 4, 10), Planted("b", 2.0, 0, 3)),
    )
    assert power.sentence() == (
        "Test power, measured on planted leaks. A: epsilon 2 was found 9 of 10 times; "
        "b: not found up to epsilon 2 (0 of 3 times)."
    )
