"""A whole run, replayed on data with one record more: in every step the sums differ by what that record may add, and no more.

The first run is noised as it is booked. The second has the same secret seed, and is given the noisy sums of the first, so that its
weights, its moments and its clipping bound take the same way. What is left to differ in each step is what the mechanism has to
hide: nothing where the record is not in the batch, at most the bound of that step where it is.
"""

import numpy as np
import pytest
import torch
from tests.protect.train.gradients.models import seeded
from torch import nn

import privet as pv
from privet.guarantee._toeplitz_strategy import encoded_by_inverse
from privet.mechanism import _correlated_noise as correlated_noise
from privet.mechanism import _gradient_noise as gradient_noise
from privet.protect.train.gradients import (
    BandedInverseNoise,
    BandedNoise,
    Clipping,
    Optimizer,
    plan,
    train_model,
)
from privet.protect.train.gradients._training_run import ROUNDING

N, STEPS = 48, 24
ADAPTIVE = {"clipping": Clipping(0.5, "adaptive", pace=1.0, count_noise=2.0)}
RUNS = {
    "momentum": ({"clipping": 0.3}, Optimizer(rate=2.0, momentum=0.9)),
    "Adam": ({"clipping": 0.3}, Optimizer("adam", rate=0.05)),
    "Adam, corrected": ({"clipping": 0.3}, Optimizer("adam_bc", rate=0.05)),
    "automatic clipping": ({"clipping": Clipping(0.3, "automatic")}, Optimizer(rate=2.0, average=0.9)),
    "adaptive clipping": (ADAPTIVE, Optimizer(rate=2.0)),
    "all records": ({"clipping": 0.3, "sampling": "full", "batch": N}, Optimizer(rate=2.0)),
    "an epoch": ({"clipping": 0.3, "sampling": "shuffled"}, Optimizer(rate=2.0)),
    # The one who comes and goes has as many records as everybody else, and more than count in a step.
    "people": ({"clipping": 0.3, "unit": pv.Person("who", max_rows=2)}, Optimizer(rate=2.0)),
    "people, added up": (
        {"clipping": 0.3, "unit": pv.Person("who", max_rows=2), "pooling": "sum"},
        Optimizer("adam", rate=0.05),
    ),
    "correlated": ({"clipping": 0.3, "sampling": "epochs", "noise": "correlated"}, Optimizer(rate=2.0)),
    "correlated by bands": (
        {"clipping": 0.3, "sampling": "epochs", "noise": BandedNoise(5)},
        Optimizer("adam_bc", rate=0.05),
    ),
    "correlated by an inverse": (
        {"clipping": 0.3, "sampling": "epochs", "noise": BandedInverseNoise(4)},
        Optimizer(rate=2.0, momentum=0.9),
    ),
    "cyclic": (
        {"clipping": 0.3, "sampling": "cyclic", "noise": BandedNoise(2), "batch": 12},
        Optimizer(rate=2.0),
    ),
}
EACH = 3  # records of a person


def records(outlier):
    """Forty-eight, and the one that comes and goes: much louder than the others."""
    x = torch.randn(N + 1, 6, generator=torch.Generator().manual_seed(0))
    y = x[:, :3].argmax(1)
    x[N] *= outlier
    y[N] = (y[N] + 1) % 3
    return x, y


@pytest.fixture
def taken(monkeypatch):
    """What each step summed, drew and released, in order; `replay` holds what a second run is given instead of noise."""
    monkeypatch.setattr("privet.mechanism._secret_seed.fresh_bytes", lambda count: bytes(range(count)))
    log, replay = [], []
    classes = gradient_noise.NoiseStep, correlated_noise.CorrelatedStep
    drawn = {cls: (cls.noised, cls.mask) for cls in classes}

    def noised(self, sums, clip, *, part=0):
        released = replay.pop(0) if replay else drawn[type(self)][0](self, sums, clip, part=part)
        exact = np.concatenate([np.array(one, float).ravel() for one in sums])
        log.append((self.index, part, clip, exact, tuple(one.copy() for one in released)))
        return released

    def mask(self, size):
        found = drawn[type(self)][1](self, size)
        masks.setdefault(size, {})[self.index] = found
        return found

    masks: dict = {}
    for cls in classes:
        monkeypatch.setattr(cls, "noised", noised)
        monkeypatch.setattr(cls, "mask", mask)
    return log, replay, masks


