"""Runs on batches that come round: the least noise that keeps a promise, what is booked, and what is refused."""

import math
from fractions import Fraction

import pytest
from tests.protect.train.gradients.runs import net, planned

import privet as pv
from privet.errors import BadTraining, BadUsage
from privet.guarantee import (
    Change,
    Gaussian,
    PoissonSampled,
    Repeated,
    Row,
    SealedPlan,
    epsilon_for,
    zcdp_cost,
)
from privet.protect.train.gradients import Clipping, plan
from privet.protect.train.gradients._correlated_account import (
    BandedInverseNoise,
    BandedNoise,
    BufferedToeplitzNoise,
)

APPROX = pv.ApproxDP(2, "1e-5")
KINDS = {
    "independent": "independent",
    "correlated": "correlated",
    "banded": BandedNoise(3),
    "buffered": BufferedToeplitzNoise(1, momentum=0.5, error="max"),
    "inverse": BandedInverseNoise(3),
}


def rounds(noise, **given):
    return planned(net(), **{"sampling": "epochs", "batch": 20, "steps": 9, "noise": noise, **given})


def error(made):
    """Of running sums, in clipping bounds."""
    return float(made.noise_multiplier) * made.rounds.strategy.running_error()


@pytest.mark.parametrize("noise", KINDS.values(), ids=list(KINDS))
def test_it_costs_what_was_promised_and_hardly_less(noise):
    made = rounds(noise)
    assert Fraction(999, 2_000) < zcdp_cost(made.event).rho <= Fraction(1, 2)
    assert made.disjoint == 3


def test_a_promise_with_a_delta_is_a_sealed_plan_of_all_it_allows():
    made = rounds("correlated", promise=APPROX)
    assert isinstance(made.event, SealedPlan)
    assert 1.99 < epsilon_for(made.event.event, APPROX.delta).epsilon <= 2


def test_independent_noise_costs_what_it_costs_on_shuffled_batches():
    independent, shuffled = rounds("independent"), rounds("independent", sampling="shuffled")
    assert float(independent.noise_multiplier) == pytest.approx(float(shuffled.noise_multiplier), rel=1e-6)
    assert independent.deviation_at(5) == pytest.approx(float(shuffled.noise_multiplier), rel=1e-6)


def test_correlated_noise_leaves_running_sums_less_noisy_at_the_same_promise():
    given = {"records": 400, "batch": 20, "steps": 100}
    independent, buffered, banded = (
        rounds(kind, **given) for kind in ("independent", "correlated", BandedNoise(20))
    )
    assert error(buffered) < 0.55 * error(independent)
    assert error(banded) < error(buffered)


def test_what_one_pass_over_the_data_costs_is_one_participation():
    made = rounds("correlated", records=600, batch=20, steps=25)
    assert (made.disjoint, made.rounds.strategy.pattern.participations) == (30, 1)


@pytest.mark.parametrize("noise", KINDS.values(), ids=list(KINDS))
def test_epsilons_rise_up_to_the_promise(noise):
    made = rounds(noise, promise=APPROX)
    losses = [made.epsilon_after(step) for step in range(10)]
    assert losses == sorted(losses)
    assert losses[0] == 0 < losses[1]
    assert losses[-1] <= 2
    assert rounds(noise).epsilon_after(9) > 0


def test_cyclic_sampling_is_amplified_as_one_sampled_step_a_round():
    made = rounds(BandedNoise(4), promise=APPROX, sampling="cyclic", records=1_000, batch=50, steps=18)
    run, strategy = made.event.event, made.rounds.strategy
    assert run == Repeated(PoissonSampled("1/5", Gaussian(made.noise_multiplier, strategy.column_norm())), 5)
    assert (made.q, made.disjoint, strategy.bands) == (Fraction(1, 5), 4, 4)
    unsampled = rounds(BandedNoise(4), promise=APPROX, records=200, batch=50, steps=18)
    assert made.noise_multiplier < unsampled.noise_multiplier
    assert made.epsilon_after(3) < made.epsilon_after(18) <= 2
    assert "from 4 group(s)" in str(made)


def test_one_band_is_poisson_sampling():
    made = rounds("independent", promise=APPROX, sampling="cyclic", records=1_000, batch=50, steps=18)
    plain = rounds("independent", promise=APPROX, sampling="poisson", records=1_000, batch=50, steps=18)
    assert float(made.noise_multiplier) == pytest.approx(float(plain.noise_multiplier), rel=1e-6)
    assert epsilon_for(made.event.event, APPROX.delta) == epsilon_for(plain.event.event, APPROX.delta)


