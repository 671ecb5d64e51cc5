"""An optimizer's state spread over the processes of a run, as torch's `ZeroRedundancyOptimizer` does it (ZeRO, stage 1).

Each weight belongs to one process, which keeps its moments, moves it and hands it to the others. What each weight goes through
is what it would go through in one process, so the result is the same. Gradients are noisy by then: there is nothing left to hide.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from privet.errors import BadTraining
from privet.protect.train.gradients._optimizer import Optimizer
from privet.protect.train.gradients._process_group import Ranks
from privet.protect.train.gradients._training_state import State

_SHARDED = ("adam", "adamw")


class ShardedState(State):
    """The moving parts of one run, of which this process has a part of the optimizer's."""

    def __init__(
        self, trained: dict[str, nn.Parameter], settings: Optimizer, bound: float, ranks: Ranks
    ) -> None:
        super().__init__(trained, settings, bound)
        from torch.distributed.optim import ZeroRedundancyOptimizer

        kind = torch.optim.Adam if settings.optimizer == "adam" else torch.optim.AdamW
        self._ranks = ranks
        self._whole: dict[int, dict[str, Tensor]] = {}  # all of it, as it was when it was last together
        self._is_whole = True
        if not ranks.leads:
            self.average = None
        self.optimizer = ZeroRedundancyOptimizer(
            self._weights,
            optimizer_class=kind,
            process_group=ranks.group,
            lr=settings.rate,
            weight_decay=settings.decay,
        )

    def _take(self, gradient: Tensor, rate: float) -> None:
        """One step of all processes, each of its own weights."""
        if self._ranks.leads:
            self._ranks.tell({"kind": "gradient", "rate": rate})
            self._ranks.tell_values(gradient)
        self._is_whole = False
        super()._take(gradient, rate)

    def follow(self, rate: float) -> None:
        """The step that the first process takes, of this process's weights."""
        count = sum(weight.numel() for weight in self._weights)
        self._take(self._ranks.told_values(count, self._precise).to(self.device), rate)

    def _optimizer_state(self) -> dict[int, dict[str, Tensor]]:
        """All of it, from all processes; they take part when they are told."""
        if not self._is_whole:
            if self._ranks.leads:
                self._ranks.tell({"kind": "together"})
            self.gather()
            self._whole = dict(self.optimizer.state_dict()["state"]) if self._ranks.leads else {}  # type: ignore[union-attr]
        return self._whole

    def gather(self) -> None:
        """Bring all of the optimizer's state to the first process."""
        self.optimizer.consolidate_state_dict(to=0)  # type: ignore[union-attr]
        self._is_whole = True

    def _load(self, moved: dict[int, dict[str, Tensor]]) -> None:
        """Keep this process's part of it."""
        groups: list[dict[str, Any]] = [
            {**group, "params": list(range(len(self._weights)))}
            for group in self.optimizer.param_groups  # type: ignore[union-attr]
        ]
        self._whole, self._is_whole = moved, True
        self.optimizer.load_state_dict({"state": dict(moved), "param_groups": groups})  # type: ignore[union-attr]

    def handed_out(self) -> bytes:
        """Where the run stands, for the other processes; the moving average is the first one's alone."""
        from safetensors.torch import save

        held = {name: value for name, value in self.tensors().items() if not name.startswith("average/")}
        return save({name: value.detach().cpu().contiguous().clone() for name, value in held.items()})

    def take_over(self, content: bytes) -> None:
        """Begin where the first process says."""
        from safetensors.torch import load

        self.restore(load(content))


def state_for(
    trained: dict[str, nn.Parameter], settings: Optimizer, bound: float, ranks: Ranks | None, *, sharded: bool
) -> State:
    """The moving parts of a run, of which each process keeps a part where that was asked for."""
    if not sharded or ranks is None or ranks.group is None:
        return State(trained, settings, bound)
    if settings.optimizer not in _SHARDED:
        raise BadTraining(
            f"the state of {settings.optimizer!r} is not sharded.",
            f"Use one of {', '.join(_SHARDED)}, or leave sharded out.",
        )
    if len({weight.dtype for weight in trained.values()}) > 1:
        raise BadTraining("trained weights of several types are not sharded.", "Leave sharded out.")
    return ShardedState(trained, settings, bound, ranks)
