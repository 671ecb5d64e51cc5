"""Which learner a table gets that nobody chose one for: by public figures alone, so the choice costs nothing."""

from __future__ import annotations

from typing import Any

from privet.guarantee import ApproxDP
from privet.protect.train.tabular._learner_registry import Planned, Task, learner

WIDE = 100  # columns
KNOWN = 400.0  # records · epsilon for each column


def automatic(task: Task, promise: ApproxDP) -> str:
    """The learner's name: "centroids" for two classes, many columns and few records for each; "linear" for all else.

    Gradients of many columns drown in noise where only some of the columns say anything and there are few records
    for each of them; where there are enough, gradients see what columns say together, which class means do not.
    """
    columns = len(task.features.columns)
    known = task.records * float(promise.epsilon) / columns
    wide = len(task.target.classes) == 2 and columns >= WIDE and known < KNOWN
    return "centroids" if wide else "linear"


class AutomaticLearner:
    """Whichever the public figures call for; one that is given options is linear, as only it has some."""

    def plan(self, task: Task, promise: ApproxDP, **options: Any) -> Planned:
        """Settled by the learner that was chosen."""
        return learner("linear" if options else automatic(task, promise)).plan(task, promise, **options)
