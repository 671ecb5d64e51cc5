"""All that moves during a run: weights, optimizer, moving average, clipping bound; as named tensors and back."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from privet.protect.train.gradients._adam_bias_correction import CorrectedAdam
from privet.protect.train.gradients._momentum import Momentum
from privet.protect.train.gradients._optimizer import Optimizer

# The bound moves by no more than this power of e in one step, however large the noise of the count is.
_FARTHEST = 3.0


class State:
    """The moving parts of one run."""

    def __init__(self, trained: dict[str, nn.Parameter], settings: Optimizer, bound: float) -> None:
        self.trained, self.settings, self.bound = trained, settings, bound
        self._weights = list(trained.values())
        self.device = self._weights[0].device
        kinds = {weight.dtype for weight in self._weights}
        self._precise = kinds.pop() if len(kinds) == 1 else torch.float64
        self._sizes = [weight.numel() for weight in self._weights]
        self.optimizer = settings.optimizer_for(self._weights)
        self.average = (
            None
            if settings.average is None
            else {name: torch.zeros_like(weight.detach()) for name, weight in trained.items()}
        )
        self.averaged = 0

    def move(self, gradient: Tensor, rate: float, variance: float = 0.0) -> None:
        """One step of the optimizer, and of the average. The gradients of all weights lie one after the other.

        `variance` is that of the noise in each number.
        """
        flat = gradient.to(self.device, self._precise)
        if isinstance(self.optimizer, Momentum):
            self.optimizer.step(flat, rate)
        elif isinstance(self.optimizer, CorrectedAdam):
            self.optimizer.step(flat, rate, variance)
        else:
            self._take(flat, rate)
        if self.average is not None and self.settings.average is not None:
            self.averaged += 1
            with torch.no_grad():
                for name, weight in self.trained.items():
                    self.average[name].lerp_(weight.detach(), 1 - self.settings.average)

    def _take(self, gradient: Tensor, rate: float) -> None:
        """One step of an optimizer of torch's."""
        assert not isinstance(self.optimizer, Momentum | CorrectedAdam)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        for weight, part in zip(self._weights, torch.split(gradient, self._sizes), strict=True):
            weight.grad = part.view(weight.shape).to(weight.dtype)
        self.optimizer.step()
        for weight in self._weights:
            weight.grad = None

    def take_average(self) -> None:
        """Put the average into the weights, corrected for its beginning at zero."""
        if self.average is None or self.settings.average is None or not self.averaged:
            return
        share = -math.expm1(self.averaged * math.log(self.settings.average))
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
        if isinstance(self.optimizer, Momentum):
            if self.optimizer.speed is not None:
                found["speed"] = self.optimizer.speed
        elif isinstance(self.optimizer, CorrectedAdam):
            found |= self.optimizer.tensors()
        else:
            names = list(self.trained)
            for index, values in self._optimizer_state().items():
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
        if isinstance(self.optimizer, Momentum):
            self.optimizer.speed = tensors["speed"].clone() if "speed" in tensors else None
        elif isinstance(self.optimizer, CorrectedAdam):
            self.optimizer.restore(tensors)
        else:
            self._load(moved)
        self.bound = float(tensors["bound"][0])
        self.averaged = int(tensors["averaged"][0])

    def _optimizer_state(self) -> dict[int, dict[str, Tensor]]:
        """What an optimizer of torch's keeps for each weight, by its place."""
        assert isinstance(self.optimizer, torch.optim.Optimizer)
        return dict(self.optimizer.state_dict()["state"])

    def _load(self, moved: dict[int, dict[str, Tensor]]) -> None:
        """Give an optimizer of torch's what it kept."""
        assert isinstance(self.optimizer, torch.optim.Optimizer)
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({"state": moved, "param_groups": groups})
