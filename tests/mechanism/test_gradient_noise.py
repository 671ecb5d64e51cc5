"""Gradient noise: as many steps as were paid for, from the seed that was committed to, and the same again."""

from fractions import Fraction

import numpy as np
import pytest

from privet.errors import BudgetExceeded, InternalError, LedgerMismatch, PermitMismatch, PermitSpent
from privet.guarantee._events import (
    Composed,
    DiscreteLaplace,
    Gaussian,
    PoissonSampled,
    Repeated,
    SealedPlan,
    TruncatedPoissonSampled,
)
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import ApproxDP
from privet.ledger import Ledger
from privet.mechanism import NoiseStream, SecretSeed

RUN = "ab" * 32
EVENT = SealedPlan(Repeated(PoissonSampled("0.1", Gaussian(2, 1)), 3), "1e-6")


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "a.ledger", limit=ApproxDP(1000, "1e-3"), unit=Row()) as opened:
        yield opened


def opened(ledger, event=EVENT, seed=None, run=RUN):
    seed = seed or SecretSeed.fresh()
    permit = ledger.charge(event, why="a test", question=seed.question(run))
    return NoiseStream(permit, seed, run)


def test_it_hands_out_as_many_steps_as_were_paid_for(ledger):
    stream = opened(ledger)
    assert (stream.steps, stream.taken, stream.q, stream.batch) == (3, 0, Fraction(1, 10), None)
    assert [stream.step().index for _ in range(3)] == [0, 1, 2]
    with pytest.raises(PermitSpent):
        stream.step()


def test_each_noise_of_a_step_is_drawn_once(ledger):
    event = SealedPlan(Repeated(Composed([Gaussian(2, 1), Gaussian(3, "1/2")]), 2), "1e-6")
    step = opened(ledger, event).step()
    first, second = step.noised([np.zeros(1000)], 1.0), step.noised([np.zeros(1000)], 1.0, part=1)
    assert abs(np.corrcoef(first[0], second[0])[0, 1]) < 0.2
    assert second[0].std() / first[0].std() == pytest.approx(3, rel=0.2)
    for part in (0, 1):
        with pytest.raises(PermitSpent):
            step.noised([np.zeros(1)], 1.0, part=part)
    with pytest.raises(PermitMismatch):
        step.noised([np.zeros(1)], 1.0, part=2)


def test_steps_share_nothing_and_no_two_seeds_agree(ledger):
    one, other = opened(ledger), opened(ledger)
    zeros = [np.zeros(500)]
    drawn = [stream.step().noised(zeros, 1.0)[0] for stream in (one, other, one, other)]
    assert max(abs(np.corrcoef(drawn)[np.triu_indices(4, 1)])) < 0.3
    assert len({tuple(stream.step().mask(200)) for stream in (one, other)}) == 2


def test_shapes_are_kept_and_the_noise_is_added_on_a_grid(ledger):
    sums = [np.full((3, 4), 100.0, np.float32), np.full(5, -100.0)]
    released = opened(ledger).step().noised(sums, 0.5)
    assert [array.shape for array in released] == [(3, 4), (5,)]
    assert np.abs(released[0] - 100).max() < 9
    grid = 2.0**-20  # sigma · clip = 1
    assert all(
        (array / grid == np.rint(array / grid)).all() for array in released
    )  # exact: a power of two divides without rounding
    assert len(np.unique(released[0])) == 12


def test_a_sum_that_is_not_finite_is_refused(ledger):
    step = opened(ledger).step()
    with pytest.raises(InternalError):
        step.noised([np.array([np.nan])], 1.0)
    with pytest.raises(InternalError):
        opened(ledger).step().noised([np.zeros(1)], 0.0)


def test_without_sampling_every_record_is_in(ledger):
    stream = opened(ledger, SealedPlan(Repeated(Gaussian(2), 2), "1e-6"))
    assert stream.step().mask(50).all()


def test_batches_are_cut_to_their_size_at_random(ledger):
    event = SealedPlan(Repeated(TruncatedPoissonSampled("0.5", 10, 40, Gaussian(5)), 60), "1e-6")
    stream = opened(ledger, event)
    masks = np.array([stream.step().mask(40) for _ in range(60)])
    assert masks.sum(1).max() == 10
    assert masks.any(0).all()  # odds of a miss below 40 · 0.75^60 = 1.3e-6
    with pytest.raises(PermitMismatch):
        opened(ledger, event).step().mask(41)


def test_other_events_and_permits_are_refused(ledger):
    with pytest.raises(PermitMismatch):
        opened(ledger, DiscreteLaplace(2))
    with pytest.raises(PermitMismatch):
        opened(ledger, SealedPlan(Repeated(Composed([Gaussian(2), DiscreteLaplace(2)]), 2), "1e-6"))
    with pytest.raises(PermitMismatch):
        NoiseStream("leave", SecretSeed.fresh(), RUN)


