"""The frozen plan of a training run: sampling, clipping, noise, divisor, unit and event, which must agree.

Everything the privacy of a run depends on is fixed here, before data are touched; how fast it runs is said elsewhere
(`StepSpeed`) and cannot change it. The noise is the least that the loss distribution of the very sampling that will
be used allows at the promise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from privet.artifact import Displayed
from privet.errors import BadTraining, checked
from privet.guarantee import (
    ApproxDP,
    Change,
    Event,
    Person,
    Promise,
    Repeated,
    Row,
    SealedPlan,
    Unit,
    ZeroConcentratedDP,
    certify,
    epsilon_for,
    noun,
    readable,
    unit_to_json,
)
from privet.protect.train.gradients._correlated_account import (
    ROUNDS,
    NoiseChoice,
    RoundsAccount,
    choice_faults,
    rounds_account,
)
from privet.protect.train.gradients._person_groups import POOLINGS, Pooling
from privet.protect.train.gradients._plan_faults import (
    is_positive,
    length_faults,
    promise_faults,
    size_faults,
    unit_faults,
    weight_faults,
)
from privet.protect.train.gradients._training_account import (
    Sampling,
    TrainingAccount,
    counting,
    draws_within,
    noise_for,
    quick_epsilon,
    sampling_rate,
)

if TYPE_CHECKING:
    from torch import nn

Style = Literal["flat", "automatic", "adaptive"]
STYLES = ("flat", "automatic", "adaptive")
UNSAMPLED = ("shuffled", *ROUNDS)  # no rule gives these a batch
# Points between the first and the last step at which the loss so far is computed.
_POINTS = 16


@dataclass(frozen=True, slots=True)
class Clipping:
    """How far one example, or all of one person's records together, can move a step.

    Args:
        bound: the largest norm of an example's gradient, or of a person's; for "adaptive" the first one.
        style: "flat" cuts norms off at the bound; "automatic" scales every gradient to the bound, so that only the
            learning rate is left to choose; "adaptive" moves the bound to a quantile of the norms, which is estimated
            with noise and paid for (Andrew, Thakkar, McMahan, Ramaswamy: NeurIPS 2021).
        quantile: the share of examples that adaptive clipping leaves uncut.
        pace: how fast adaptive clipping moves.
        count_noise: the noise on the number of uncut examples; by default a twentieth of the batch, or more where that
            would take more than a tenth of the budget.
    """

    bound: float = 1.0
    style: Style = "flat"
    quantile: float = 0.5
    pace: float = 0.2
    count_noise: float | None = None

    def faults(self) -> list[str]:
        """What is wrong with it, in sentences."""
        found = []
        if not is_positive(self.bound):
            found.append("the clipping bound must be positive and finite.")
        if self.style not in STYLES:
            found.append(f"the clipping style must be one of {', '.join(STYLES)}.")
        if not (is_positive(self.quantile) and self.quantile < 1):
            found.append("the quantile of adaptive clipping must lie between 0 and 1.")
        if not is_positive(self.pace):
            found.append("the pace of adaptive clipping must be positive and finite.")
        if self.count_noise is not None and not is_positive(self.count_noise):
            found.append("the noise on the number of uncut examples must be positive and finite.")
        return found


@dataclass(frozen=True)
class TrainingPlan(Displayed):
    """One training run as it will be booked: see `plan`. Holds no data, and nothing of it was read off data."""

    promise: ApproxDP | ZeroConcentratedDP
    unit: Unit
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
    pooling: Pooling = "mean"
    rounds: RoundsAccount | None = None
    _drawn_as: ClassVar[str] = "training plan"
    _losses: dict[int, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def q(self) -> Fraction:
        """The probability that a unit is in a batch, as far as the account makes use of it.

        Where groups take turns, that of a unit whose group's turn it is.
        """
        if self.rounds is not None:
            return self.rounds.q
        return sampling_rate(self.sampling, self.records, self.batch)

    @property
    def reach(self) -> int:
        """By how many clipping bounds one changed unit moves a sum: 2 where a unit may be replaced."""
        return 2 if self.unit.change is Change.REPLACE else 1

    @property
    def weights(self) -> int:
        """How many numbers are trained."""
        return sum(math.prod(shape) for _, shape in self.trained)

    def deviation_at(self, step: int) -> float:
        """The standard deviation of the noise of one step, counted from 0, in clipping bounds."""
        return float(self.noise_multiplier) if self.rounds is None else self.rounds.deviation_at(step)

    @property
    def carried_deviation(self) -> float:
        """The standard deviation of a step's noise, in clipping bounds, as far as it carries weights away over the run.

        Where noise correlates over steps: that of independent noise which would leave running sums as noisy.
        """
        own = float(self.noise_multiplier) if self.rounds is None else self.rounds.independent_deviation()
        return own * self.reach

    def epsilon_after(self, steps: int) -> float:
        """An epsilon that holds, at the promise's delta, for what the first `steps` steps tell."""
        if steps <= 0:
            return 0.0
        if self.rounds is not None:
            return self._after_rounds(self.rounds, steps)
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
            self._losses[point] = min(whole, quick_epsilon(self._one(), point, delta, self.unit.change))
        return self._losses[point]

    def _after_rounds(self, rounds: RoundsAccount, steps: int) -> float:
        point = min(self.steps, math.ceil(steps * _POINTS / self.steps) * self.steps // _POINTS)
        if point not in self._losses:
            self._losses[point] = rounds.epsilon_after(point, self.promise, self.unit.change)
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
            **({"pooling": self.pooling} if isinstance(self.unit, Person) else {}),
            **({} if self.rounds is None else {"strategy": self.rounds.to_json()}),
        }

    def __str__(self) -> str:
        each = noun(self.unit) if isinstance(self.unit, Person) else "record"
        how = {
            "poisson": f"Poisson batches of about {self.batch} (each {each} with probability {float(self.q):.4g})",
            "truncated": f"Poisson batches of about {self.batch}, cut at {self.cut}",
            "shuffled": f"shuffled batches of about {self.batch}, charged without amplification",
            "full": "all records in every step",
            "epochs": f"batches of about {self.batch} that come round, charged without amplification",
            "cyclic": f"Poisson batches of about {self.batch} from {self.disjoint} group(s) of records in turn",
        }[self.sampling]
        if isinstance(self.unit, Person):
            how += f", the {self.pooling} over at most {self.unit.max_rows} records of each {each}"
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
    batch: int | None = None,
    steps: int | None = None,
    noise_multiplier: float | None = None,
    sampling: Sampling = "poisson",
    cut: int | None = None,
    clipping: float | Clipping = 1.0,
    divisor: float | None = None,
    unit: Unit | None = None,
    pooling: Pooling = "mean",
    noise: NoiseChoice = "independent",
) -> TrainingPlan:
    """Fix a training run: everything its privacy depends on, in one object, before any data are touched.

    Args:
        model: a `torch.nn.Module`; its parameters with `requires_grad` are trained, nothing else is.
        promise: `ApproxDP(epsilon, delta)`, or `ZeroConcentratedDP(rho)` without sampling.
        records: how many units there are (records, or people where the unit is a person), as a *public* number: an
            estimate is fine; for "truncated" it must be an upper bound. Sampling rates and divisors use it, never the
            number that is found.
        batch: how many units a batch holds on average. Left out, the smallest that wastes no privacy: by a rule that knows
            the promise, `records` and `steps`.
        steps: how many steps to take; the noise is calibrated to them.
        noise_multiplier: the noise in clipping bounds, instead of `steps`: as many steps as the promise allows.
        sampling: "poisson": each unit is in each batch at random, on its own. "truncated": the same, cut to at most
            `cut` units at random, and accounted as that. "shuffled": each unit once in an epoch, charged without
            amplification. "full": all of them in every step. "epochs": each unit once in an epoch and always at the same
            place, so that its steps are an epoch apart; charged without amplification. "cyclic": as many groups as the noise
            has bands take turns, and of the group whose turn it is each unit is in the batch at random.
        cut: the most units in a batch, for "truncated".
        clipping: the clipping bound, or a `Clipping`.
        divisor: what noisy sums are divided by: a public constant, by default `batch`.
        unit: `Row()`, the default: one record is one unit. `Person("patient_id", max_rows=20)`: people are sampled, and
            at most so many records of a person count in a step, clipped together. A person who has more gives the
            next ones in turn at each step, and is hidden with all of them.
        pooling: whether the gradients of a person's records are averaged ("mean") or added up ("sum") before clipping.
        noise: "independent" in every step; or, for "epochs" and "cyclic", "correlated" over steps, which leaves trained weights
            less noisy at the same promise: `BufferedToeplitzNoise(…)`, `BandedNoise(…)` or `BandedInverseNoise(…)` say how.

    Guarantee:
        Weights trained with this plan, and all iterates on the way, keep the promise for the unit.
    Assumes:
        What the proof notes of `privet.mechanism._gradient_noise` and `_correlated_noise` assume; `records` bounds the data for "truncated".
    """
    chosen = clipping if isinstance(clipping, Clipping) else Clipping(clipping)
    own = Row() if unit is None else unit
    if batch is None:
        batch = _batch_of(promise, records, steps, sampling)
    faults = [
        *promise_faults(promise, sampling),
        *size_faults(records, batch, sampling, cut, divisor),
        *unit_faults(own, sampling),
        *length_faults(steps, noise_multiplier),
        *chosen.faults(),
        *choice_faults(noise, sampling, chosen.style, has_steps=steps is not None),
    ]
    if pooling not in POOLINGS:
        faults.append(f"pooling must be one of {', '.join(POOLINGS)}.")
    weights = trained_weights(model)
    faults += weight_faults(weights)
    if faults:
        raise BadTraining(" ".join(faults), "Correct what is named; nothing was read or spent.")
    assert isinstance(promise, ApproxDP | ZeroConcentratedDP)
    from privet.protect.train.gradients._cross_record_operations import refuse_batch_statistics

    refuse_batch_statistics(model)
    of = tuple((name, tuple(weight.shape)) for name, weight in weights.items())
    if sampling in ROUNDS:
        assert steps is not None
        return _in_rounds(noise, sampling, records, batch, steps, promise, own, chosen, divisor, of, pooling)
    size = records if sampling == "full" else batch
    disjoint = max(1, round(records / batch)) if sampling == "shuffled" else 1
    rate = sampling_rate(sampling, records, batch)
    account = TrainingAccount(sampling, rate, cut, records, None, promise, own.change)
    account, length, sigma = _calibrated(account, chosen, size, disjoint, steps, noise_multiplier)
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
        of,
        pooling,
    )