def run(name, size, outlier):
    settings, optimizer = RUNS[name]
    model = seeded(lambda: nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3)))
    given = {"records": N, "batch": 16, **settings}
    sampled = given.get("sampling", "poisson") in ("poisson", "cyclic")
    promise = pv.ApproxDP(4, "1e-5") if sampled else pv.ZeroConcentratedDP(1)
    made = plan(model, promise, steps=STEPS, **given)
    x, y = (values[:size] for values in records(outlier))
    people = None
    if isinstance(made.unit, pv.Person):
        people = np.repeat(np.arange(size), EACH)
        turned = torch.arange(EACH).repeat(size)  # nobody's records are alike
        x, y = x.repeat_interleave(EACH, 0), (y.repeat_interleave(EACH) + turned) % 3
    train_model(
        model,
        (x, y),
        made,
        people=people,
        ledger=pv.Ledger.in_memory(limit=promise, unit=made.unit),
        why="a test",
        optimizer=optimizer,
    )
    return made, [weight.detach().clone() for weight in model.parameters()]


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("outlier", [1.0, 100.0])
def test_in_no_step_does_a_record_add_more_than_the_bound(taken, name, outlier):
    log, replay, masks = taken
    made, weights = run(name, N, outlier)
    first = list(log)
    log.clear()
    replay += [released for *_, released in first]
    _, again = run(name, N + 1, outlier)
    assert not replay
    assert all(torch.equal(one, other) for one, other in zip(weights, again, strict=True)), "one way for both"
    assert {index for index, *_ in log} == set(range(STEPS))
    assert len(log) == len(first) == STEPS * (2 if name == "adaptive clipping" else 1)
    largest = 0.0
    for (index, part, clip, exact, _), (index_, part_, clip_, other, _) in zip(first, log, strict=True):
        assert (index, part, clip) == (index_, part_, clip_)
        with_it = masks[N + 1][index]
        assert np.array_equal(with_it[:N], masks[N][index]), "the batches of the others are the same"
        moved = np.linalg.norm(other - exact)
        rounding = clip * ROUNDING
        assert moved <= (clip if with_it[N] else 0.0) + rounding
        if part == 0:
            largest = max(largest, moved / clip)
    taking_part = [masks[N + 1][index][N] for index in range(STEPS)]
    assert any(taking_part)
    if made.rounds is not None:
        refuse_other_pattern(made, masks[N + 1])
        assert moved_at_most(made, first, log) <= moved_of(made) * (1 + 2 * ROUNDING)
    assert made.sampling == "full" or not all(taking_part)
    assert outlier == 1 or largest > 0.99, "the bound is met: a looser clipping would have shown"


def refuse_other_pattern(made, masks):
    """Everybody takes part at most once in a round, always at the same place, and so at a known distance."""
    turns = np.array([masks[index] for index in range(STEPS)])
    for record in turns.T:
        at = np.flatnonzero(record)
        assert (np.diff(at) >= made.disjoint).all()
        assert len(set(at % made.disjoint)) <= 1
        assert len(at) <= -(-STEPS // made.disjoint)


def moved_of(made):
    """How far one record may move what the strategy makes of all steps, in clipping bounds."""
    inner = made.event.event if hasattr(made.event, "event") and hasattr(made.event, "delta") else made.event
    if made.rounds.strategy is not None:
        return float(made.rounds.strategy.sensitivity())
    return float(inner.squares()) ** 0.5


def moved_at_most(made, first, log):
    """How far it did: C times what the two runs differ by."""
    clip = first[0][2]
    changes = (
        np.array([other - exact for (*_, exact, _), (*_, other, _) in zip(first, log, strict=True)]) / clip
    )
    if made.rounds.strategy is not None:
        column = made.rounds.strategy.column() / 2**31
    else:
        column = encoded_by_inverse(made.event.bands, STEPS) / 2**31
    whole = np.zeros(STEPS)
    whole[: len(column)] = column[:STEPS]
    encoded = sum(np.diag([value] * (STEPS - j), -j) for j, value in enumerate(whole))
    return np.linalg.norm(encoded @ changes)


@pytest.mark.parametrize(
    ("name", "bound"), [("momentum", 1.05), ("adaptive clipping", 1.05), ("correlated", 1.05)]
)
def test_a_looser_clipping_shows(taken, monkeypatch, name, bound):
    """The same replay, with gradients cut at a little more than the bound that is noised."""
    from privet.protect.train.gradients import _training_run as training_run

    rule = training_run.ClippingRule
    monkeypatch.setattr(training_run, "ClippingRule", lambda own, **more: rule(own * bound, **more))
    with pytest.raises(AssertionError):
        test_in_no_step_does_a_record_add_more_than_the_bound(taken, name, 100.0)


def test_a_record_that_leaves_a_trace_between_steps_shows(taken, monkeypatch):
    """A bound that moves by the exact norms of a batch, instead of the noisy count that was paid for."""
    from privet.protect.train.gradients import _training_state as training_state

    log, _, _ = taken
    adapt = training_state.State.adapt

    def leaky(self, share, quantile, pace):
        exact = float(log[-1][3][0])  # the count before its noise
        adapt(self, exact / 16 + 0.5, quantile, pace)

    monkeypatch.setattr(training_state.State, "adapt", leaky)
    with pytest.raises(AssertionError):
        test_in_no_step_does_a_record_add_more_than_the_bound(taken, "adaptive clipping", 100.0)
