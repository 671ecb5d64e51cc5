"""Seeing every use of a trained weight during one forward pass.

A torch function mode stands between the model and the functions that take weights. Where it knows the function
(dense, convolution, embedding, layer and RMS norm, matrix product), it runs it with a *detached* weight and notes
input and output. So no gradient reaches a trained parameter through a use that was noted; a parameter that does get
a gradient in the backward pass was used somewhere else, and the caller refuses the result. Nothing is taken on trust
from the kind of a module: weights used functionally, tied or borrowed are all seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor
from torch.autograd.graph import GradientEdge, get_gradient_edge
from torch.overrides import TorchFunctionMode

from privet.protect.train.gradients.clipping._outer_products import EmbeddingRows, OuterProduct


class NotSeen(Exception):
    """The model uses a weight in a way that this engine cannot book: take another engine."""


# What a use adds to the gradient of a parameter, once the gradient of its output is known: a name and a part.
Part = OuterProduct | EmbeddingRows | Tensor
Booking = Callable[[Tensor], list[tuple[str, Part]]]
PartOf = Callable[[Tensor], Part]


@dataclass(slots=True)
class Use:
    """One use of weights: where its output gradient is read off, and how it is booked."""

    edge: GradientEdge | Tensor
    booking: Booking
    inputs: tuple[Tensor, ...] = ()
    versions: tuple[int, ...] = ()

    def untouched(self) -> bool:
        """Whether the inputs still hold what they held when the weight was used."""
        return _versions(self.inputs) == self.versions


def _versions(tensors: tuple[Tensor, ...]) -> tuple[int, ...]:
    """How often each was changed in place; torch keeps the count with the data, also for detached views of them."""
    return tuple(kept._version for kept in tensors)  # noqa: SLF001


class Watch(TorchFunctionMode):
    """The mode. `names` tells trained parameters by identity; each of the `examples` has equally many of the `rows`."""

    def __init__(
        self, names: dict[int, str], examples: int, rows: int, *, channels_last: bool = False
    ) -> None:
        super().__init__()
        self.names, self.examples, self.rows = names, examples, rows
        self.channels_last = channels_last  # images are laid out so from the first convolution on
        self.uses: list[Use] = []
        self.path: list[Any] = []  # the functions that were called
        self.ratios: list[
            int
        ] = []  # of each use: rows of its input for each row of the batch; 0 for one shared by all

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Known functions are noted; all others just run."""
        self.path.append(func)
        known = _KNOWN.get(func)
        if known is not None:
            given = dict(kwargs or {})
            first = (given.pop("input"),) if "input" in given else ()  # as some write it
            found = known(self, *first, *args, **given)
            if found is not None:
                return found
        return func(*args, **(kwargs or {}))

    # --- noting -------------------------------------------------------------------------------

    def name(self, weight: Tensor | None) -> str | None:
        """The name of a trained parameter."""
        return None if weight is None else self.names.get(id(weight))

    def free(self, weight: Tensor | None, *, live: bool) -> Tensor | None:
        """The weight cut off from its parameter; `live` makes the output have a gradient where the input has none."""
        if weight is None or self.name(weight) is None:
            return weight
        return weight.detach().requires_grad_(live)

    def note(self, output: Tensor, booking: Booking, *inputs: Tensor, shared: bool = False) -> Tensor:
        """Keep a use whose output has a gradient."""
        if output.requires_grad:
            exact = output.dim() > 0 and output.shape[0] % self.rows == 0
            self.ratios.append(0 if shared else output.shape[0] // self.rows if exact else -1)
            self.uses.append(Use(get_gradient_edge(output), booking, inputs, _versions(inputs)))
        return output

    def by_example(self, values: Tensor) -> Tensor:
        """(B, T, last): the positions of each example, whose rows must stand first and together."""
        if values.dim() == 0 or values.shape[0] % self.examples or not values.shape[0]:
            raise NotSeen("a layer's input does not have the examples in its first dimension")
        return values.reshape(self.examples, -1, values.shape[-1])

    def summed(self, values: Tensor, keep: int) -> Tensor:
        """(B, …): summed over all positions, keeping the last `keep` dimensions."""
        if values.dim() <= keep or values.shape[0] % self.examples:
            raise NotSeen("a layer's input does not have the examples in its first dimension")
        if values.dim() == keep + 1 and values.shape[0] == self.examples:
            return values
        return values.reshape(self.examples, -1, *values.shape[values.dim() - keep :]).sum(1)


def _parts(names: tuple[str | None, str | None], weight: PartOf, bias: PartOf) -> Booking:
    """The booking of a layer of which the weight, the bias or both are trained: the part of each from a gradient."""

    def booking(grad: Tensor) -> list[tuple[str, Part]]:
        return [(name, part(grad)) for name, part in zip(names, (weight, bias), strict=True) if name]

    return booking


def _linear(watch: Watch, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor | None:
    names = watch.name(weight), watch.name(bias)
    if names == (None, None) or x.dim() < 2:
        return None
    kept = x.detach()

    booking = _parts(
        names,
        lambda grad: OuterProduct(watch.by_example(grad), watch.by_example(kept)),
        lambda grad: watch.summed(grad, 1),
    )
    live = not x.requires_grad
    free, free_bias = watch.free(weight, live=live), watch.free(bias, live=live)
    assert free is not None
    return watch.note(F.linear(x, free, free_bias), booking, kept)


def _product(watch: Watch, x: Tensor, weight: Any) -> Tensor | None:
    """The product x @ weight, the transpose of a dense layer."""
    name = watch.name(weight) if isinstance(weight, Tensor) else None
    if name is None or weight.dim() != 2 or x.dim() < 2:
        return None
    kept = x.detach()
    free = watch.free(weight, live=not x.requires_grad)
    assert free is not None
    return watch.note(
        torch.matmul(x, free),
        lambda grad: [(name, OuterProduct(watch.by_example(kept), watch.by_example(grad)))],
        kept,
    )


def _added_product(
    watch: Watch, bias: Tensor, x: Tensor, weight: Tensor, *, beta: float = 1, alpha: float = 1
) -> Tensor | None:
    """torch.addmm, as in the `Conv1D` layers of GPT-2."""
    names = watch.name(weight), watch.name(bias)
    if names == (None, None) or (beta, alpha) != (1, 1) or bias.dim() != 1:
        return None
    kept = x.detach()

    booking = _parts(
        names,
        lambda grad: OuterProduct(watch.by_example(kept), watch.by_example(grad)),
        lambda grad: watch.summed(grad, 1),
    )
    live = not x.requires_grad
    free, free_bias = watch.free(weight, live=live), watch.free(bias, live=live)
    assert free is not None
    assert free_bias is not None
    return watch.note(torch.addmm(free_bias, x, free), booking, kept)


def _embedding(  # noqa: PLR0917 -- as torch has it
    watch: Watch,
    ids: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,  # noqa: FBT001, FBT002
    sparse: bool = False,  # noqa: ARG001, FBT001, FBT002
) -> Tensor | None:
    del norm_type
    name = watch.name(weight)
    if name is None or max_norm is not None or scale_grad_by_freq:
        return None
    skipped = padding_idx if padding_idx is None or padding_idx >= 0 else weight.shape[0] + padding_idx
    free = watch.free(weight, live=True)
    assert free is not None
    output = F.embedding(ids, free)
    rows = watch.rows
    shared = ids.shape[0] == 1 < rows if ids.dim() > 1 else ids.dim() == 1 and ids.shape[0] != rows
    if shared:
        # Positions, for example: the same ids for every row. A copy of the output for each tells their gradients apart.
        body = output if ids.dim() == 1 else output.squeeze(0)
        output = body.unsqueeze(0).expand(rows, *body.shape)
        ids = ids.reshape(1, -1).expand(rows, -1)
    if ids.dim() == 0 or ids.shape[0] % watch.examples:
        raise NotSeen("an embedding's input does not have the examples in its first dimension")
    flat = ids.reshape(watch.examples, -1)

    def booking(grad: Tensor) -> list[tuple[str, Part]]:
        return [(name, EmbeddingRows(flat, grad.reshape(*flat.shape, grad.shape[-1]), skipped))]

    return watch.note(output, booking, shared=shared)


def _layer_norm(  # noqa: PLR0917 -- as torch has it
    watch: Watch,
    x: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor | None:
    names = watch.name(weight), watch.name(bias)
    if names == (None, None):
        return None
    kept, keep = x.detach(), len(normalized_shape)

    booking = _parts(
        names,
        lambda grad: watch.summed(grad * F.layer_norm(kept, normalized_shape, None, None, eps), keep),
        lambda grad: watch.summed(grad, keep),
    )
    live = not x.requires_grad
    free = watch.free(weight, live=live), watch.free(bias, live=live)
    return watch.note(F.layer_norm(x, normalized_shape, *free, eps), booking, kept)


def _rms_norm(
    watch: Watch, x: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor | None:
    name = watch.name(weight)
    if name is None:
        return None
    kept, keep = x.detach(), len(normalized_shape)

    def booking(grad: Tensor) -> list[tuple[str, Part]]:
        return [(name, watch.summed(grad * F.rms_norm(kept, normalized_shape, None, eps), keep))]

    free = watch.free(weight, live=not x.requires_grad)
    return watch.note(F.rms_norm(x, normalized_shape, free, eps), booking, kept)


def _group_norm(  # noqa: PLR0917 -- as torch has it
    watch: Watch,
    x: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor | None:
    names = watch.name(weight), watch.name(bias)
    if names == (None, None):
        return None
    kept = x.detach()

    booking = _parts(
        names,
        lambda grad: watch.summed(_by_channel(grad * F.group_norm(kept, num_groups, None, None, eps)), 1),
        lambda grad: watch.summed(_by_channel(grad), 1),
    )
    live = not x.requires_grad
    free = watch.free(weight, live=live), watch.free(bias, live=live)
    return watch.note(F.group_norm(x, num_groups, *free, eps), booking, kept)


def _by_channel(values: Tensor) -> Tensor:
    return values.reshape(*values.shape[:2], -1).sum(2)


def _convolution(function: Any, dims: int) -> Any:
    """A convolution of one or two dimensions: a dense layer on patches."""

    def known(  # noqa: PLR0917 -- as torch has it
        watch: Watch,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor | None:
        names = watch.name(weight), watch.name(bias)
        if names == (None, None) or isinstance(padding, str) or x.dim() != dims + 2:
            return None
        kept, shape = x.detach(), weight.shape
        flat = dims == 1  # one dimension is two of height one
        settings = [
            (one, _first(value)) if flat else _pair(value)
            for one, value in ((1, dilation), (0, padding), (1, stride))
        ]

        def of_weight(grad: Tensor) -> Part:
            outs = grad.flatten(2).transpose(1, 2)
            images = kept.unsqueeze(2) if flat else kept
            size = (1, shape[2]) if flat else (shape[2], shape[3])
            if groups == 1:
                patches = _patches(images, size, *settings)
                return OuterProduct(watch.by_example(outs), watch.by_example(patches), images.shape[1])
            patches = F.unfold(images, size, *settings).transpose(1, 2)
            return _grouped(watch, outs, patches, groups).reshape(-1, *shape)

        booking = _parts(names, of_weight, lambda grad: watch.summed(grad.flatten(2).transpose(1, 2), 1))
        live = not x.requires_grad
        free, free_bias = watch.free(weight, live=live), watch.free(bias, live=live)
        if watch.channels_last and dims == 2 and free is not None:
            free = free.clone(
                memory_format=torch.channels_last
            )  # one channel lies either way, and is told apart by its strides
        return watch.note(function(x, free, free_bias, stride, padding, dilation, groups), booking, kept)

    return known


def _patches(images: Tensor, size: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    """(B, places, height * width * channels): as `F.unfold`, which takes twice as long, but with the channels last."""
    if any(padding):
        images = F.pad(images, (padding[1], padding[1], padding[0], padding[0]))
    rows = images.permute(0, 2, 3, 1).contiguous()
    reach = [step * (one - 1) + 1 for step, one in zip(dilation, size, strict=True)]
    places = [
        (whole - one) // step + 1 for whole, one, step in zip(rows.shape[1:3], reach, stride, strict=True)
    ]
    batch, down, right, channel = rows.stride()
    steps = (down * stride[0], right * stride[1], down * dilation[0], right * dilation[1])
    windows = rows.as_strided((len(rows), *places, *size, rows.shape[3]), (batch, *steps, channel))
    return windows.reshape(len(rows), places[0] * places[1], -1)


def _first(value: Any) -> int:
    return int(value) if isinstance(value, int) else int(value[0])


def _pair(value: Any) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else (int(value[0]), int(value[1]))


def _grouped(watch: Watch, outs: Tensor, patches: Tensor, groups: int) -> Tensor:
    left = watch.by_example(outs)
    right = watch.by_example(patches)
    left = left.reshape(*left.shape[:2], groups, -1)
    right = right.reshape(*right.shape[:2], groups, -1)
    return torch.einsum("btgo,btgi->bgoi", left, right)


_KNOWN: dict[Any, Any] = {
    F.linear: _linear,
    torch.matmul: _product,
    Tensor.matmul: _product,
    Tensor.__matmul__: _product,
    torch.mm: _product,
    Tensor.mm: _product,
    torch.addmm: _added_product,
    F.embedding: _embedding,
    F.layer_norm: _layer_norm,
    F.rms_norm: _rms_norm,
    F.group_norm: _group_norm,
    F.conv1d: _convolution(F.conv1d, 1),
    F.conv2d: _convolution(F.conv2d, 2),
}
