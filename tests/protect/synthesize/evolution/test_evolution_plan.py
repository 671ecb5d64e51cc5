"""The plan of an evolution: noise for the promise and no less, rounds that compose exactly, questions that differ."""

from fractions import Fraction

import pytest

from privet.errors import BadSynthesis, BadUsage, PromiseUnmeetable
from privet.guarantee import (
    ApproxDP,
    Change,
    Person,
    PureDP,
    Row,
    SealedPlan,
    ZeroConcentratedDP,
    epsilon_for,
    zcdp_cost,
)
from privet.protect.synthesize.evolution import EvolutionSettings
from privet.protect.synthesize.evolution._evolution_plan import plan_evolution
from privet.protect.synthesize.evolution._nearest_votes import STEP


def plan(promise, *, accounting="basic", labels=None, shares=None, most=1, unit=None, **settings):
    return plan_evolution(
        promise,
        unit=unit or Row(),
        most=most,
        data="snapshot",
        settings=EvolutionSettings(**settings),
        labels=labels,
        shares=shares,
        accounting=accounting,
        about={},
    )


@pytest.mark.parametrize(
    ("rounds", "delta", "epsilon", "sigma"),
    [
        (10, "1.32e-5", "1.0", 11.60),
        (4, "1.67e-6", "1", 8.238),
        (4, "1.67e-6", "10", 1.064),
        *(
            (10, "2.43e-6", *one)
            for one in (("0.5", 24.27), ("1", 12.78), ("2", 6.77), ("4", 3.64), ("8", 2.00))
        ),
        *(
            (30, "2.43e-6", *one)
            for one in (("0.5", 42.03), ("1", 22.13), ("2", 11.73), ("4", 6.31), ("8", 3.47))
        ),
    ],
)
def test_published_runs_get_the_noise_they_are_known_to_need(rounds, delta, epsilon, sigma) -> None:
    """Noise multipliers of Aug-PE and Sim-PE runs, recomputed on the exact Gaussian curve."""
    made = plan(ApproxDP(epsilon, delta), rounds=rounds)
    assert float(made.sigma) == pytest.approx(sigma, rel=2e-3)
    assert epsilon_for(made.event.event, made.event.delta).epsilon <= float(Fraction(epsilon))


@pytest.mark.parametrize(("labels", "votes", "most"), [(None, 1, 1), (["a", "b"], 1, 10), (["a", "b"], 4, 1)])
def test_the_booking_never_exceeds_the_promise_and_nearly_uses_it_up(labels, votes, most) -> None:
    promise = ApproxDP(1, "1e-6")
    made = plan(promise, labels=labels, votes=votes, most=most, unit=Person("id", max_rows=most))
    assert isinstance(made.event, SealedPlan)
    spent = epsilon_for(made.event.event, promise.delta).epsilon
    assert 0.995 < spent <= 1
    assert max(event.coordinates for event in made.draws) == most * votes
    assert all(event.norm == STEP for event in made.draws)
    assert len(made.draws) == made.settings.rounds + (labels is not None)


@pytest.mark.parametrize("labels", [None, ["a", "b"]])
def test_replacing_a_person_takes_noise_for_two_votes(labels) -> None:
    """Two sides, sqrt(2) apart: twice the squares, so sqrt(2) of the noise at one price."""
    whole = {"accounting": "zcdp", "most": 3, "labels": labels}
    one, two = (
        plan(ZeroConcentratedDP("0.1"), unit=Person("id", max_rows=3, change=change), **whole)
        for change in (Change.ADD_OR_REMOVE, Change.REPLACE)
    )
    assert float(two.sigma / one.sigma) == pytest.approx(2**0.5, rel=1e-3)
    assert zcdp_cost(two.event, change=Change.REPLACE).rho <= Fraction("0.1")
    assert all(event.norm**2 >= 2 * STEP**2 for event in two.draws)
    assert [event.coordinates for event in two.draws] == [2 * event.coordinates for event in one.draws]


