"""Correlated noise: what was paid for, the strategy's noise and no other, batches that come round, and the same again."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from privet.errors import InternalError, PermitMismatch, PermitSpent
from privet.guarantee import (
    ApproxDP,
    BandedGaussian,
    BandedInverseGaussian,
    BandedStrategy,
    BufferedStrategy,
    Gaussian,
    Participation,
    PoissonSampled,
    Repeated,
    Row,
    SealedPlan,
)
from privet.guarantee._toeplitz_strategy import inverse_response, root_coefficients
from privet.ledger import Ledger
from privet.mechanism import CorrelatedStream, SecretSeed
from privet.mechanism import _correlated_noise as correlated_noise
from privet.mechanism._correlated_noise import correlated_run, taking_part
from privet.mechanism._gradient_noise import stream_of
from privet.mechanism._keyed_normals import standard_normals

RUN = "ab" * 32
KINDS = [BandedGaussian, BandedInverseGaussian]
BOTH = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "a.ledger", limit=ApproxDP(1000, "1e-3"), unit=Row()) as opened:
        yield opened


def opened(ledger, event, seed=None, run=RUN):
    seed = seed or SecretSeed.fresh()
    permit = ledger.charge(SealedPlan(event, "1e-6"), why="a test", question=seed.question(run))
    return CorrelatedStream(permit, seed, run)


def matrix_of(event):
    """C⁻¹, from its definition."""
    signed = np.array(event.coefficients) / 2**31
    if not event.feeds_back:
        signed[1:] *= -1
    banded = sum(np.diag([value] * (event.steps - j), -j) for j, value in enumerate(signed))
    return np.linalg.inv(banded) if event.feeds_back else banded


@BOTH
@pytest.mark.parametrize("bands", [1, 2, 5, 12])
def test_the_noise_is_the_draws_times_the_inverse_of_the_strategy(ledger, kind, bands):
    event, seed = kind(2, 12, bands, 2, 6), SecretSeed.fresh()
    stream = opened(ledger, event, seed)
    released = np.array([stream.step().noised([np.full(7, 3.0)], 0.5)[0] for _ in range(12)])
    draws = np.array([standard_normals(stream_of(seed, t, 1), 7) for t in range(12)])
    assert np.allclose(released, 3 + 1.0 * matrix_of(event) @ draws, atol=2**-19)


@BOTH
def test_the_scale_follows_from_clip_and_sensitivity(ledger, kind, monkeypatch):
    seen = []
    monkeypatch.setattr(
        correlated_noise, "on_grid", lambda exact, noise, sigma: seen.append(sigma) or exact + noise
    )
    opened(ledger, kind(3, 12, 2, 2, 6, "1/2")).step().noised([np.zeros(2)], 0.25)
    assert seen == [pytest.approx(3 / 0.5 * 0.25)]


@BOTH
def test_it_hands_out_as_many_steps_as_were_paid_for_and_each_noise_once(ledger, kind):
    stream = opened(ledger, kind(2, 6, 3, 2, 3))
    assert (stream.steps, stream.taken) == (6, 0)
    steps = [stream.step() for _ in range(6)]
    assert [step.index for step in steps] == list(range(6))
    with pytest.raises(PermitSpent):
        stream.step()
    steps[0].noised([np.zeros(2)], 1.0)
    with pytest.raises(PermitSpent):
        steps[0].noised([np.zeros(2)], 1.0)
    with pytest.raises(PermitMismatch):
        steps[1].noised([np.zeros(2)], 1.0, part=1)


@BOTH
def test_an_interrupted_run_goes_on_with_the_same_noise_and_one_entry(ledger, kind):
    seed = SecretSeed.fresh()
    event = SealedPlan(kind(2, 12, 5, 3, 4), "1e-6")
    permit = ledger.charge(event, why="a test", question=seed.question(RUN))
    spent, entries = ledger.balance().spent, len(list(ledger.history()))
    stream = CorrelatedStream(permit, seed, RUN)
    first = []
    for _ in range(12):
        step = stream.step()
        first.append((step.mask(50), step.number(), step.noised([np.zeros(9)], 1.0)[0]))
    for start in (1, 7, 11):
        again = CorrelatedStream(ledger.resume(permit.receipt, seed.question(RUN)), seed, RUN, start=start)
        for mask, number, noise in first[start:]:
            step = again.step()
            assert (step.mask(50) == mask).all()
            assert step.number() == number
            assert (step.noised([np.zeros(9)], 1.0)[0] == noise).all()
    assert (ledger.balance().spent, len(list(ledger.history()))) == (spent, entries)


@BOTH
def test_every_record_is_in_one_batch_of_each_round_and_always_the_same(ledger, kind):
    stream = opened(ledger, kind(2, 12, 3, 3, 4))
    masks = np.array([stream.step().mask(200) for _ in range(12)])
    rounds = masks.reshape(3, 4, 200)
    assert (rounds.sum(axis=1) == 1).all()
    assert (rounds == rounds[0]).all()
    assert masks.any(axis=1).all()  # odds of an empty batch: 4 · (3/4)^200 = 4e-25


@BOTH
def test_batches_that_come_round_more_often_than_was_paid_for_are_refused(ledger, kind):
    stream = opened(ledger, kind(2, 12, 3, 2, 4))
    with pytest.raises(PermitMismatch, match="more often"):
        stream.step().mask(10)


def test_other_permits_seeds_and_steps_are_refused(ledger):
    event = SealedPlan(BandedGaussian(2, 6, 3, 2, 3), "1e-6")
    seed = SecretSeed.fresh()
    permit = ledger.charge(event, why="a test", question=seed.question(RUN))
    for other, run in [(SecretSeed.fresh(), RUN), (seed, "cd" * 32)]:
        with pytest.raises(PermitMismatch):
            CorrelatedStream(permit, other, run)
    for start in (-1, 7):
        with pytest.raises(PermitMismatch):
            CorrelatedStream(permit, seed, RUN, start=start)
    CorrelatedStream(permit, seed, RUN)
    with pytest.raises(PermitSpent):
        CorrelatedStream(permit, seed, RUN)
    with pytest.raises(PermitMismatch):
        CorrelatedStream("leave", seed, RUN)
    with pytest.raises(PermitMismatch):
        opened(ledger, Repeated(Gaussian(2), 6))
    with pytest.raises(PermitMismatch):
        opened(ledger, Repeated(BandedGaussian(2, 6, 3, 2, 3), 2))


def test_one_clip_and_one_size_in_all_steps(ledger):
    stream = opened(ledger, BandedGaussian(2, 6, 3, 2, 3))
    stream.step().noised([np.zeros(4)], 1.0)
    with pytest.raises(PermitMismatch, match="clipping"):
        stream.step().noised([np.zeros(4)], 1.5)
    with pytest.raises(InternalError, match="size"):
        stream.step().noised([np.zeros(5)], 1.0)
    with pytest.raises(InternalError):
        opened(ledger, BandedGaussian(2, 6, 3, 2, 3)).step().noised([np.zeros(4)], 0.0)


@BOTH
def test_shapes_are_kept_on_a_grid_and_sums_share_one_vector(ledger, kind):
    seed = SecretSeed.fresh()
    released = opened(ledger, kind(2, 6, 3, 2, 3), seed).step().noised([np.zeros((3, 4)), np.zeros(5)], 0.5)
    assert [array.shape for array in released] == [(3, 4), (5,)]
    flat = np.concatenate([array.ravel() for array in released])
    assert (flat * 2.0**20 % 1 == 0).all()  # exact: a power of two multiplies without rounding
    assert np.allclose(flat, standard_normals(stream_of(seed, 0, 1), 17), atol=2**-20)


@BOTH
def test_vectors_longer_than_a_piece_get_the_same_noise(ledger, kind, monkeypatch):
    seed, event = SecretSeed.fresh(), kind(2, 6, 3, 2, 3)
    stream = opened(ledger, event, seed)
    whole = [stream.step().noised([np.zeros(50)], 1.0)[0] for _ in range(4)]
    monkeypatch.setattr(correlated_noise, "_PIECE", 16)
    memory = correlated_noise.CorrelatedMemory(event, seed)
    for step, released in enumerate(whole):
        assert np.allclose(2 * memory.noise(step, 50), released, atol=2**-19)


def test_rounding_errors_are_not_fed_back_without_end():
    for bands in (2, 3, 5, 16, 400, 2_000):
        assert np.abs(inverse_response(root_coefficients(bands), 5_000, is_inverse=False)).sum() < 2.2


# --- strategies beside the event ----------------------------------------------------------------

UNIT = 2**31
DECAYS, WEIGHTS = (3 * UNIT // 4, UNIT - 2**16), (UNIT // 4, UNIT // 8)
PATTERN = Participation(12, 3, 4)
BANDS = (UNIT, UNIT // 2, UNIT // 4, UNIT // 8)
STRATEGIES = {
    "banded": BandedStrategy(PATTERN, BANDS),
    "buffered": BufferedStrategy(PATTERN, DECAYS, WEIGHTS),
}
EACH = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=list(STRATEGIES))


def opened_with(ledger, event, strategy, seed=None, **given):
    seed = seed or SecretSeed.fresh()
    permit = ledger.charge(SealedPlan(event, "1e-6"), why="a test", question=seed.question(RUN))
    return CorrelatedStream(permit, seed, RUN, strategy=strategy, **given)


def inverse_of(strategy):
    column = np.zeros(12)
    own = strategy.column() / UNIT
    column[: len(own)] = own
    return np.linalg.inv(sum(np.diag([value] * (12 - j), -j) for j, value in enumerate(column)))


@EACH
def test_a_strategys_noise_is_the_draws_times_its_inverse(ledger, strategy):
    seed = SecretSeed.fresh()
    stream = opened_with(ledger, Gaussian(2, strategy.sensitivity()), strategy, seed)
    released = np.array([stream.step().noised([np.full(7, 3.0)], 0.5)[0] for _ in range(12)])
    draws = np.array([standard_normals(stream_of(seed, t, 1), 7) for t in range(12)])
    assert np.allclose(released, 3 + 1.0 * inverse_of(strategy) @ draws, atol=2**-19)


@EACH
def test_a_strategys_run_goes_on_with_the_same_noise(ledger, strategy):
    seed = SecretSeed.fresh()
    event = SealedPlan(Gaussian(2, strategy.sensitivity()), "1e-6")
    permit = ledger.charge(event, why="a test", question=seed.question(RUN))
    stream = CorrelatedStream(permit, seed, RUN, strategy=strategy)
    first = [stream.step().noised([np.zeros(9)], 1.0)[0] for _ in range(12)]
    for start in (1, 7, 11):
        again = ledger.resume(permit.receipt, seed.question(RUN))
        stream = CorrelatedStream(again, seed, RUN, strategy=strategy, start=start)
        assert all((stream.step().noised([np.zeros(9)], 1.0)[0] == noise).all() for noise in first[start:])


@EACH
def test_a_strategy_that_moves_farther_than_was_paid_for_is_refused(ledger, strategy):
    less = Fraction(strategy.sensitivity()) * Fraction(999_999, 1_000_000)
    with pytest.raises(PermitMismatch, match="does not pay"):
        opened_with(ledger, Gaussian(2, less), strategy)
    closer = type(strategy)(
        Participation(12, 6, 2),
        *(getattr(strategy, name) for name in strategy.__dataclass_fields__ if name != "pattern"),
    )
    with pytest.raises(PermitMismatch, match="does not pay"):
        opened_with(ledger, Gaussian(2, strategy.sensitivity()), closer)


def test_a_class_that_prices_itself_is_no_strategy(ledger):
    class Cheap(BandedStrategy):
        def squares(self):
            return Fraction(0)

    with pytest.raises(PermitMismatch, match="no class made of one"):
        opened_with(ledger, Gaussian(2, Fraction(1, 2)), Cheap(PATTERN, BANDS))


def sampled(q, strategy, rounds=3, less=0):
    return Repeated(PoissonSampled(q, Gaussian(2, strategy.column_norm() - less)), rounds)


def test_amplification_is_for_bands_that_fit_into_a_round_and_for_nothing_else():
    banded, wide = STRATEGIES["banded"], BandedStrategy(PATTERN, (*BANDS, 1))
    assert correlated_run(SealedPlan(sampled("1/2", banded), "1e-6"), banded).q == Fraction(1, 2)
    for event, strategy in [
        (sampled("1/2", wide), wide),
        (sampled("1/2", banded, rounds=2), banded),
        (sampled("1/2", banded, less=Fraction(1, 2**39)), banded),
        (sampled("1/2", STRATEGIES["buffered"]), STRATEGIES["buffered"]),
        (Repeated(Gaussian(2, banded.column_norm()), 3), banded),
        (PoissonSampled("1/2", Gaussian(2, banded.sensitivity())), banded),
        (BandedGaussian(2, 12, 4, 3, 4), banded),
        (sampled("1/2", banded), None),
    ]:
        with pytest.raises(PermitMismatch):
            correlated_run(event, strategy)


def test_groups_take_turns_and_are_sampled(ledger):
    """Of 4,000 records about a quarter is in a group and a tenth of it in a batch; bounds hold but for one time in 1e9."""
    banded = STRATEGIES["banded"]
    stream = opened_with(ledger, sampled("1/10", banded), banded)
    masks = np.array([stream.step().mask(4_000) for _ in range(12)])
    groups = masks.reshape(3, 4, 4_000).any(axis=0)
    assert (groups.sum(axis=0) <= 1).all()  # nobody is in two groups
    # Binomial(4000, 1/40): deviation 9.9; six and a half of them.
    assert all(35 < count < 165 for count in masks.sum(axis=1))
    both = (masks[0] & masks[4]).sum()  # 4000 · 1/4 · 1/100 = 10
    assert both < 35


def test_coins_are_not_those_that_picked_the_groups():
    """Had the coins of step 0 the numbers of the picks, group 0 would hold exactly the lowest of them: all or none taking part."""
    banded = STRATEGIES["banded"]
    run = correlated_run(sampled("1/2", banded), banded)
    counts = [taking_part(run, SecretSeed.fresh(), 0, 400).sum() for _ in range(3)]
    assert all(5 < count < 95 for count in counts)  # Binomial(400, 1/8): 50 with deviation 6.6


def test_buffers_are_computed_to_the_last_digits():
    """Against 60 digits, in units of the noise: far below the grid of 2^-20."""
    strategy = BufferedStrategy(Participation(3_000, 1, 3_000), DECAYS, WEIGHTS)
    draws = np.random.default_rng(0).standard_normal(3_000)
    buffers, largest = [np.zeros(1), np.zeros(1)], 0.0
    with localcontext() as context:
        context.prec = 60
        decays, weights = ([Decimal(v) / UNIT for v in each] for each in (DECAYS, WEIGHTS))
        exact = [Decimal(0), Decimal(0)]
        for draw in draws:
            found = correlated_noise.next_buffered(np.array([draw]), buffers, strategy)
            noise = Decimal(float(draw)) - sum(w * m for w, m in zip(weights, exact, strict=True))
            exact = [d * m + noise for d, m in zip(decays, exact, strict=True)]
            largest = max(largest, float(abs(Decimal(float(found[0])) - noise)))
    assert 0 < largest < 2**-38


def test_buffers_in_pieces_are_the_same(monkeypatch):
    strategy, fresh = STRATEGIES["buffered"], np.random.default_rng(0).standard_normal((4, 50))
    runs = []
    for piece in (1 << 15, 16):
        monkeypatch.setattr(correlated_noise, "_PIECE", piece)
        buffers = [np.zeros(50), np.zeros(50)]
        runs.append([correlated_noise.next_buffered(row, buffers, strategy) for row in fresh])
    assert np.array_equal(*runs)
