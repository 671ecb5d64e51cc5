"""All that moves during a run: weights, optimizer, moving average, clipping bound; as named tensors and back."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from privet.protect.train.gradients.course import Course

# The bound moves by no more than this power of e in one step, however large the noise of the count is.
_FARTHEST = 3.0


class State:
    """The moving parts of one run."""

    def __init__(self, trained: dict[str, nn.Parameter], course: Course, bound: float) -> None:
        self.trained, self.course, self.bound = trained, course, bound
        self.optimizer = course.optimizer_for(list(trained.values()))
        self.average = (
            None
            if course.average is None
            else {name: torch.zeros_like(weight.detach()) for name, weight in trained.items()}
        )
        self.averaged = 0

    def move(self, grads: dict[str, Tensor], rate: float) -> None:
        """One step of the optimizer, and of the average."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        for name, weight in self.trained.items():
            weight.grad = grads[name]
        self.optimizer.step()
        for weight in self.trained.values():
            weight.grad = None
        if self.average is not None and self.course.average is not None:
            self.averaged += 1
            with torch.no_grad():
                for name, weight in self.trained.items():
                    self.average[name].lerp_(weight.detach(), 1 - self.course.average)

    def take_average(self) -> None:
        """Put the average into the weights, corrected for its beginning at zero."""
        if self.average is None or self.course.average is None or not self.averaged:
            return
        share = -math.expm1(self.averaged * math.log(self.course.average))
        with torch.no_grad():
            for name, weight in self.trained.items():
                weight.copy_(self.average[name] / share)

    def adapt(self, uncut_share: float, quantile: float, pace: float) -> None:
        """Move the clipping bound towards the quantile (Andrew et al. 2021, geometric update)."""
        change = min(max(-pace * (uncut_share - quantile), -_FARTHEST), _FARTHEST)
        self.bound = min(max(self.bound * math.exp(change), 1e-6), 1e6)

    def tensors(self) -> dict[str, Tensor]:
        """Everything by name."""
        found = {f"weight/{name}": weight.detach() for name, weight in self.trained.items()}
        names = list(self.trained)
        for index, values in self.optimizer.state_dict()["state"].items():
            for key, value in values.items():
                if value is not None:
                    found[f"optimizer/{key}/{names[index]}"] = torch.as_tensor(value)
        for name, value in (self.average or {}).items():
            found[f"average/{name}"] = value
        found["bound"] = torch.tensor([self.bound], dtype=torch.float64)
        found["averaged"] = torch.tensor([self.averaged])
        return found

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Back to what `tensors` says."""
        names = {name: index for index, name in enumerate(self.trained)}
        moved: dict[int, dict[str, Tensor]] = {}
        with torch.no_grad():
            for key, value in tensors.items():
                kind, _, rest = key.partition("/")
                if kind == "weight":
                    self.trained[rest].copy_(value)
                elif kind == "average" and self.average is not None:
                    self.average[rest].copy_(value)
                elif kind == "optimizer":
                    which, _, name = rest.partition("/")
                    moved.setdefault(names[name], {})[which] = value
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": moved, "param_groups": groups})
        self.bound = float(tensors["bound"][0])
        self.averaged = int(tensors["averaged"][0])
