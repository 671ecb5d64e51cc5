"""What a training went through, kept for the data's owner: losses and clipped shares are exact, and no promise covers them.

The model knows nothing of its log and is never saved with it. What anybody may see stands apart: the epsilon so far
and the signal in the noisy sums (`public`); what only the owner may see is the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NoReturn

from privet.errors import SealBroken
from privet.protect.train.gradients import OwnerView, Progress


class TrainingLog:
    """For the owner alone. Give it to `train(…, log=…)`, or to `train_model(…, progress=log.progress, owner=log.owner)`.

    `privet.save_training_page(log, "page.html")` draws it. It cannot be pickled, and prints nothing of what it holds.

    Args:
        title: What was trained, for the head of the page.
    """

    __slots__ = ("_measured", "_public", "_title", "_twin", "_views", "before", "promised")

    def __init__(self, title: str = "a model") -> None:
        self._title = title
        self._public: list[Progress] = []
        self._views: list[OwnerView] = []
        self._measured: dict[str, float] = {}
        self._twin: dict[str, float] = {}
        self.promised = ""  # the promise in words
        self.before = 0.0  # epsilon that was spent on estimates before the first step

    def progress(self, seen: Progress) -> None:
        """A step, as anybody may see it."""
        self._public.append(seen)

    def owner(self, seen: OwnerView) -> None:
        """A step, as the owner alone may see it."""
        self._views.append(seen)

    def begin(self, title: str, promised: str, before: float) -> None:
        """Say what is trained, under which promise, and what was spent on estimates; what was noted before is dropped."""
        self._title, self.promised, self.before = title, promised, before
        self._public, self._views = [], []

    def measure(self, model: Mapping[str, float], twin: Mapping[str, float] | None = None) -> None:
        """Figures of a test table: of the model, and of a twin without privacy."""
        self._measured, self._twin = dict(model), dict(twin or {})

    @property
    def title(self) -> str:
        """What was trained."""
        return self._title

    @property
    def public(self) -> tuple[Progress, ...]:
        """What anybody may see of each step."""
        return tuple(self._public)

    @property
    def views(self) -> tuple[OwnerView, ...]:
        """What the owner alone may see of each step."""
        return tuple(self._views)

    @property
    def measured(self) -> dict[str, float]:
        """The model on a test table: exact, for that table's owner."""
        return dict(self._measured)

    @property
    def twin(self) -> dict[str, float]:
        """The twin without privacy on the same table: for the owner alone."""
        return dict(self._twin)

    def __repr__(self) -> str:
        return f"<log of {len(self._public)} steps, for the owner alone>"

    def __reduce_ex__(self, *_: object) -> NoReturn:
        raise SealBroken("a log is for the owner's eyes and is not pickled.", "Draw its page instead.")