def test_only_the_seed_and_the_run_that_were_committed_to(ledger):
    seed = SecretSeed.fresh()
    permit = ledger.charge(EVENT, why="a test", question=seed.question(RUN))
    for other, run in [(SecretSeed.fresh(), RUN), (seed, "cd" * 32)]:
        with pytest.raises(PermitMismatch):
            NoiseStream(permit, other, run)
    NoiseStream(permit, seed, RUN)
    with pytest.raises(PermitSpent):
        NoiseStream(permit, seed, RUN)
    with pytest.raises(PermitMismatch):
        NoiseStream(ledger.charge(EVENT, why="a test"), seed, RUN)


def test_an_interrupted_run_goes_on_with_the_same_noise_and_one_entry(ledger):
    seed = SecretSeed.fresh()
    permit = ledger.charge(EVENT, why="a test", question=seed.question(RUN))
    spent, entries = ledger.balance().spent, len(list(ledger.history()))
    stream = NoiseStream(permit, seed, RUN)
    steps = [stream.step() for _ in range(3)]
    first = [(step.mask(100), step.noised([np.zeros(9)], 1.0)[0]) for step in steps]

    again = NoiseStream(ledger.resume(permit.receipt, seed.question(RUN)), seed, RUN, start=1)
    for mask, noise in first[1:]:
        step = again.step()
        assert (step.mask(100) == mask).all()
        assert (step.noised([np.zeros(9)], 1.0)[0] == noise).all()
    with pytest.raises(PermitSpent):
        again.step()
    assert (ledger.balance().spent, len(list(ledger.history()))) == (spent, entries)
    ledger.verify([permit.receipt])


def test_a_permit_issued_again_is_good_for_nothing_else(ledger):
    seed = SecretSeed.fresh()
    receipt = ledger.charge(EVENT, why="a test", question=seed.question(RUN)).receipt
    with pytest.raises(PermitMismatch):
        ledger.resume(receipt, seed.question(RUN)).use()
    with pytest.raises(PermitMismatch):
        ledger.resume(receipt, seed.question(RUN)).parts()
    with pytest.raises(PermitMismatch):
        NoiseStream(ledger.resume(receipt, seed.question(RUN)), SecretSeed.fresh(), RUN)


def test_the_ledger_resumes_only_what_was_committed_to(ledger, tmp_path):
    seed = SecretSeed.fresh()
    receipt = ledger.charge(EVENT, why="a test", question=seed.question(RUN)).receipt
    plain = ledger.charge(EVENT, why="a test", question="how many?").receipt
    for which, question in [
        (receipt, SecretSeed.fresh().question(RUN)),
        (receipt, seed.question("cd" * 32)),
        (plain, "how many?"),
        (plain, seed.question(RUN)),
    ]:
        with pytest.raises(LedgerMismatch):
            ledger.resume(which, question)
    with (
        Ledger(tmp_path / "b.ledger", limit=ApproxDP(9, "1e-3"), unit=Row()) as other,
        pytest.raises(LedgerMismatch),
    ):
        other.resume(receipt, seed.question(RUN))


def test_nothing_is_drawn_beyond_the_budget(tmp_path):
    with (
        Ledger(tmp_path / "b.ledger", limit=ApproxDP("0.01", "1e-3"), unit=Row()) as small,
        pytest.raises(BudgetExceeded),
    ):
        opened(small)


def test_disjoint_batches_share_a_draw_and_hold_every_record_once(ledger):
    event = SealedPlan(Repeated(Gaussian(2), 2), "1e-6")
    seed = SecretSeed.fresh()
    permit = ledger.charge(event, why="a test", question=seed.question(RUN))
    stream = NoiseStream(permit, seed, RUN, disjoint=4)
    assert stream.steps == 8
    masks = np.array([stream.step().mask(300) for _ in range(8)])
    assert (masks[:4].sum(0) == 1).all()
    assert (masks[4:].sum(0) == 1).all()
    assert (masks[:4] != masks[4:]).any()
    with pytest.raises(PermitSpent):
        stream.step()
    permit = ledger.charge(EVENT, why="a test", question=seed.question(RUN))
    with pytest.raises(PermitMismatch):
        NoiseStream(permit, seed, RUN, disjoint=4)


def test_the_receipt_of_a_question_is_found_again(ledger):
    seed = SecretSeed.fresh()
    assert ledger.paid(seed.question(RUN)) is None
    receipt = ledger.charge(EVENT, why="a test", question=seed.question(RUN)).receipt
    ledger.charge(EVENT, why="a test")
    assert ledger.paid(seed.question(RUN)) == receipt


def test_other_randomness_has_a_number_for_each_step(ledger):
    stream = opened(ledger)
    numbers = {stream.step().number() for _ in range(3)}
    assert len(numbers) == 3
    assert all(0 <= number < 2**63 for number in numbers)
