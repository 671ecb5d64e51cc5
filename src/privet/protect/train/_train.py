"""The verb `train`, carrying what belongs to it: `train.plan`, `train.tune`, and settings of other libraries."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar

from privet.protect.train._private_search import tune
from privet.protect.train.gradients import from_hugging_face, from_lightning, plan
from privet.protect.train.tabular import train as on_a_table

P = ParamSpec("P")
R = TypeVar("R")


class _Train(Generic[P, R]):
    """The verb, carrying what belongs to it: pv.train.plan(model, …)."""

    plan = staticmethod(plan)
    tune = staticmethod(tune)
    from_hugging_face = staticmethod(from_hugging_face)
    from_lightning = staticmethod(from_lightning)

    def __init__(self, verb: Callable[P, R]) -> None:
        self._verb = verb
        functools.update_wrapper(self, verb)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._verb(*args, **kwargs)


train = _Train(on_a_table)
