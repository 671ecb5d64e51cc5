"""The frozen plan of a training run: sampling, clipping, noise, divisor, unit and event, which must agree.

Everything the privacy of a run depends on is fixed here, before data are touched; how fast it runs is said elsewhere
(`StepSpeed`) and cannot change it. The noise is the least that the loss distribution of the very sampling that will
be used allows at the promise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from privet.artifact import Displayed
from privet.errors import BadTraining, NoSolution, PrivetError, checked
from privet.guarantee import (
    ApproxDP,
    Change,
    Composed,
    Event,
    Gaussian,
    PoissonSampled,
    Promise,
    Repeated,
    Row,
    SealedPlan,
    TruncatedPoissonSampled,
    Unit,
    ZeroConcentratedDP,
    calibrate,
    certify,
    epsilon_for,
    readable,
    solve,
    unit_to_json,
    zcdp_cost,
)

if TYPE_CHECKING:
    from torch import nn

Sampling = Literal["poisson", "truncated", "shuffled", "full"]
Style = Literal["flat", "automatic", "adaptive"]
SAMPLINGS, STYLES = ("poisson", "truncated", "shuffled", "full"), ("flat", "automatic", "adaptive")
PRECISE = ("torch.float32", "torch.float64")  # what sums of clipped gradients may be computed in
# Points between the first and the last step at which the loss so far is computed.
_POINTS = 16


@dataclass(frozen=True, slots=True)
class Clipping:
    """How far one example can move a step.

    Args:
        bound: the largest norm of an example's gradient; for "adaptive" the first one.
        style: "flat" cuts norms off at the bound; "automatic" scales every gradient to the bound, so that only the
            learning rate is left to choose; "adaptive" moves the bound to a quantile of the norms, which is estimated
            with noise and paid for (Andrew, Thakkar, McMahan, Ramaswamy: NeurIPS 2021).
        quantile: the share of examples that adaptive clipping leaves uncut.
        pace: how fast adaptive clipping moves.
        count_noise: the noise on the number of uncut examples; by default a twentieth of the batch.
    """

    bound: float = 1.0
    style: Style = "flat"
    quantile: float = 0.5
    pace: float = 0.2
    count_noise: float | None = None

    def faults(self) -> list[str]:
        """What is wrong with it, in sentences."""
        found = []
        if not _is_positive(self.bound):
            found.append("the clipping bound must be positive and finite.")
        if self.style not in STYLES:
            found.append(f"the clipping style must be one of {', '.join(STYLES)}.")
        if not (_is_positive(self.quantile) and self.quantile < 1):
            found.append("the quantile of adaptive clipping must lie between 0 and 1.")
        if not _is_positive(self.pace):
            found.append("the pace of adaptive clipping must be positive and finite.")
        if self.count_noise is not None and not _is_positive(self.count_noise):
            found.append("the noise on the number of uncut examples must be positive and finite.")
        return found


@dataclass(frozen=True)
class TrainingPlan(Displayed):
    """One training run as it will be booked: see `plan`. Holds no data, and nothing of it was read off data."""

    promise: ApproxDP | ZeroConcentratedDP
    unit: Row
    sampling: Sampling
    steps: int
    records: int
    batch: int
    cut: int | None
    disjoint: int
    clipping: Clipping
    noise_multiplier: Fraction
    divisor: float
    event: Event
    trained: tuple[tuple[str, tuple[int, ...]], ...]
    _drawn_as: ClassVar[str] = "training plan"
    _losses: dict[int, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def q(self) -> Fraction:
        """The probability that a record is in a batch, as far as the account makes use of it."""
        return _rate(self.sampling, self.records, self.batch)

    @property
    def reach(self) -> int:
        """By how many clipping bounds one changed record moves a sum: 2 where a record may be replaced."""
        return 2 if self.unit.change is Change.REPLACE else 1

    @property
    def weights(self) -> int:
        """How many numbers are trained."""
        return sum(math.prod(shape) for _, shape in self.trained)

    def epsilon_after(self, steps: int) -> float:
        """An epsilon that holds, at the promise's delta, for what the first `steps` steps tell."""
        if steps <= 0:
            return 0.0
        draws, last = math.ceil(steps / self.disjoint), math.ceil(self.steps / self.disjoint)
        # A loss a little later than asked for bounds it, and only a few of them are computed.
        point = min(last, max(draws, math.ceil(draws * _POINTS / last) * last // _POINTS))
        if point not in self._losses and isinstance(self.promise, ZeroConcentratedDP):
            run = Repeated(self._one(), point)
            self._losses[point] = epsilon_for(run, Fraction(1, 10**6), accountant="zcdp").epsilon
        if point not in self._losses:
            assert isinstance(self.promise, ApproxDP)
            delta = self.promise.delta
            whole = certify(SealedPlan(Repeated(self._one(), last), delta), self.unit.change).epsilon
            self._losses[point] = min(whole, _epsilon(self._one(), point, delta, self.unit.change))
        return self._losses[point]

    def _one(self) -> Event:
        inner = self.event.event if isinstance(self.event, SealedPlan) else self.event
        assert isinstance(inner, Repeated)
        return inner.event

    def to_json(self) -> dict[str, Any]:
        """A stable record of the whole plan."""
        return {
            "schema": 1,
            "promise": self.promise.to_json(),
            "unit": unit_to_json(self.unit),
            "sampling": self.sampling,
            "steps": self.steps,
            "records": self.records,
            "batch": self.batch,
            "cut": self.cut,
            "disjoint": self.disjoint,
            "clipping": {
                "bound": self.clipping.bound,
                "style": self.clipping.style,
                "quantile": self.clipping.quantile,
                "pace": self.clipping.pace,
            },
            "divisor": self.divisor,
            "event": self.event.to_json(),
            "trained": [[name, list(shape)] for name, shape in self.trained],
        }

    def __str__(self) -> str:
        how = {
            "poisson": f"Poisson batches of about {self.batch} (each record with probability {float(self.q):.4g})",
            "truncated": f"Poisson batches of about {self.batch}, cut at {self.cut}",
            "shuffled": f"shuffled batches of about {self.batch}, charged without amplification",
            "full": "all records in every step",
        }[self.sampling]
        return (
            f"{self.steps} steps on {how}; clipping {self.clipping.style} at {self.clipping.bound:g}; noise "
            f"{float(self.noise_multiplier):.4g} times the bound; sums divided by {self.divisor:g}; "
            f"{_words(self.promise)}, hiding {self.unit.sentence()}"
        )


@checked
def plan(  # noqa: PLR0913
    model: nn.Module,
    promise: Promise,
    *,
    records: int,
    batch: int,
    steps: int | None = None,
    noise_multiplier: float | None = None,
    sampling: Sampling = "poisson",
    cut: int | None = None,
    clipping: float | Clipping = 1.0,
    divisor: float | None = None,
    unit: Unit | None = None,
) -> TrainingPlan:
    """Fix a training run: everything its privacy depends on, in one object, before any data are touched.

    Args:
        model: a `torch.nn.Module`; its parameters with `requires_grad` are trained, nothing else is.
        promise: `ApproxDP(epsilon, delta)`, or `ZeroConcentratedDP(rho)` without sampling.
        records: how many records there are, as a *public* number: an estimate is fine; for "truncated" it must be an
            upper bound. Sampling rates and divisors use it, never the number of records found.
        batch: how many records a batch holds on average.
        steps: how many steps to take; the noise is calibrated to them.
        noise_multiplier: the noise in clipping bounds, instead of `steps`: as many steps as the promise allows.
        sampling: "poisson": each record is in each batch at random, on its own. "truncated": the same, cut to at most
            `cut` records at random, and accounted as that. "shuffled": each record once in an epoch, charged without
            amplification. "full": all records in every step.
        cut: the most records in a batch, for "truncated".
        clipping: the clipping bound, or a `Clipping`.
        divisor: what noisy sums are divided by: a public constant, by default `batch`.
        unit: `Row()`: one record is one unit. Whoever has several records must be made one example first.

    Guarantee:
        Weights trained with this plan, and all iterates on the way, keep the promise for the unit.
    Assumes:
        What the proof note of `privet.mechanism._gradient_noise` assumes; `records` bounds the data for "truncated".
    """
    chosen = clipping if isinstance(clipping, Clipping) else Clipping(clipping)
    own = Row() if unit is None else unit
    faults = [
        *_promise_faults(promise, sampling),
        *_size_faults(records, batch, sampling, cut, divisor),
        *_unit_faults(own, sampling),
        *_length_faults(steps, noise_multiplier),
        *chosen.faults(),
    ]
    weights = trained_weights(model)
    faults += weight_faults(weights)
    if faults:
        raise BadTraining(" ".join(faults), "Correct what is named; nothing was read or spent.")
    assert isinstance(promise, ApproxDP | ZeroConcentratedDP)
    assert isinstance(own, Row)
    from privet.protect.train.gradients._record_mixing import refuse_batch_statistics

    refuse_batch_statistics(model)
    full = sampling == "full"
    size = records if full else batch
    disjoint = max(1, round(records / batch)) if sampling == "shuffled" else 1
    account = _Account(
        sampling,
        _rate(sampling, records, batch),
        cut,
        records,
        _count_noise(chosen, size),
        promise,
        own.change,
    )
    if steps is None:
        sigma = Fraction(noise_multiplier or 0)
        length = _draws_within(account, sigma) * disjoint
    else:
        length = steps
        sigma = _noise_for(account, math.ceil(steps / disjoint))
    return TrainingPlan(
        promise,
        own,
        sampling,
        length,
        records,
        size,
        cut,
        disjoint,
        chosen,
        sigma,
        float(divisor if divisor is not None else size),
        account.event(sigma, math.ceil(length / disjoint)),
        tuple((name, tuple(weight.shape)) for name, weight in weights.items()),
    )


def trained_weights(model: object) -> dict[str, nn.Parameter]:
    """The parameters of a model that are trained, by name; refuses what is no model."""
    if not callable(getattr(model, "named_parameters", None)):
        raise BadTraining("what is trained is a torch.nn.Module.", "Give the model itself.")
    named = model.named_parameters()  # type: ignore[attr-defined]
    return {name: weight for name, weight in named if weight.requires_grad}


def weight_faults(weights: dict[str, nn.Parameter]) -> list[str]:
    """What is wrong with parameters that are to be trained, in sentences."""
    if not weights:
        return ["the model has no parameters to train (requires_grad)."]
    coarse = [name for name, weight in weights.items() if str(weight.dtype) not in PRECISE]
    if not coarse:
        return []
    return [
        f"{coarse[0]!r} ({len(coarse)} in all) is kept in {weights[coarse[0]].dtype}, in which one record moves a "
        "sum by more than the bound through rounding: train in torch.float32; what is frozen may be coarser."
    ]


# --- accounting --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Account:
    """What decides the event of a run besides its noise and its length."""

    sampling: Sampling
    q: Fraction
    cut: int | None
    records: int
    count_noise: Fraction | None
    promise: ApproxDP | ZeroConcentratedDP
    change: Change

    def one(self, sigma: Fraction) -> Event:
        """One step. Noise is in units of what one record can move a sum by, so replacement needs no special case."""
        noise: Event = Gaussian(sigma, 1)
        if self.count_noise is not None:
            noise = Composed([noise, Gaussian(self.count_noise, Fraction(1, 2))])
        if self.sampling == "poisson" and self.q < 1:
            return PoissonSampled(self.q, noise)
        if self.sampling == "truncated":
            assert self.cut is not None
            return TruncatedPoissonSampled(self.q, self.cut, self.records, noise)
        return noise

    def event(self, sigma: Fraction, draws: int) -> Event:
        """The whole run, sealed where its promise has a delta."""
        run = Repeated(self.one(sigma), draws)
        return SealedPlan(run, self.promise.delta) if isinstance(self.promise, ApproxDP) else run

    @property
    def accountant(self) -> str | None:
        """Loss distributions where batches are sampled; else whatever is tightest."""
        return "pld" if self.sampling in ("poisson", "truncated") and self.q < 1 else None


@lru_cache(maxsize=64)
def _noise_for(account: _Account, draws: int) -> Fraction:
    if account.sampling == "truncated" and account.q < 1:
        return _truncated_noise(account, draws)
    return calibrate(
        lambda sigma: Repeated(account.one(sigma), draws),
        account.promise,
        accountant=account.accountant,
        change=account.change,
    )


def _truncated_noise(account: _Account, draws: int) -> Fraction:
    """A little more noise than plain Poisson sampling needs: the account of a cut batch is slow, so few are tried.

    On a coarser grid, which overstates the loss a little more: the booking's own certificate can only be lower.
    """
    assert isinstance(account.promise, ApproxDP)
    target = account.promise
    plain = float(_noise_for(replace(account, sampling="poisson", cut=None), draws))

    def fits(gap: float) -> bool:
        run = Repeated(account.one(Fraction(plain * (1 + gap))), draws)
        return epsilon_for(run, target.delta, accountant="pld", grid=1e-3).epsilon <= target.epsilon

    too_small, enough = 0.0, 2.0**-10
    while not fits(enough):
        too_small, enough = enough, 4 * enough
    while enough - too_small > 0.01 * (1 + enough):
        middle = (too_small + enough) / 2
        too_small, enough = (too_small, middle) if fits(middle) else (middle, enough)
    return Fraction(plain * (1 + enough))


@lru_cache(maxsize=64)
def _draws_within(account: _Account, sigma: Fraction) -> int:
    if isinstance(account.promise, ZeroConcentratedDP):
        draws = math.floor(account.promise.rho / zcdp_cost(account.one(sigma)).rho)
        if draws < 1:
            raise NoSolution("not even one step keeps the promise.", "Raise rho, or use more noise.")
        return draws
    return int(
        solve(
            lambda draws: Repeated(account.one(sigma), int(draws)),
            account.promise.delta,
            account.promise.epsilon,
            increasing=True,
            integer=True,
            accountant=account.accountant,
            change=account.change,
        )
    )


@lru_cache(maxsize=256)
def _epsilon(one: Event, draws: int, delta: Fraction, change: Change) -> float:
    """The loss of so many draws, quickly, by Rényi accounting: for a progress bar."""
    run = Repeated(one, draws)
    try:
        return epsilon_for(run, delta, change=change, accountant="rdp").epsilon
    except PrivetError:  # no Rényi bound is known for truncated samples
        return epsilon_for(run, delta, change=change).epsilon


def _words(promise: ApproxDP | ZeroConcentratedDP) -> str:
    if isinstance(promise, ZeroConcentratedDP):
        return f"rho {readable(promise.rho)}"
    return f"epsilon {readable(promise.epsilon)} at delta {readable(promise.delta)}"


def _rate(sampling: Sampling, records: int, batch: int) -> Fraction:
    return min(Fraction(1), Fraction(batch, records)) if sampling in ("poisson", "truncated") else Fraction(1)


def _count_noise(clipping: Clipping, batch: int) -> Fraction | None:
    if clipping.style != "adaptive":
        return None
    return Fraction(clipping.count_noise if clipping.count_noise is not None else max(batch / 20, 1.0))


# --- faults ------------------------------------------------------------------------------------


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf


def _promise_faults(promise: Promise, sampling: object) -> list[str]:
    if sampling not in SAMPLINGS:
        return [f"sampling must be one of {', '.join(SAMPLINGS)}."]
    if isinstance(promise, ZeroConcentratedDP) and sampling in ("poisson", "truncated"):
        return [
            "zero-concentrated privacy is not amplified by sampling; promise ApproxDP, or sample in full."
        ]
    if not isinstance(promise, ApproxDP | ZeroConcentratedDP) or not getattr(promise, "delta", 1):
        return ["gradient noise promises ApproxDP(epsilon, delta) or ZeroConcentratedDP(rho)."]
    return []


def _size_faults(records: object, batch: object, sampling: object, cut: object, divisor: object) -> list[str]:
    found = [
        f"{name} must be a whole number of at least 1."
        for name, value in (("records", records), ("batch", batch))
        if not isinstance(value, int) or isinstance(value, bool) or value < 1
    ]
    if not found and isinstance(batch, int) and isinstance(records, int) and batch > records:
        found.append("a batch cannot hold more than all records.")
    if (sampling == "truncated") != isinstance(cut, int):
        found.append('cut says how many records a batch holds at most; "truncated" sampling needs it.')
    elif isinstance(cut, int) and isinstance(batch, int) and cut < batch:
        found.append("cut must be at least the average batch.")
    if divisor is not None and not (isinstance(divisor, int | float) and 0 < divisor < math.inf):
        found.append("the divisor must be a positive constant.")
    return found


def _unit_faults(unit: Unit, sampling: object) -> list[str]:
    if not isinstance(unit, Row):
        return [
            "the unit of gradient training is one record: make each person's rows one example, and use Row()."
        ]
    if unit.change is Change.REPLACE and sampling in ("poisson", "truncated"):
        return [
            "amplification by sampling is accounted for records that are added or removed, not replaced: use "
            'Row() (it also covers records that are zeroed out), or sampling="shuffled" or "full".'
        ]
    return []


def _length_faults(steps: object, noise: object) -> list[str]:
    if (steps is None) == (noise is None):
        return ["give either steps or noise_multiplier: the other follows from the promise."]
    if steps is not None and (not isinstance(steps, int) or isinstance(steps, bool) or steps < 1):
        return ["steps must be a whole number of at least 1."]
    if noise is not None and not (isinstance(noise, int | float) and 0 < noise < math.inf):
        return ["noise_multiplier must be positive and finite."]
    return []
