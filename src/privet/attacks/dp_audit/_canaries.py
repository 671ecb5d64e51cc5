"""Canaries: examples put into training to be looked for afterwards, each in or out by the toss of a coin.

Black box: records with a wrong label, which a model fits only if it has seen them. White box: examples whose gradient
points along a coordinate of its own, louder than the clipping norm, so that clipping is put to the test as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from privet.attacks._attack_records import records_of
from privet.attacks._attack_target import target_of
from privet.attacks._membership_signals import log_odds
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.dp_audit._run_recorder import Observed
from privet.errors import BadAttack

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Canaries(Protocol):
    """What an audit needs of its canaries: how many there are, and how much each looks used after a run."""

    @property
    def access(self) -> str:
        """What the adversary sees."""
        ...

    @property
    def gaussian(self) -> bool:
        """Whether what is seen is claimed to carry Gaussian noise."""
        ...

    def __len__(self) -> int: ...

    def scores(self, trained: Any) -> NDArray[np.float64]:
        """One number for each canary, larger where it seems to have been used."""
        ...


def toss(count: int, seed: int | str = 0) -> NDArray[np.bool_]:
    """Which canaries are used: each with probability one half, on its own."""
    return repeatable_generator(seed, "canaries in or out").random(count) < 0.5


@dataclass(frozen=True)
class GradientCanaries:
    """Dirac canaries: canary i has the gradient `loudness · clip · e_(first + i)` in every step (Nasr et al. 2023).

    The run is an `Observed` whose sums have these coordinates. A right run clips them to `clip`.
    """

    count: int
    clip: float
    first: int = 0
    loudness: float = 10.0
    access: str = "white box: the noisy sums of every step"
    gaussian: bool = True

    def __len__(self) -> int:
        return self.count

    def gradients(self, width: int) -> NDArray[np.float64]:
        """Their gradients before clipping, a row for each, in a space of `width` coordinates."""
        if self.first + self.count > width:
            raise BadAttack("there are more canaries than coordinates.", "Use fewer, or add coordinates.")
        return np.eye(self.count, width, k=self.first) * (self.loudness * self.clip)

    def scores(self, trained: Any) -> NDArray[np.float64]:
        """The sum over all steps of what was released along each canary's coordinate."""
        if not isinstance(trained, Observed) or trained.noisy.shape[1] < self.first + self.count:
            raise BadAttack(
                "gradient canaries are scored on an observed run that has their coordinates.",
                "Let the trainer return an Observed.",
            )
        return np.asarray(trained.noisy[:, self.first : self.first + self.count].sum(0), float)


@dataclass(frozen=True)
class RecordCanaries:
    """Records with a wrong label, scored by how probable the model finds it. Features are an array or a table."""

    features: Any
    labels: NDArray[Any]
    access: str = "black box: probabilities"
    gaussian: bool = False

    def __len__(self) -> int:
        return len(self.labels)

    def chosen(self, included: NDArray[np.bool_]) -> tuple[Any, NDArray[Any]]:
        """The records to put into training, in the kind that the features came in."""
        found = records_of((self.features, self.labels)).take(included)
        return found.native, np.asarray(found.labels)

    def scores(self, trained: Any) -> NDArray[np.float64]:
        """The log odds of each canary's label, for anything that `pv.attack` takes for a model."""
        if not (hasattr(trained, "predict_proba") or callable(trained)):
            raise BadAttack(
                "the trained thing has no predict_proba.", "Return one that has, or score it yourself."
            )
        target, records = target_of(trained), records_of((self.features, self.labels))
        return log_odds(target.probabilities(records), target.codes(self.labels))


def mislabelled(features: Any, labels: Any, count: int, seed: int | str = 0) -> RecordCanaries:
    """Canaries from records that are not used otherwise: drawn without replacement, each with another label than its own."""
    labels = np.asarray(labels)
    classes = np.unique(labels)
    if not 1 <= count <= len(labels) or len(classes) < 2:
        raise BadAttack(
            "canaries need as many spare records as there are to be, and two labels or more.",
            "Hold records out for them.",
        )
    draw = repeatable_generator(seed, "mislabelled canaries")
    rows = draw.permutation(len(labels))[:count]
    own = np.searchsorted(classes, labels[rows])
    wrong = (own + draw.integers(1, len(classes), count)) % len(classes)
    return RecordCanaries(records_of(features).take(rows).native, classes[wrong])
