"""Book-keeping: one backward pass through the activations, then norms and scaled sums from what was noted.

Weights stay out of the backward pass. For every use of a weight its input and the gradient of its output are kept;
norms follow from those, and the scaled sum is one product for each weight (Bu, Wang, Zha, Karypis: Differentially
Private Optimization on Large Model at Small Cost, ICML 2023). Several uses of one weight, tying included, add up
before the norm is taken: the cross terms are computed, not ignored.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from privet.protect.train.gradients._per_example_loss import Batch, Objective
from privet.protect.train.gradients.clipping._clipping_rule import ClippedSum, ClippingRule
from privet.protect.train.gradients.clipping._outer_products import (
    EmbeddingRows,
    OuterProduct,
    squared_norm,
    zero_where_left_out,
)
from privet.protect.train.gradients.clipping._weight_hooks import NotSeen, Part, Use, Watch

Path = frozenset[tuple[Any, int]]


class Bookkeeping:
    """The engine. `ratios`, once learned from batches of two sizes, must hold in every batch.

    With `channels_last`, convolutions make images of that layout, on which torch pools and convolves at twice the speed; a model
    that views them in the other one fails with it.

    `path` says which functions the last batch went through, and how often: another one is another computation, as a
    branch on a value or on the size of a batch makes it.
    """

    name = "bookkeeping"

    def __init__(
        self,
        model: nn.Module,
        trained: dict[str, nn.Parameter],
        objective: Objective,
        *,
        channels_last: bool = False,
    ) -> None:
        self._model, self._trained, self._objective = model, trained, objective
        self._channels_last = channels_last
        self._names = {id(weight): name for name, weight in trained.items()}
        self._vectors = _vector_modules(model, self._names)
        self.ratios: list[int] | None = None
        self.last: list[int] = []
        self.path: Path = frozenset()

    def clipped_sum(self, batch: Batch, rule: ClippingRule) -> ClippedSum:
        """The sum of the scaled gradients of a batch."""
        watch = Watch(self._names, batch.examples, batch.rows, channels_last=self._channels_last)
        with ExitStack() as stack:
            if self._vectors:
                stack.enter_context(_expanded_vectors(self._vectors, watch))
            stack.enter_context(torch.enable_grad())
            stack.enter_context(watch)
            losses = self._objective.losses(self._model, batch)
        self.last, self.path = watch.ratios, frozenset(Counter(watch.path).items())
        # Uses refer to the watch and the watch to them: taken apart here, or memory would wait for a collection.
        uses, watch.uses = watch.uses, []
        if self.ratios is not None and batch.examples > 1 and watch.ratios != self.ratios:
            return self._in_halves(batch, rule)
        parts = self._parts(uses, losses)
        norms = _squared_norms(parts, losses).sqrt()
        factors = rule.factors(norms)
        if not bool(factors.all()):
            parts = {name: [_without(part, factors) for part in found] for name, found in parts.items()}
        sums = {
            name: _scaled_sum(parts.get(name, []), factors, weight) for name, weight in self._trained.items()
        }
        return ClippedSum(sums, norms, losses.detach())

    def _parts(self, uses: list[Use], losses: Tensor) -> dict[str, list[Part]]:
        """What each use adds to which parameter, from one backward pass."""
        weights = list(self._trained.values())
        edges: list[Any] = [use.edge for use in uses]
        grads: tuple[Any, ...] = torch.autograd.grad(losses.sum(), [*edges, *weights], allow_unused=True)
        unseen = [
            name for name, grad in zip(self._trained, grads[len(edges) :], strict=True) if grad is not None
        ]
        # A use that was not noted would be missing from the norm, and the gradient be clipped too little.
        if unseen:
            raise NotSeen(f"the weight {unseen[0]!r} is used in a way that has no book-keeping formula")
        parts: dict[str, list[Part]] = {}
        for use, grad in zip(uses, grads[: len(edges)], strict=True):
            if grad is None:
                continue
            # The noted input is the tensor itself: changed since, it would give the norm of something else.
            if not use.untouched():
                raise NotSeen("a layer's input is changed in place after the layer has used it")
            for name, part in use.booking(grad):
                parts.setdefault(name, []).append(part)
        return {name: _merged(found) for name, found in parts.items()}

    def _in_halves(self, batch: Batch, rule: ClippingRule) -> ClippedSum:
        """A batch whose size coincides with another dimension is ambiguous; its halves are not, or are single."""
        middle = batch.examples // 2
        first = self.clipped_sum(batch.part(0, middle), rule)
        second = self.clipped_sum(batch.part(middle, batch.examples), rule)
        return ClippedSum(
            {name: value + second.sums[name] for name, value in first.sums.items()},
            torch.cat([first.norms, second.norms]),
            torch.cat([first.losses, second.losses]),
        )


@contextmanager
def _expanded_vectors(modules: list[tuple[nn.Module, dict[str, str]]], watch: Watch) -> Iterator[None]:
    """Give modules that hold only vectors (RMS norms of many makes) a copy of them for each row while they run.

    Their formulas differ (weight, 1 + weight, in this or that precision), so none is assumed: the gradient of a row's
    own copy is that row's gradient.
    """
    handles = []
    for module, own in modules:
        handles.append(module.register_forward_pre_hook(_lend(own, watch)))
        handles.append(module.register_forward_hook(_take_back, always_call=True))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _vector_modules(model: nn.Module, names: dict[int, str]) -> list[tuple[nn.Module, dict[str, str]]]:
    """The modules that hold nothing but vectors, with the names of those that are trained."""
    found = []
    for module in model.modules():
        own = {key: names[id(weight)] for key, weight in module._parameters.items() if id(weight) in names}  # noqa: SLF001
        if own and _holds_only_vectors(module):
            found.append((module, own))
    return found


_KNOWN_NORMS = (nn.LayerNorm, nn.RMSNorm, nn.GroupNorm)


def _holds_only_vectors(module: nn.Module) -> bool:
    if isinstance(module, _KNOWN_NORMS) or next(module.children(), None) is not None:
        return False
    return all(weight is None or weight.dim() == 1 for weight in module._parameters.values())  # noqa: SLF001


def _lend(own: dict[str, str], watch: Watch) -> Any:
    def hook(module: nn.Module, inputs: tuple[Any, ...]) -> None:
        x = inputs[0] if inputs else None
        if not isinstance(x, Tensor) or x.dim() < 2 or x.shape[0] % watch.examples:
            return
        module.__dict__["_lent"] = {}
        for key, name in own.items():
            weight = module._parameters[key]  # noqa: SLF001
            assert weight is not None
            if weight.shape[0] != x.shape[-1]:
                continue
            copies = weight.detach().expand(x.shape[0], *[1] * (x.dim() - 2), -1).requires_grad_()
            module.__dict__["_lent"][key] = weight
            module._parameters[key] = copies  # type: ignore[assignment]  # noqa: SLF001
            watch.uses.append(Use(copies, _vector_booking(name, watch)))
            watch.ratios.append(x.shape[0] // watch.rows if x.shape[0] % watch.rows == 0 else -1)

    return hook


def _take_back(module: nn.Module, *_: Any) -> None:
    for key, weight in module.__dict__.pop("_lent", {}).items():
        module._parameters[key] = weight  # noqa: SLF001


def _vector_booking(name: str, watch: Watch) -> Any:
    return lambda grad: [(name, watch.summed(grad, 1))]


# --- several uses of one weight ----------------------------------------------------------------


def _merged(parts: list[Part]) -> list[Part]:
    """One part of each kind; of kinds that do not go together, the gradients written out."""
    if len(parts) == 1:
        return parts
    pairs = [part for part in parts if isinstance(part, OuterProduct)]
    rows = [part for part in parts if isinstance(part, EmbeddingRows)]
    plain = [part for part in parts if isinstance(part, Tensor)]
    merged: list[Part] = []
    if len(pairs) > 1:
        if len({part.channels for part in pairs}) > 1:
            raise NotSeen("a weight is used by layers that read it in different orders")
        left, right = (torch.cat([getattr(part, side) for part in pairs], 1) for side in ("left", "right"))
        pairs = [OuterProduct(left, right, pairs[0].channels)]
    if len(rows) > 1:
        rows = [
            EmbeddingRows(
                torch.cat([part.ids for part in rows], 1), torch.cat([part.grads for part in rows], 1), None
            )
        ]
    if plain:
        if rows:
            raise NotSeen("an embedding's weight is also used elementwise")
        total = sum(part.flatten(1) for part in plain) + sum(pair.per_example() for pair in pairs)
        return [torch.as_tensor(total)]
    merged.extend(pairs)
    merged.extend(rows)
    return merged


def _squared_norms(parts: dict[str, list[Part]], losses: Tensor) -> Tensor:
    total = torch.zeros_like(
        losses.detach(), dtype=torch.float64 if losses.dtype is torch.float64 else torch.float32
    )
    known: dict[object, Tensor] = {}
    for found in parts.values():
        pair = next((part for part in found if isinstance(part, OuterProduct)), None)
        rows = next((part for part in found if isinstance(part, EmbeddingRows)), None)
        if pair is not None and rows is not None:
            total = total + 2 * rows.cross(pair)
        for part in found:
            total = total + _squared_norm(part, known)
    return total.clamp_min(0)


def _squared_norm(part: Part, known: dict[object, Tensor]) -> Tensor:
    """Of one part. A dense layer's bias has the very gradients that its weight's norm was made of: `known` keeps theirs."""
    if isinstance(part, Tensor):
        place = _place(part)
        return known[place] if place in known else squared_norm(part)
    if isinstance(part, EmbeddingRows) or part.left.shape[1] != 1 or not part.left.is_contiguous():
        return part.squared_norms()
    found = known[_place(part.left)] = squared_norm(part.left)
    return found * squared_norm(part.right)


def _place(values: Tensor) -> object:
    """Equal for tensors of the same numbers in the same memory."""
    return (values.data_ptr(), values.numel()) if values.is_contiguous() else None


def _without(part: Part, factors: Tensor) -> Part:
    return zero_where_left_out(part, factors) if isinstance(part, Tensor) else part.without(factors)


def _scaled_sum(parts: list[Part], factors: Tensor, weight: nn.Parameter) -> Tensor:
    total: Tensor | None = None
    for part in parts:
        if isinstance(part, EmbeddingRows):
            found = part.scaled_sum(factors, weight.shape)
        elif isinstance(part, OuterProduct):
            found = part.scaled_sum(factors).view(weight.shape)
        else:
            found = (factors @ part.flatten(1)).view(weight.shape)
        total = found if total is None else total + found
    return torch.zeros_like(weight.detach()) if total is None else total
