"""What a learner is, and the table of all of them.

A learner is asked twice. `plan` sees the task and the promise, never a row: it settles every setting and says which
event is to be booked. `fit` of what it returned sees the rows, and the permit for that very event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from privet.artifact import Features, FittedWeights, ModelTarget
from privet.errors import BadTraining
from privet.guarantee import ApproxDP, Event, Unit
from privet.ledger import Permit
from privet.mechanism import SecretSeed
from privet.protect.train._training_log import TrainingLog

Report = Callable[[int, int], None]  # steps taken, steps in all


@dataclass(frozen=True)
class Task:
    """What is to be learned, as far as it is public. `records` is a public size, or a noisy one that was paid for."""

    features: Features
    target: ModelTarget
    unit: Unit
    records: int
    class_weights: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Examples:
    """The private rows: codes, encoded targets, and whose rows they are (0 … units - 1, in no public order)."""

    codes: NDArray[Any] = field(repr=False)  # whole numbers
    target: NDArray[np.float64] = field(repr=False)
    owner: NDArray[np.int64] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.target)

    @property
    def units(self) -> int:
        """How many units there are: persons, or rows."""
        if self.owner is None:
            return len(self.target)
        return int(self.owner.max(initial=-1)) + 1

    @property
    def parts(self) -> tuple[NDArray[Any] | None, ...]:
        """All that it holds."""
        return self.codes, self.target, self.owner

    def in_order(self) -> Examples:
        """The same rows and units in an order that only they decide: engines hand rows over in any."""
        whole = np.column_stack([self.codes.astype(np.float64), self.target])
        _, rank = np.unique(whole, axis=0, return_inverse=True)
        if self.owner is None:
            order = np.argsort(rank, kind="stable")
            return Examples(self.codes[order], self.target[order])
        first = np.lexsort((rank, self.owner))
        ends = np.cumsum(np.bincount(self.owner, minlength=self.units))[:-1]
        held = [tuple(part) for part in np.split(rank[first], ends)]
        place = np.empty(self.units, dtype=np.int64)
        place[sorted(range(self.units), key=held.__getitem__)] = np.arange(self.units)
        owner = place[self.owner]
        order = np.lexsort((rank, owner))
        return Examples(self.codes[order], self.target[order], owner[order])


@dataclass(frozen=True)
class Paid:
    """Leave to draw what was planned: the permit, and the seed and run that its booking commits to."""

    permit: Permit
    seed: SecretSeed
    run: str


class Planned(Protocol):
    """A learner's settled plan: no data in it."""

    @property
    def event(self) -> Event:
        """What is to be booked."""

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting, for the model's record: from public figures alone."""

    @property
    def replays(self) -> bool:
        """Whether all that is random in it comes from the seed, so that a killed run can be taken up."""

    def fit(
        self,
        examples: Examples,
        paid: Paid,
        report: Report | None = None,
        log: TrainingLog | None = None,
    ) -> FittedWeights:
        """Learn from the rows under the permit; tell the log of each step, if there are steps."""


class Learner(Protocol):
    """One way of learning from a table."""

    def plan(self, task: Task, promise: ApproxDP, **options: Any) -> Planned:
        """Settle everything before any row is read; refuses what it cannot learn."""


# Name → "module:attribute"; loaded when asked for, so that no learner costs those who do not use it.
LEARNERS: dict[str, str] = {
    "boosted_trees": "privet.protect.train._boosted_trees:TreeLearner",
    "centroids": "privet.protect.train._shrunken_centroids:CentroidLearner",
    "ebm": "privet.protect.train._explainable_boosting:BoostingLearner",
    "linear": "privet.protect.train.tabular._linear_models:LinearLearner",
    "mlp": "privet.protect.train._multilayer_perceptron:NetworkLearner",
    "objective": "privet.protect.train._objective_perturbation:ObjectiveLearner",
}
_AUTO = {"auto": "privet.protect.train.tabular._automatic_choice:AutomaticLearner"}


def learner(name: str) -> Learner:
    """The learner of that name; "auto" is the default, see `docs/guide/search-for-settings.md`."""
    known = {**LEARNERS, **_AUTO}
    if name not in known:
        raise BadTraining(
            f"there is no learner called {name!r}.", f"Choose one of auto, {', '.join(sorted(LEARNERS))}."
        )
    module, _, attribute = known[name].partition(":")
    found: Learner = getattr(import_module(module), attribute)()
    return found
