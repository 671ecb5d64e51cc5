"""What a run knows of its network when it ends: how it is called, what its outputs mean, and which weights were released.

A model that was trained further, or touched in another way, is no longer what was paid for: so its tensors are compared
with those that the run ended with before anything is written.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.artifact import NetworkInput, NetworkRecord, Receipt, stored_tensors
from privet.errors import BadModel
from privet.guarantee import unit_to_json
from privet.protect.train.gradients._released_network import ReleasedNetwork, state_of

if TYPE_CHECKING:
    from torch import Tensor, nn

    from privet.protect.train.gradients._training_plan import TrainingPlan


@dataclass(frozen=True)
class NetworkOutcome:
    """The form of the inputs, the name of the loss, and a digest of every tensor at the end of the run."""

    form: str
    inputs: tuple[NetworkInput, ...]
    loss: str
    digest: str

    @classmethod
    def of(cls, model: nn.Module, inputs: Any, loss: str) -> NetworkOutcome:
        """At the end of a run. Shapes and types of inputs are public; so is the loss's name."""
        if isinstance(inputs, Mapping):
            form, named = "named", {str(name): value for name, value in inputs.items()}
        elif isinstance(inputs, tuple | list):
            form, named = "several", {str(at): value for at, value in enumerate(inputs)}
        else:
            form, named = "one", {"": inputs}
        return cls(
            form, tuple(_input(name, value) for name, value in named.items()), loss, state_digest(model)
        )

    def released(
        self,
        model: nn.Module,
        plan: TrainingPlan,
        receipt: Receipt,
        *,
        target: str,
        classes: tuple[str, ...],
        columns: tuple[str, ...],
    ) -> ReleasedNetwork:
        """The network with its record; refuses one that is no longer what the run ended with."""
        from safetensors.torch import save

        if state_digest(model) != self.digest:
            raise BadModel(
                "the network is no longer what the run ended with: its tensors were changed since.",
                "Save it before you go on with it; what is trained further is not covered by the promise.",
            )
        record = NetworkRecord(
            architecture=type(model).__name__,
            tensors=stored_tensors(save(state_of(model)), [name for name, _ in plan.trained]),
            form=self.form,
            inputs=self.inputs,
            loss=self.loss,
            plan=plan.to_json(),
            promise=plan.promise,
            unit=unit_to_json(plan.unit),
            receipt=receipt,
            target=target,
            classes=classes,
            columns=columns,
        )
        return ReleasedNetwork(model, record)


def state_digest(model: nn.Module) -> str:
    """Of all parameters and buffers, with their names; of a module's own kind of state, nothing."""
    total = hashlib.sha256()
    for name, value in [*model.named_parameters(), *model.named_buffers()]:
        total.update(f"{name} {value.dtype} {tuple(value.shape)}".encode())
        total.update(_bytes(value))
    return total.hexdigest()


def _bytes(value: Tensor) -> bytes:
    import torch

    flat = value.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes()


def _input(name: str, value: Tensor) -> NetworkInput:
    return NetworkInput(name, str(value.dtype).removeprefix("torch."), tuple(value.shape[1:]))
