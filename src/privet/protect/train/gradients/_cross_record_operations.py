"""Operations that let one record of a batch see another: found by name, or by what happens to the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from privet.errors import UnsafeModel

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor, nn


def refuse_batch_statistics(model: nn.Module) -> None:
    """Refuse batch normalisation that learns from the batch; one in evaluation mode is a fixed affine map."""
    from torch.nn.modules.batchnorm import _BatchNorm

    found = [
        f"{name!r} ({type(module).__name__})"
        for name, module in model.named_modules()
        if isinstance(module, _BatchNorm) and (module.training or not module.track_running_stats)
    ]
    if found:
        raise UnsafeModel(
            f"batch normalisation mixes the records of a batch: {', '.join(found)}.",
            "Replace it by GroupNorm or LayerNorm, or freeze it with module.eval().",
            modules=found,
        )


def mixing_module(model: nn.Module, run: Callable[[bool], Any], rows: int) -> str:
    """The innermost module whose output for untouched records moves with another record, its own input being unmoved.

    `run(False)` runs the model on a batch; `run(True)` on the same batch with the first example changed, which has
    `rows` rows.
    """
    from torch import Tensor

    seen: dict[bool, list[tuple[str, Any, Any]]] = {False: [], True: []}
    state = {"changed": False}

    def hook_of(name: str) -> Any:
        def hook(_: Any, inputs: Any, output: Any) -> None:
            first = next((value for value in inputs if isinstance(value, Tensor)), None)
            if first is None:
                return
            out = output if isinstance(output, Tensor) else next(iter(_tensors(output)), None)
            seen[state["changed"]].append((name, _kept(first), _kept(out)))

        return hook

    # Modules inside others are done first.
    handles = [
        module.register_forward_hook(hook_of(name))
        for name, module in model.named_modules()
        if name or next(module.children(), None) is None
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