def test_bought_shares_take_a_twentieth_of_the_budget() -> None:
    made = plan(ZeroConcentratedDP("0.1"), accounting="zcdp", labels=["a", "b"], rounds=5)
    prices = [float(zcdp_cost(event).rho) for event in made.draws]
    assert prices[0] / sum(prices) == pytest.approx(0.05, rel=1e-3)
    assert sum(prices) == pytest.approx(0.1, rel=1e-3)
    stated = plan(
        ZeroConcentratedDP("0.1"), accounting="zcdp", labels=["a", "b"], shares={"a": 0.5, "b": 0.5}
    )
    assert not stated.buys_shares
    assert made.buys_shares


def test_more_rounds_get_more_noise_each() -> None:
    sigmas = [
        float(plan(ZeroConcentratedDP("0.1"), accounting="zcdp", rounds=rounds).sigma)
        for rounds in (1, 4, 16)
    ]
    assert sigmas[1] / sigmas[0] == pytest.approx(2, rel=1e-3)
    assert sigmas[2] / sigmas[0] == pytest.approx(4, rel=1e-3)


def test_what_gaussian_noise_cannot_promise_is_refused() -> None:
    with pytest.raises(PromiseUnmeetable):
        plan(PureDP(1))
    with pytest.raises(PromiseUnmeetable):
        plan(ApproxDP(1, "1e-6"), accounting="pure")
    with pytest.raises(PromiseUnmeetable):
        plan(ZeroConcentratedDP("0.1"), accounting="basic")


@pytest.mark.parametrize("wrong", [{"rounds": 0}, {"population": 0}, {"votes": 0}, {"degrees": (2.0, 0.0)}])
def test_settings_out_of_range_are_refused(wrong) -> None:
    with pytest.raises(BadSynthesis):
        EvolutionSettings(**wrong)


def test_a_selection_that_there_is_not_is_refused() -> None:
    with pytest.raises(BadUsage, match="'rank', 'draw'"):
        EvolutionSettings(selection="luck")


@pytest.mark.parametrize(
    ("labels", "shares"),
    [
        (None, {"a": 1.0}),
        ([], None),
        (["a", "a"], None),
        (["a", "b"], {"a": 1.0}),
        (["a", "b"], {"a": 0.9, "b": 0.9}),
        (["a", "b"], {"a": 1.5, "b": -0.5}),
    ],
)
def test_labels_and_shares_that_do_not_fit_are_refused(labels, shares) -> None:
    with pytest.raises(BadSynthesis):
        plan(ApproxDP(1, "1e-6"), labels=labels, shares=shares)


def test_runs_that_differ_in_anything_are_different_questions() -> None:
    promise = ZeroConcentratedDP("0.1")
    made = [
        plan(promise, accounting="zcdp"),
        plan(promise, accounting="zcdp", rounds=7),
        plan(ZeroConcentratedDP("0.2"), accounting="zcdp"),
        plan(promise, accounting="zcdp", labels=["a", "b"]),
        plan(promise, accounting="zcdp", labels=["b", "a"]),
        plan(promise, accounting="zcdp", threshold=2.0),
    ]
    assert len({one.question() for one in made}) == len(made)
    assert plan(promise, accounting="zcdp").question() == made[0].question()


@pytest.mark.parametrize(
    ("settings", "rows", "made"),
    [
        ({"rounds": 1, "population": 10, "variations": 2}, 10, (30, 0)),
        ({"rounds": 3, "population": 10, "variations": 2}, 25, (30, 55)),
        ({"rounds": 3, "population": 10, "variations": 2, "keep": False}, None, (20, 40)),
        ({"rounds": 2, "population": 10, "variations": 1, "lookahead": 3}, None, (20, 130)),
    ],
)
def test_how_much_a_generator_makes_is_known_beforehand(settings, rows, made) -> None:
    assert plan(ZeroConcentratedDP(1), accounting="zcdp", **settings).samples_made(rows) == made
