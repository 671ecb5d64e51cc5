"""A process that does not lead a run: it does its share of every step, checks what it computed, and knows neither seed nor noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from privet.artifact import Receipt
from privet.errors import InternalError
from privet.protect.train.gradients._clipped_steps import ClippedSteps
from privet.protect.train.gradients._data_parallel import DealtStep, ParallelSteps
from privet.protect.train.gradients._neighbour_check import is_due
from privet.protect.train.gradients._process_group import stop_of
from privet.protect.train.gradients._sharded_optimizer import ShardedState
from privet.protect.train.gradients._step_guard import StepGuard
from privet.protect.train.gradients._torch_globals import own_generator
from privet.protect.train.gradients._training_progress import Progress
from privet.protect.train.gradients._training_state import State

_STOPPED = "The run was booked and stopped where it was; do not publish this model."


def follow(
    steps: ClippedSteps, state: State, guard: StepGuard, refuse_more: Callable[[], None]
) -> tuple[Receipt, tuple[Progress, ...]]:
    """Do what the first process says until all steps are taken; the entry that paid, and what anybody may see.

    Args:
        steps: what computes sums.
        state: what moves; of its optimizer only a part that is this process's own.
        guard: what was there before the first record was seen.
        refuse_more: looks at what leaves with the model.
    """
    assert isinstance(steps, ParallelSteps)
    begun = _next(steps)
    receipt = Receipt.from_json(begun["receipt"])
    if isinstance(state, ShardedState):
        state.take_over(steps.ranks.told_bytes())
    else:
        steps.take_over()
    guard.note_weights()
    shown: list[Progress] = []
    with own_generator(device=state.device):
        while (message := _next(steps))["kind"] != "ended":
            _done(message, steps, state, guard, refuse_more, shown)
    steps.take_over()
    steps.ranks.ended = True
    return receipt, tuple(shown)


def _next(steps: ParallelSteps) -> dict[str, Any]:
    message = steps.ranks.told()
    if message["kind"] == "stop":
        steps.ranks.ended = True
        raise stop_of(message)
    return message


def _done(  # noqa: PLR0917
    message: dict[str, Any],
    steps: ParallelSteps,
    state: State,
    guard: StepGuard,
    refuse_more: Callable[[], None],
    shown: list[Progress],
) -> None:
    """One thing that the first process asks for."""
    ranks, kind = steps.ranks, message["kind"]
    if kind == "step":
        dealt = DealtStep.told(ranks, message)
        with ranks.together():
            share = steps.share(dealt, ranks.number)
            guard.refuse_changes(_STOPPED, thorough=is_due(dealt.index + 1))
        share.send(ranks)
    elif kind == "gradient" and isinstance(state, ShardedState):
        state.follow(float(message["rate"]))
    elif kind == "together" and isinstance(state, ShardedState):
        state.gather()
    elif kind == "moved":
        steps.take_over()
        guard.note_weights()
        shown.append(Progress(**message["shown"]))
    elif kind == "leaving":
        with ranks.together():
            refuse_more()
    else:
        raise InternalError("the processes of a run do not speak of the same thing.")