def _calibrated(  # noqa: PLR0917
    account: TrainingAccount,
    clipping: Clipping,
    size: int,
    disjoint: int,
    steps: int | None,
    noise_multiplier: float | None,
) -> tuple[TrainingAccount, int, Fraction]:
    """The account with what clipping counts, how many steps there are, and the noise in clipping bounds."""
    draws = None if steps is None else math.ceil(steps / disjoint)
    if clipping.style == "adaptive":
        account = counting(account, clipping.count_noise, size, draws, noise_multiplier)
    if steps is None or draws is None:
        sigma = Fraction(noise_multiplier or 0)
        return account, draws_within(account, sigma) * disjoint, sigma
    return account, steps, noise_for(account, draws)


def _in_rounds(  # noqa: PLR0913, PLR0917 -- what `plan` was told
    noise: NoiseChoice,
    sampling: Sampling,
    records: int,
    batch: int,
    steps: int,
    promise: ApproxDP | ZeroConcentratedDP,
    unit: Unit,
    clipping: Clipping,
    divisor: float | None,
    trained: tuple[tuple[str, tuple[int, ...]], ...],
    pooling: Pooling,
) -> TrainingPlan:
    """The plan of a run whose batches come round."""
    turns = rounds_account(
        noise,
        sampling=sampling,
        records=records,
        batch=batch,
        steps=steps,
        promise=promise,
        change=unit.change,
    )
    return TrainingPlan(
        promise=promise,
        unit=unit,
        sampling=sampling,
        steps=steps,
        records=records,
        batch=batch,
        cut=None,
        disjoint=turns.groups,
        clipping=clipping,
        noise_multiplier=turns.sigma,
        divisor=float(divisor if divisor is not None else batch),
        event=turns.event,
        trained=trained,
        pooling=pooling,
        rounds=turns,
    )


