"""Explainable boosting machines under differential privacy (Nori et al. 2021), fitted by interpret, accounted for here.

Left to itself, interpret reads categories, bounds and the number of rows off the data without paying for them. Here it
sees whole-number codes between public bounds, and always the same public number of rows, so there is nothing left to
read; and what its noise promises is computed from its scales by the accountants of this house.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.artifact import FittedWeights
from privet.errors import BadTraining, InternalError, MissingExtra
from privet.guarantee import (
    ApproxDP,
    Composed,
    Event,
    Gaussian,
    Person,
    Repeated,
    SealedPlan,
    calibrate,
    epsilon_for,
)
from privet.mechanism import fresh_generator
from privet.protect.train._training_log import TrainingLog
from privet.protect.train.tabular import Examples, Paid, Report, Task

ROUNDS, BINS, BIN_SHARE, RATE = 300, 32, 0.1, 0.01
# One unit more or less is one row replaced, since the number of rows is fixed: it leaves one bin and enters another.
REACH = 2


class BoostingLearner:
    """Two classes, one row a unit; needs the extra `ebm`."""

    def plan(self, task: Task, promise: ApproxDP, **options: Any) -> BoostingPlan:
        """The largest budget for interpret at which its noise keeps the promise by our account."""
        faults = []
        if options:
            faults.append(f"the learner ebm has no option {', '.join(sorted(options))}.")
        if len(task.target.classes) != 2:
            faults.append(
                "interpret boosts privately towards two classes; towards a number its residuals are not clipped, "
                "so that no bound holds, and more classes it does not know."
            )
        if isinstance(task.unit, Person) and task.unit.max_rows != 1:
            faults.append("interpret hides rows, not persons with several rows.")
        if task.class_weights:
            faults.append(
                "weights would raise what one row can do; interpret's noise does not follow per class."
            )
        if faults:
            raise BadTraining(" ".join(faults), 'Use model="linear"; nothing was read or spent.')
        given = _budget(len(task.features.columns), promise)
        return BoostingPlan(task, promise, given)


@dataclass(frozen=True)
class BoostingPlan:
    """What interpret will be asked for, and what that costs."""

    task: Task
    promise: ApproxDP
    given: float
    replays = False

    @property
    def event(self) -> Event:
        """All noisy histograms and all noisy sums of gradients, sealed."""
        return SealedPlan(_run(len(self.task.features.columns), self.given, self.promise), self.promise.delta)

    @property
    def settings(self) -> dict[str, Any]:
        """For the model's record."""
        return {
            "rounds": ROUNDS,
            "bins": BINS,
            "rate": RATE,
            "records": self.task.records,
            "interpret_epsilon": self.given,
        }

    def fit(
        self,
        examples: Examples,
        paid: Paid,
        report: Report | None = None,
        log: TrainingLog | None = None,  # noqa: ARG002  it takes no steps that could be told
    ) -> FittedWeights:
        """Boost, check that the noise was what was paid for, and write the terms down as a sum over columns."""
        private = _library().DPExplainableBoostingClassifier
        paid.permit.use()
        codes, classes = _exactly(examples, self.task)
        columns = self.task.features.columns
        machine = private(
            feature_names=[f"column {at}" for at in range(len(columns))],
            feature_types=["continuous"] * len(columns),
            max_bins=BINS,
            exclude=None,
            validation_size=0,
            outer_bags=1,
            learning_rate=RATE,
            max_rounds=ROUNDS,
            n_jobs=1,
            random_state=None,
            epsilon=self.given,
            delta=float(self.promise.delta),
            composition="gdp",
            bin_budget_frac=BIN_SHARE,
            privacy_bounds={at: (0.0, float(column.levels)) for at, column in enumerate(columns)},
        )
        machine.fit(codes + 0.5, classes)
        sigmas = _sigmas(len(columns), self.given, self.promise)
        drawn = machine.noise_scale_binning_, machine.noise_scale_boosting_ / RATE
        if any(found < wanted * (1 - 1e-9) for found, wanted in zip(drawn, sigmas, strict=True)):
            raise InternalError(
                "interpret drew less noise than was booked.", "Use the version that is named."
            )
        if report:
            report(1, 1)
        return FittedWeights(
            "additive", _terms(machine, [column.levels for column in columns]), self.settings
        )


def _terms(machine: Any, levels: list[int]) -> dict[str, NDArray[np.float64]]:
    shapes = []
    for at, many in enumerate(levels):
        places = np.searchsorted(machine.bins_[at][0], np.arange(many) + 0.5, side="right") + 1
        shapes.append(np.asarray(machine.term_scores_[at])[places])
    return {
        "shapes": np.concatenate(shapes)[:, None],
        "intercept": np.atleast_1d(np.asarray(machine.intercept_, dtype=np.float64)),
    }


def _exactly(examples: Examples, task: Task) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """As many rows as the public number says, and one more for each class: others are left out or made up."""
    draw = fresh_generator()
    kept = draw.permutation(len(examples))[: task.records]
    lacking = task.records - len(kept) + 2
    levels = np.array([column.levels for column in task.features.columns])
    made = draw.integers(0, levels, (lacking, len(levels)))
    codes = np.concatenate([examples.codes[kept], made]).astype(np.float64)
    return codes, np.concatenate([examples.target[kept], np.arange(lacking) % 2]).astype(np.int64)


def _sigmas(features: int, given: float, promise: ApproxDP) -> tuple[float, float]:
    """The noise of interpret for each histogram and each sum, where one row moves them by 1."""
    from interpret.utils._privacy import calc_gdp_noise_multi

    half = float(promise.delta) / 2
    return (
        float(calc_gdp_noise_multi(features, given * BIN_SHARE, half)),
        float(calc_gdp_noise_multi(features * ROUNDS, given * (1 - BIN_SHARE), half)),
    )


def _run(features: int, given: float, promise: ApproxDP) -> Event:
    bins, sums = (Fraction(sigma * (1 - 1e-9)) for sigma in _sigmas(features, given, promise))
    return Composed(
        [Repeated(Gaussian(bins, REACH), features), Repeated(Gaussian(sums, REACH), features * ROUNDS)]
    )


def _budget(features: int, promise: ApproxDP) -> float:
    """The largest epsilon to give to interpret. Gaussian noises compose to one, whose size is easy to bisect on."""
    _library()
    most = 1 / float(calibrate(lambda sigma: Gaussian(sigma, 1), promise))

    def fits(given: float) -> bool:
        bins, sums = _sigmas(features, given, promise)
        return REACH * math.sqrt(features / bins**2 + features * ROUNDS / sums**2) <= most

    low, high = float(promise.epsilon) / 100, float(promise.epsilon)
    if not fits(low):
        raise BadTraining("the promise is too small for boosting.", 'Raise it, or use model="linear".')
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    while epsilon_for(_run(features, low, promise), promise.delta).epsilon > promise.epsilon:
        low *= 0.999
    return low


def _library() -> Any:
    try:
        from interpret import privacy
    except ImportError:
        raise MissingExtra("boosting needs interpret-core.", "pip install 'privet[ebm]'") from None
    return privacy
