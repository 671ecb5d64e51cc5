"""What is minimised: one loss for each example, and the batches it is computed on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from privet.errors import BadTraining, UnsafePipeline

if TYPE_CHECKING:
    from torch import Tensor

Inputs = Any  # a tensor, a tuple of tensors (positional) or a mapping of tensors (by name)
Loss = Callable[[Any, Any], "Tensor"]
IGNORED = -100  # the target of what does not count, as torch has it


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples side by side; each has `views` rows, one after the other, whose gradients are averaged.

    With `weights`, one for each row, they are summed with these instead: the records of a person, of which those that
    only fill up weigh nothing.
    """

    inputs: Inputs
    targets: Tensor | None
    examples: int
    views: int = 1
    weights: Tensor | None = None

    @property
    def rows(self) -> int:
        """How many rows the model sees."""
        return self.examples * self.views

    def part(self, start: int, stop: int) -> Batch:
        """The examples from `start` to `stop`."""
        return self._taken(slice(start * self.views, stop * self.views), stop - start)

    def alone(self, index: int) -> Batch:
        """One example in memory of its own: a view would still have the others behind it."""
        one = self.part(index, index + 1)
        targets = None if one.targets is None else one.targets.clone()
        return replace(one, inputs=each(one.inputs, lambda value: value.clone()), targets=targets)

    def at(self, indices: Sequence[int]) -> Batch:
        """The examples at these places, in this order."""
        rows = [index * self.views + view for index in indices for view in range(self.views)]
        return self._taken(rows, len(indices))

    def _taken(self, rows: Any, examples: int) -> Batch:
        targets = None if self.targets is None else self.targets[rows]
        weights = None if self.weights is None else self.weights[rows]
        return Batch(each(self.inputs, lambda value: value[rows]), targets, examples, self.views, weights)


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
    """A loss for each row: `loss(outputs, targets)` gives one number for each.

    A loss of one's own is given each row alone: `way` says whether `torch.func` maps it over rows ("mapped") or it is
    called row by row ("single"). The named ones treat rows by themselves, and so get all at once ("rows").
    """

    name: str
    loss: Loss
    way: str = "rows"

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
        return cls("own", loss, "mapped")

    def losses(self, model: Callable[..., Any], batch: Batch) -> Tensor:
        """One loss for each example: the mean over its views, or their weighted sum."""
        rows = self.of_rows(called(model, batch.inputs), batch.targets, batch.rows)
        if batch.weights is not None:
            return (rows * batch.weights.to(rows.dtype)).view(batch.examples, batch.views).sum(1)
        return rows if batch.views == 1 else rows.view(batch.examples, batch.views).mean(1)

    def of_rows(self, outputs: Any, targets: Tensor | None, count: int) -> Tensor:
        """One loss for each of `count` rows."""
        if self.way == "rows" or count == 1:
            return self._together(outputs, targets, count)
        import torch

        if self.way == "mapped":
            where = None if targets is None else 0
            mapped = torch.func.vmap(self._alone, in_dims=(0, where), randomness="different")
            found: Tensor = mapped(outputs, targets)
            return found
        rows = range(count)
        return torch.stack(
            [self._alone(_at(outputs, row), None if targets is None else targets[row]) for row in rows]
        )

    def _together(self, outputs: Any, targets: Tensor | None, count: int) -> Tensor:
        rows = self.loss(outputs, targets)
        if getattr(rows, "shape", None) != (count,):
            raise BadTraining(
                "the loss does not give one number for each example.",
                'Use reduction="none", and sum or average what belongs to one example.',
            )
        return rows

    def _alone(self, outputs: Any, target: Tensor | None) -> Tensor:
        """The loss of one row, which is given as a batch of one."""
        from torch.utils._pytree import tree_map

        row = tree_map(lambda value: value.unsqueeze(0), outputs)
        return self._together(row, None if target is None else target.unsqueeze(0), 1)[0]

    def settled(self, outputs: Any, targets: Tensor | None, count: int) -> Objective:
        """The same, in the fastest way in which rows are alone; refuses a loss of which one row moves another.

        Outputs that cannot be taken apart into rows are given to the loss as they are: checks must do then.
        """
        if self.name != "own":
            return self
        import torch

        together = self._together(outputs, targets, count)
        for way in ("mapped", "single"):
            settled = replace(self, way=way)
            try:
                rows = settled.of_rows(outputs, targets, count)
            except (IndexError, KeyError, RuntimeError, TypeError, ValueError, AttributeError):
                continue
            if not torch.allclose(rows, together, rtol=1e-4, atol=1e-5, equal_nan=True):
                raise UnsafePipeline(
                    "the loss of a record depends on the other records of its batch.",
                    "Take out what averages, ranks or compares over the first dimension.",
                )
            return settled
        return replace(self, way="rows")


def _at(outputs: Any, row: int) -> Any:
    from torch.utils._pytree import tree_map

    return tree_map(lambda value: value[row], outputs)


def logits_of(outputs: Any) -> Any:
    """The scores among a model's outputs: those named so where there are names, as Hugging Face models have them."""
    if isinstance(outputs, Mapping):
        return outputs.get("logits", outputs)
    return getattr(outputs, "logits", outputs)


def _cross_entropy(outputs: Any, targets: Any) -> Tensor:
    """Targets are classes (-100 for examples that do not count), or shares of all classes."""
    import torch.nn.functional as F  # noqa: N812

    wanted = targets if targets.is_floating_point() else targets.long()
    return F.cross_entropy(logits_of(outputs), wanted, reduction="none", ignore_index=IGNORED)


def _logistic(outputs: Any, targets: Any) -> Tensor:
    import torch.nn.functional as F  # noqa: N812

    logits = logits_of(outputs)
    logits = logits.reshape(len(logits))
    wanted = targets.reshape(len(logits)).to(logits.dtype)
    return F.binary_cross_entropy_with_logits(logits, wanted, reduction="none")


def _squared(outputs: Any, targets: Any) -> Tensor:
    import torch.nn.functional as F  # noqa: N812

    found = logits_of(outputs)
    wanted = targets.reshape(found.shape).to(found.dtype)
    losses = F.mse_loss(found, wanted, reduction="none")
    return (losses.flatten(1).sum(1) if losses.dim() > 1 else losses) / 2


def _language(outputs: Any, targets: Any) -> Tensor:
    """Next-token loss averaged over each sequence; targets are token ids, -100 for positions that do not count."""
    import torch.nn.functional as F  # noqa: N812

    logits = logits_of(outputs)[:, :-1]
    wanted = targets[:, 1:].long()
    losses = F.cross_entropy(logits.transpose(1, 2), wanted, reduction="none", ignore_index=IGNORED)
    counted = (wanted != IGNORED).sum(1).clamp_min(1)
    return losses.sum(1).div(counted)


NAMED: dict[str, Loss] = {
    "cross_entropy": _cross_entropy,
    "language": _language,
    "logistic": _logistic,
    "squared": _squared,
}
