"""What is minimised: one loss for each example, and the batches it is computed on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.errors import BadTraining

if TYPE_CHECKING:
    from torch import Tensor

Inputs = Any  # a tensor, a tuple of tensors (positional) or a mapping of tensors (by name)
Loss = Callable[[Any, Any], "Tensor"]


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples side by side; each has `views` rows, one after the other, whose gradients are averaged."""

    inputs: Inputs
    targets: Tensor | None
    examples: int
    views: int = 1

    @property
    def rows(self) -> int:
        """How many rows the model sees."""
        return self.examples * self.views

    def part(self, start: int, stop: int) -> Batch:
        """The examples from `start` to `stop`."""
        rows = slice(start * self.views, stop * self.views)
        targets = None if self.targets is None else self.targets[rows]
        return Batch(each(self.inputs, lambda value: value[rows]), targets, stop - start, self.views)


def each(inputs: Inputs, change: Callable[[Any], Any]) -> Inputs:
    """The inputs with every tensor changed."""
    if isinstance(inputs, Mapping):
        return {name: change(value) for name, value in inputs.items()}
    if isinstance(inputs, tuple | list):
        return tuple(change(value) for value in inputs)
    return change(inputs)


def called(model: Callable[..., Any], inputs: Inputs) -> Any:
    """The model's output."""
    if isinstance(inputs, Mapping):
        return model(**inputs)
    if isinstance(inputs, tuple | list):
        return model(*inputs)
    return model(inputs)


@dataclass(frozen=True, slots=True)
class Objective:
    """A loss for each row: `loss(outputs, targets)` gives one number for each."""

    name: str
    loss: Loss

    @classmethod
    def of(cls, loss: str | Loss) -> Objective:
        """A loss by its name, or one's own function."""
        if isinstance(loss, str):
            if loss not in NAMED:
                raise BadTraining(
                    f"there is no loss named {loss!r}.", f"Use one of {', '.join(sorted(NAMED))}."
                )
            return cls(loss, NAMED[loss])
        if not callable(loss):
            raise BadTraining(
                "a loss is a name or a function of outputs and targets.", 'Write loss="logistic".'
            )
        return cls("own", loss)

    def losses(self, model: Callable[..., Any], batch: Batch) -> Tensor:
        """One loss for each example: the mean over its views."""
        rows = self.loss(called(model, batch.inputs), batch.targets)
        if getattr(rows, "shape", None) != (batch.rows,):
            raise BadTraining(
                "the loss does not give one number for each example.",
                'Use reduction="none", and sum or average what belongs to one example.',
            )
        return rows if batch.views == 1 else rows.view(batch.examples, batch.views).mean(1)


def _cross_entropy(outputs: Any, targets: Any) -> Tensor:
    import torch.nn.functional as F  # noqa: N812

    return F.cross_entropy(outputs, targets, reduction="none")


def _logistic(outputs: Any, targets: Any) -> Tensor:
    import torch.nn.functional as F  # noqa: N812

    logits = outputs.reshape(len(outputs))
    return F.binary_cross_entropy_with_logits(logits, targets.to(logits.dtype), reduction="none")


def _squared(outputs: Any, targets: Any) -> Tensor:
    import torch.nn.functional as F  # noqa: N812

    return F.mse_loss(outputs, targets.reshape(outputs.shape), reduction="none").flatten(1).sum(1) / 2


def _language(outputs: Any, targets: Any) -> Tensor:
    """Next-token loss averaged over each sequence; targets are token ids, -100 for positions that do not count."""
    import torch.nn.functional as F  # noqa: N812

    logits = getattr(outputs, "logits", outputs)[:, :-1]
    wanted = targets[:, 1:]
    losses = F.cross_entropy(logits.transpose(1, 2), wanted, reduction="none", ignore_index=-100)
    counted = (wanted != -100).sum(1).clamp_min(1)
    return losses.sum(1).div(counted)


NAMED: dict[str, Loss] = {
    "cross_entropy": _cross_entropy,
    "language": _language,
    "logistic": _logistic,
    "squared": _squared,
}