def test_where_bands_are_left_open_the_least_error_is_taken():
    given = {"promise": APPROX, "sampling": "cyclic", "records": 400, "batch": 100, "steps": 80}
    best = rounds("correlated", **given)
    assert error(best) == min(error(rounds(BandedNoise(bands), **given)) for bands in (1, 4))


def test_a_group_of_one_batch_is_not_sampled():
    made = rounds(BandedNoise(4), promise=APPROX, sampling="cyclic", records=400, batch=100, steps=12)
    assert made.q == 1
    assert isinstance(made.event.event, Gaussian)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sampling": "shuffled"}, "known distance"),
        ({"sampling": "poisson", "promise": APPROX}, "known distance"),
        ({"sampling": "full", "batch": 60}, "known distance"),
        ({"noise": BandedNoise(0)}, "bands"),
        ({"noise": BandedNoise("3")}, "bands"),
        ({"noise": BandedNoise(2, momentum="fast")}, "momentum"),
        ({"noise": BandedNoise(2, momentum=math.nan)}, "momentum"),
        ({"noise": BufferedToeplitzNoise(True)}, "buffers"),
        ({"noise": BandedNoise(2, momentum=1.5)}, "momentum"),
        ({"noise": BandedNoise(2, error="least")}, "error"),
        ({"noise": BufferedToeplitzNoise(99)}, "buffers"),
        ({"noise": BandedInverseNoise(0)}, "bands"),
        ({"clipping": Clipping(1.0, "adaptive")}, "the same in all steps"),
        (
            {"sampling": "cyclic", "noise": BufferedToeplitzNoise(), "promise": APPROX},
            "banded strategies alone",
        ),
        ({"sampling": "cyclic", "noise": BandedInverseNoise(), "promise": APPROX}, "banded strategies alone"),
        ({"sampling": "cyclic", "noise": BandedNoise(4), "promise": APPROX}, "smaller batches|fewer records"),
        (
            {"sampling": "cyclic", "noise": BandedNoise(4), "promise": APPROX, "batch": 1, "steps": 3},
            "more bands",
        ),
        ({"sampling": "cyclic"}, "amplified"),
        ({"sampling": "cyclic", "promise": APPROX, "unit": Row(Change.REPLACE)}, "replaced"),
    ],
)
def test_what_is_not_proven_or_makes_no_sense_is_refused(given, said):
    with pytest.raises(BadTraining, match=said):
        rounds(**{"noise": "correlated", **given})


@pytest.mark.parametrize("noise", ["banded", 16, None])
def test_what_is_no_noise_is_refused(noise):
    with pytest.raises(BadUsage, match="noise is"):
        rounds(noise)


def test_the_noise_follows_from_the_steps():
    with pytest.raises(BadTraining, match="give steps"):
        plan(net(), APPROX, records=60, batch=20, noise_multiplier=3.0, sampling="epochs", noise="correlated")


@pytest.mark.parametrize("sampling", ["epochs", "cyclic"])
def test_no_rule_gives_a_batch(sampling):
    with pytest.raises(BadTraining, match="for Poisson batches"):
        plan(net(), APPROX, records=60, steps=9, sampling=sampling, noise="correlated")


def test_plans_say_their_strategy_in_their_record():
    made = rounds("correlated")
    assert made.to_json()["strategy"] == made.rounds.strategy.to_json()
    assert rounds(BandedInverseNoise(3)).to_json()["strategy"] is None
    assert "strategy" not in rounds("independent", sampling="shuffled").to_json()
    assert "come round" in str(made)


def test_where_units_are_replaced_a_step_moves_by_two_bounds():
    made = rounds("correlated", unit=Row(Change.REPLACE))
    assert made.reach == 2
    assert made.noise_multiplier == pytest.approx(rounds("correlated").noise_multiplier)


def test_deviations_are_those_of_the_noise():
    made = rounds(BandedInverseNoise(3))
    assert made.deviation_at(0) == pytest.approx(float(made.noise_multiplier))
    assert made.deviation_at(8) == pytest.approx(float(made.noise_multiplier) * math.sqrt(1 + 1 / 4 + 1 / 64))
