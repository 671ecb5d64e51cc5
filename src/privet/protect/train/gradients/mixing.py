"""Operations that let one record of a batch see another: found by name, or by what happens to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.errors import UnsafeModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor, nn


def refuse_batch_statistics(model: nn.Module) -> None:
    """Refuse batch normalisation that learns from the batch; one in evaluation mode is a fixed affine map."""
    from torch import nn

    kinds = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)
    found = [
        f"{name!r} ({type(module).__name__})"
        for name, module in model.named_modules()
        if isinstance(module, kinds) and (module.training or not module.track_running_stats)
    ]
    if found:
        raise UnsafeModel(
            f"batch normalisation mixes the records of a batch: {', '.join(found)}.",
            "Replace it by GroupNorm or LayerNorm, or freeze it with module.eval().",
            modules=found,
        )


def refuse_moving_buffers(model: nn.Module, run: Callable[[], Any]) -> None:
    """Refuse a model that stores something of its inputs while it runs, which no noise would cover."""
    import torch

    before = {name: buffer.clone() for name, buffer in model.named_buffers()}
    run()
    moved = [
        name
        for name, buffer in model.named_buffers()
        if name not in before or not torch.equal(buffer, before[name])
    ]
    if moved:
        with torch.no_grad():
            for name, buffer in model.named_buffers():
                if name in before:
                    buffer.copy_(before[name])
        raise UnsafeModel(
            f"the model keeps statistics of the records it sees, without noise: {', '.join(map(repr, moved))}.",
            "Freeze the module that does, or take it out.",
            buffers=moved,
        )


class Untrained:
    """What a model holds besides the weights that are trained: it must be after the run what it was before.

    Whatever a model writes there while it runs, it has from records, without noise.
    """

    def __init__(self, model: nn.Module, trained: dict[str, nn.Parameter]) -> None:
        own = {id(weight) for weight in trained.values()}
        self._frozen = {name: weight for name, weight in model.named_parameters() if id(weight) not in own}
        self._buffers = dict(model.named_buffers())
        self._before = {name: buffer.clone() for name, buffer in self._buffers.items()}
        self._model, self._versions = model, self._counted()

    def refuse_moved(self, *, thorough: bool = False) -> None:
        """Refuse to go on when something was written; `thorough` also looks for buffers that were exchanged."""
        if self._counted() == self._versions and not thorough:
            return
        written = [name for name, weight in self._frozen.items() if weight._version != self._versions[name]]  # noqa: SLF001
        now = dict(self._model.named_buffers()) if thorough else self._buffers
        written += [
            name
            for name in {**now, **self._before}
            if name not in now or name not in self._before or not _equal(now[name], self._before[name])
        ]
        if written:
            raise UnsafeModel(
                "the model writes down something of the records while it runs, without noise: "
                f"{', '.join(map(repr, written))}.",
                "Take out what does. The run was booked; do not publish this model.",
                buffers=written,
            )
        self._versions = self._counted()

    def _counted(self) -> dict[str, int]:
        """How often each was written to."""
        return {name: held._version for part in (self._frozen, self._buffers) for name, held in part.items()}  # noqa: SLF001


def _equal(one: Tensor, other: Tensor) -> bool:
    import torch

    if torch.equal(one, other):
        return True
    return one.is_floating_point() and torch.equal(torch.nan_to_num(one), torch.nan_to_num(other))


def mixing_module(model: nn.Module, run: Callable[[bool], Any], rows: int) -> str:
    """The first module whose output for untouched records moves with another record, its own input being unmoved.

    `run(False)` runs the model on a batch; `run(True)` on the same batch with the first example changed, which has
    `rows` rows.
    """
    from torch import Tensor

    seen: dict[bool, list[tuple[str, Any, Any]]] = {False: [], True: []}
    state = {"changed": False}

    def hook_of(name: str) -> Any:
        def hook(_: Any, inputs: Any, output: Any) -> None:
            first = next((value for value in inputs if isinstance(value, Tensor)), None)
            out = output if isinstance(output, Tensor) else next(iter(_tensors(output)), None)
            seen[state["changed"]].append((name, _kept(first), _kept(out)))

        return hook

    handles = [
        module.register_forward_hook(hook_of(name))
        for name, module in model.named_modules()
        if next(module.children(), None) is None
    ]
    try:
        for changed in (False, True):
            state["changed"] = changed
            run(changed)
    finally:
        for handle in handles:
            handle.remove()
    for (name, x, y), (_, other_x, other_y) in zip(seen[False], seen[True], strict=False):
        if not _moves(x, other_x, rows) and _moves(y, other_y, rows):
            return f"the module {name!r} ({type(model.get_submodule(name)).__name__})"
    return "an operation between the model's modules"


def _tensors(output: Any) -> list[Any]:
    from torch import Tensor

    values = (
        output.values() if hasattr(output, "values") else output if isinstance(output, tuple | list) else ()
    )
    return [value for value in values if isinstance(value, Tensor)]


def _kept(value: Tensor | None) -> Tensor | None:
    return None if value is None else value.detach().clone()


def _moves(one: Any, other: Any, rows: int) -> bool:
    import torch

    if one is None or other is None or one.shape != other.shape or one.dim() == 0 or len(one) <= rows:
        return False
    if not one.is_floating_point():
        return bool((one[rows:] != other[rows:]).any())
    return not torch.allclose(one[rows:], other[rows:], rtol=1e-5, atol=1e-6, equal_nan=True)