def _batch_of(promise: Promise, records: int, steps: int | None, sampling: Sampling) -> int:
    """The batch that a rule gives where none is stated; refuses where it has too little to go by."""
    if sampling == "full":
        return records
    known = [isinstance(size, int) and not isinstance(size, bool) and size >= 1 for size in (records, steps)]
    if not all(known) or not isinstance(promise, ApproxDP) or not promise.delta or sampling in UNSAMPLED:
        raise BadTraining(
            "how many records a batch holds follows from ApproxDP(epsilon, delta), records and steps, for Poisson batches.",
            "Say what is missing, or how large a batch is: batch=…; nothing was read or spent.",
        )
    assert steps is not None
    from privet.protect.train.gradients._automatic_settings import automatic_batch

    return automatic_batch(promise, records, steps)


def trained_weights(model: object) -> dict[str, nn.Parameter]:
    """The parameters of a model that are trained, by name; refuses what is no model."""
    if not callable(getattr(model, "named_parameters", None)):
        raise BadTraining("what is trained is a torch.nn.Module.", "Give the model itself.")
    named = model.named_parameters()  # type: ignore[attr-defined]
    return {name: weight for name, weight in named if weight.requires_grad}


def _words(promise: ApproxDP | ZeroConcentratedDP) -> str:
    if isinstance(promise, ZeroConcentratedDP):
        return f"rho {readable(promise.rho)}"
    return f"epsilon {readable(promise.epsilon)} at delta {readable(promise.delta)}"
