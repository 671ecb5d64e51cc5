"""Gradient noise: as many steps as were paid for, from the seed that was committed to, and the same again."""

import math
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
from privet.mechanism import _gradient_noise as gradient_noise
from privet.mechanism._gradient_noise import deviation, generator_of, noised, shape_of

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


class _Drawn:
    """A stream that gives what it is told to."""

    def __init__(self, first, rest):
        self._first, self._rest = first, rest

    def bytes(self, count):
        return np.array(self._first[:count], np.uint8)

    def words(self, count):
        # The last byte of a word is not looked at.
        return np.array([number << 8 | 255 for number in self._rest[:count]], dtype=np.uint64)


@pytest.mark.parametrize("least", [2**56 * 7 + 5, 5, 2**56 * 255 + 2**56 - 1, 2**56 * 3])
def test_a_record_is_in_the_batch_where_its_64_bits_lie_below_the_odds(monkeypatch, least):
    # First bytes around that of the odds, and behind a tie the 56 bits around theirs.
    first = [byte % 256 for byte in range((least >> 56) - 2, (least >> 56) + 3)] + [least >> 56] * 2
    below = least % 2**56
    rest = [below, max(0, below - 1), min(2**56 - 1, below + 1)]
    drawn = _Drawn(first, rest)
    monkeypatch.setattr(gradient_noise, "stream_of", lambda seed, step, purpose: drawn)
    shape = gradient_noise.NoiseShape(1, Fraction(least, 2**64), None, None, ())
    mask = gradient_noise.included(shape, SecretSeed.fresh(), 0, len(first))
    left = iter(rest)
    whole = [(byte << 56) + (next(left) if byte == least >> 56 else 0) for byte in first]
    expected = [
        number < least if byte == least >> 56 else byte < least >> 56
        for number, byte in zip(whole, first, strict=True)
    ]
    assert mask.tolist() == expected


def test_one_record_more_changes_nobody_elses_batches(ledger):
    # What a neighbouring table's run is compared by: the last record comes and goes, and all others stay where they were.
    seed = SecretSeed.fresh()
    first, second = opened(ledger, seed=seed), opened(ledger, seed=seed)
    for _ in range(3):
        fewer, more = first.step().mask(999), second.step().mask(1000)
        assert (fewer == more[:999]).all()


def test_a_booking_for_another_way_of_drawing_batches_is_refused(ledger):
    # The same seed would draw other batches, and two runs under one booking would tell two answers.
    seed = SecretSeed.fresh()
    question = f"seed commitment {seed.keyed(b'commitment ' + RUN.encode())} of run {RUN}"
    permit = ledger.charge(EVENT, why="a test", question=question)
    with pytest.raises(PermitMismatch):
        NoiseStream(permit, seed, RUN)


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


def test_other_randomness_has_63_bits_that_no_noise_and_no_batch_is_made_of(ledger):
    seed = SecretSeed.fresh()
    event = SealedPlan(Repeated(Gaussian(50), 64), "1e-6")
    steps = [(stream := opened(ledger, event, seed)).step(), *(stream.step() for _ in range(63))]
    numbers = [step.number() for step in steps]
    assert 2**62 <= max(numbers) < 2**63  # odds of a false alarm: 2^-64
    for step, number in zip(steps, numbers, strict=True):
        assert number not in {seed.key(step.index, purpose) >> 65 for purpose in range(-1, 8)}


def test_an_event_that_is_not_repeated_is_one_step_on_everybody():
    shape = shape_of(SealedPlan(Gaussian(2), "1e-6"))
    assert (shape.steps, shape.q, shape.batch, shape.size, shape.noises) == (1, 1, None, None, (Gaussian(2),))


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.inf, math.nan])
def test_a_scale_that_is_none_is_refused_whatever_there_is_to_noise(sigma):
    with pytest.raises(InternalError, match="scale"):
        noised([], sigma, generator_of(SecretSeed.fresh(), 0, 1))


@pytest.mark.parametrize(
    ("sigma", "grid"), [(1.0, 2.0**-20), (1.5, 2.0**-20), (2.0, 2.0**-19), (0.75, 2.0**-21)]
)
def test_the_grid_is_a_millionth_of_the_noise_and_no_coarser(sigma, grid):
    (released,) = noised([np.zeros(200)], sigma, generator_of(SecretSeed.fresh(), 0, 1))
    whole = released / grid  # exact: a power of two divides without rounding
    assert (whole == np.rint(whole)).all()
    assert (whole % 2 == 1).any()  # odds of a false alarm: 2^-200


def test_a_deviation_is_rounded_up_and_by_no_more_than_a_float():
    found = deviation(Gaussian(1, 3), 1.0)
    assert Fraction(math.nextafter(found, 0)) < Fraction(1, 3) <= Fraction(found)
    assert Fraction(deviation(Gaussian(3, 2), 0.5)) == Fraction(3, 4)


@pytest.mark.parametrize("clip", [0.0, -1.0, math.inf, math.nan])
def test_a_clipping_norm_that_is_none_is_refused_and_draws_nothing(ledger, clip):
    step = opened(ledger).step()
    with pytest.raises(InternalError, match="clipping norm"):
        step.noised([np.zeros(1)], clip)
    assert step.noised([np.zeros(1)], 1.0)


def test_there_is_no_noise_before_the_first(ledger):
    with pytest.raises(PermitMismatch):
        opened(ledger).step().noised([np.zeros(1)], 1.0, part=-1)


@pytest.mark.parametrize(("event", "start", "disjoint", "fits"), [
    (EVENT, 3, 1, True),
    (EVENT, 4, 1, False),
    (EVENT, -1, 1, False),
    (EVENT, 0, 0, False),
    (EVENT, 0, 2, False),
    (SealedPlan(Repeated(TruncatedPoissonSampled(1, 10, 40, Gaussian(5)), 3), "1e-6"), 0, 2, False),
    (SealedPlan(Repeated(Gaussian(2), 3), "1e-6"), 6, 2, True),
    (SealedPlan(Repeated(Gaussian(2), 3), "1e-6"), 7, 2, False),
])  # fmt: skip
def test_a_stream_starts_within_its_steps_and_shares_no_sample(ledger, event, start, disjoint, fits):
    seed = SecretSeed.fresh()
    permit = ledger.charge(event, why="a test", question=seed.question(RUN))
    if fits:
        assert NoiseStream(permit, seed, RUN, start=start, disjoint=disjoint).taken == start
        return
    with pytest.raises(PermitMismatch):
        NoiseStream(permit, seed, RUN, start=start, disjoint=disjoint)
    NoiseStream(permit, seed, RUN)  # a refusal leaves the permit as it was
