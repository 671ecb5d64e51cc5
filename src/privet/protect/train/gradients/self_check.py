"""Before the first step: is the clipping what it says, and does no record see another?

A few records go through the model alone and together. Clipped sums and norms of the engine must be those of single
examples; changing one record must move nothing of the others. What fails is named and refused, or, where a slower
engine is exact, given to that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from privet.errors import BadTraining, PrivetError, UnsafeModel
from privet.protect.train.gradients.clipping.bookkeeping import Bookkeeping
from privet.protect.train.gradients.clipping.closed import Closed, head_of
from privet.protect.train.gradients.clipping.looped import Looped
from privet.protect.train.gradients.clipping.opacus import Opacus
from privet.protect.train.gradients.clipping.rule import ClippedSum, Engine, Rule
from privet.protect.train.gradients.clipping.vmapped import Vmapped
from privet.protect.train.gradients.clipping.watching import NotSeen
from privet.protect.train.gradients.mixing import (
    mixing_module,
    refuse_batch_statistics,
    refuse_moving_buffers,
)
from privet.protect.train.gradients.neighbours import neighbour_fault
from privet.protect.train.gradients.objectives import Batch, Objective, each
from privet.protect.train.gradients.trial_weights import moved

# How many records are looked at, together and in a smaller batch: no multiple of each other, and not of most shapes.
SAMPLE, FEWER = 5, 3
_TOLERANCE = {torch.float64: 1e-6, torch.float32: 5e-4}


def checked_engine(  # noqa: PLR0917
    model: nn.Module,
    trained: dict[str, nn.Parameter],
    objective: Objective,
    sample: Batch,
    wanted: str,
    wide: Batch | None = None,
) -> Engine:
    """The fastest engine that is exact for this model, or the one wanted if it is; refuses models that mix records.

    Args:
        model: the model, in the mode it will be trained in.
        trained: the parameters to train, by name.
        objective: what is minimised.
        sample: `SAMPLE` examples.
        wanted: "auto" or an engine's name.
        wide: a batch as large as the run's, from which one record is taken out.
    """
    refuse_batch_statistics(model)
    with still():
        refuse_moving_buffers(model, lambda: _losses(model, objective, sample))
        _refuse_mixing(model, objective, sample)
        single = Looped(model, trained, objective)
        cases = [_Case.of(single, sample)]
        if not cases[0].rule:
            raise BadTraining(
                "no example tried has a gradient.", "Check the loss and the trained parameters."
            )
        with moved(trained):
            _refuse_mixing(model, objective, sample)
            cases.append(_Case.of(single, _with_another_first(sample.at(range(sample.examples)[::-1]))))
        reasons = []
        for engine in _candidates(model, trained, objective, sample, wanted):
            reason = _fault(engine, cases[0]) or _fault_elsewhere(engine, cases[1], trained, single, wide)
            if not reason:
                return engine
            reasons.append(f"{engine.name}: {reason}")
    raise UnsafeModel(
        f"no clipping of this kind is exact for the model ({'; '.join(reasons)}).",
        'Use StepSpeed(engine="auto"), which falls back to slower engines.',
    )


@dataclass(frozen=True)
class _Case:
    """A batch, a bound that cuts some of its gradients, and the sum of single examples at it."""

    batch: Batch
    rule: Rule | None
    truth: ClippedSum

    @classmethod
    def of(cls, single: Looped, batch: Batch) -> _Case:
        free = single.clipped_sum(batch, Rule(float("inf")))
        finite = free.norms[torch.isfinite(free.norms) & (free.norms > 0)]
        if not len(finite):
            return cls(batch, None, free)
        rule = Rule(0.8 * float(finite.median()))
        return cls(batch, rule, single.clipped_sum(batch, rule))


def _candidates(
    model: nn.Module, trained: dict[str, nn.Parameter], objective: Objective, sample: Batch, wanted: str
) -> Iterator[Engine]:
    kinds: dict[str, Any] = {
        "closed": Closed,
        "bookkeeping": Bookkeeping,
        "vmapped": Vmapped,
        "looped": Looped,
        "opacus": Opacus,
    }
    closed = head_of(model) is not None and sample.views == 1 and isinstance(sample.inputs, Tensor)
    if not closed:
        del kinds["closed"]
    if sample.views > 1:
        del kinds["opacus"]
    for name, kind in kinds.items():
        if name == wanted or (wanted == "auto" and name != "opacus"):
            yield kind(model, trained, objective)


def _fault(engine: Engine, case: _Case) -> str:
    """What is wrong with an engine on this model; nothing, if it is exact."""
    assert case.rule is not None
    try:
        found = engine.clipped_sum(case.batch, case.rule)
        if isinstance(engine, Bookkeeping):
            ratios = engine.last
            engine.clipped_sum(case.batch.part(0, FEWER), case.rule)
            if engine.last != ratios:
                return "a layer does not have the examples in its first dimension"
            engine.ratios = ratios
    except NotSeen as reason:
        return str(reason)
    except PrivetError:
        raise
    except Exception as problem:  # noqa: BLE001 -- whatever a library cannot do, another engine may
        return f"it fails with {type(problem).__name__}"
    return "" if _agree(found, case.truth) else "its sums differ from those of single examples"


def _fault_elsewhere(
    engine: Engine, case: _Case, trained: dict[str, nn.Parameter], single: Looped, wide: Batch | None
) -> str:
    """The same at other weights, with other records in another order; then in a batch of the run's own size."""
    with moved(trained):
        if case.rule is not None and (fault := _fault(engine, case)):
            return fault
    if wide is None or case.rule is None:
        return ""
    try:
        return neighbour_fault(engine, single, wide, wide.examples // 2, float("inf"))
    except NotSeen as reason:
        return str(reason)
    except RuntimeError as problem:
        return f"it fails with {type(problem).__name__} on a larger batch"


def _agree(found: ClippedSum, truth: ClippedSum) -> bool:
    tolerance = max(_TOLERANCE.get(value.dtype, 5e-2) for value in truth.sums.values())
    if not torch.allclose(found.norms.float(), truth.norms.float(), rtol=tolerance, equal_nan=True):
        return False
    size = torch.stack([value.float().norm() for value in truth.sums.values()]).norm()
    return all(
        bool((found.sums[name].float() - value.float()).norm() <= tolerance * size)
        for name, value in truth.sums.items()
    )


# --- records that see each other ---------------------------------------------------------------


def _refuse_mixing(model: nn.Module, objective: Objective, sample: Batch) -> None:
    together = _losses(model, objective, sample)
    again = _losses(model, objective, sample)
    if not torch.equal(torch.nan_to_num(together), torch.nan_to_num(again)):
        raise UnsafeModel(
            "the model gives two losses for the same records: it draws random numbers that cannot be stilled.",
            "Draw them in layers that follow model.eval(), or in the augmentation.",
        )
    other = _with_another_first(sample)
    moved = _losses(model, objective, other)
    alone = torch.cat([_losses(model, objective, sample.part(i, i + 1)) for i in range(sample.examples)])
    tolerance = max(1e-4, min(_TOLERANCE.get(together.dtype, 5e-2), 5e-2))
    apart = torch.allclose(together[1:], moved[1:], rtol=tolerance, atol=tolerance, equal_nan=True)
    if apart and torch.allclose(together, alone, rtol=tolerance, atol=tolerance, equal_nan=True):
        return
    where = mixing_module(
        model, lambda changed: _losses(model, objective, other if changed else sample), sample.views
    )
    raise UnsafeModel(
        f"a record's loss depends on the other records of its batch: {where} mixes them.",
        "Replace batch statistics by LayerNorm or GroupNorm, and remove operations across the first dimension.",
        where=where,
    )


def _losses(model: nn.Module, objective: Objective, batch: Batch) -> Tensor:
    with torch.no_grad():
        return objective.losses(model, batch).detach()


def _with_another_first(sample: Batch) -> Batch:
    """The sample with its first example changed into something else."""
    rows = sample.views

    def changed(value: Tensor) -> Tensor:
        other = value.clone()
        source = value[-rows:].flip(-1) if value.dim() > 1 else value[-rows:]
        other[:rows] = source * 3 + 1 if value.is_floating_point() else source
        return other

    targets = None if sample.targets is None else changed(sample.targets)
    if targets is not None and sample.targets is not None:
        targets[:rows] = sample.targets[-rows:]
    return Batch(each(sample.inputs, changed), targets, sample.examples, sample.views)


class _Still(TorchFunctionMode):
    """Dropout does nothing, so that one record gives one number."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func in _DROPOUTS:
            return args[0] if args else kwargs["input"]
        if func is F.scaled_dot_product_attention:
            args, kwargs = (*args[:4], *([0.0] if len(args) > 4 else []), *args[5:]), {**kwargs}
            if "dropout_p" in kwargs:
                kwargs["dropout_p"] = 0.0
        return func(*args, **kwargs)


_DROPOUTS = {
    F.dropout,
    F.dropout1d,
    F.dropout2d,
    F.dropout3d,
    F.alpha_dropout,
    F.feature_alpha_dropout,
    torch.dropout,
}


@contextmanager
def still() -> Iterator[None]:
    """While it lasts, dropout does nothing and random numbers leave no trace."""
    with torch.random.fork_rng(devices=[]), _Still():
        yield
