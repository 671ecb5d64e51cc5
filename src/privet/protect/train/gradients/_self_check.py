"""Before the first step: is the clipping what it says, and does no record see another?

A few records go through the model alone and together. Clipped sums and norms of the engine must be those of single
examples; changing one record must move nothing of the others. What fails is named and refused, or, where a slower
engine is exact, given to that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from privet.errors import BadTraining, PrivetError, UnsafeModel
from privet.protect.train.gradients._controlled_randomness import QUANTILES, controlled
from privet.protect.train.gradients._cross_record_operations import mixing_module, refuse_batch_statistics
from privet.protect.train.gradients._neighbour_check import ALONE, neighbour_fault
from privet.protect.train.gradients._per_example_loss import Batch, Objective, each
from privet.protect.train.gradients._step_guard import StepGuard, refuse_memory
from privet.protect.train.gradients._trial_weights import moved
from privet.protect.train.gradients.clipping import (
    Bookkeeping,
    ClippedSum,
    ClippingRule,
    Closed,
    DenseStack,
    Engine,
    Looped,
    NotSeen,
    Opacus,
    Vmapped,
    head_of,
)

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
    guard: StepGuard | None = None,
) -> Engine:
    """The fastest engine that is exact for this model, or the one wanted if it is; refuses models that mix records.

    Args:
        model: the model, in the mode it will be trained in.
        trained: the parameters to train, by name.
        objective: what is minimised.
        sample: `SAMPLE` examples.
        wanted: "auto" or an engine's name.
        wide: a batch as large as the run's, from which one record is taken out.
        guard: what was there before the first record was seen.
    """
    refuse_batch_statistics(model)
    guard = guard or StepGuard(model, trained, objective.loss)
    with guard.on_failure_put_back(), controlled():
        others = _backwards(sample)
        seen = [sample] if wide is None else [sample, wide]
        refuse_memory(
            guard,
            lambda: [_losses(model, objective, batch) for batch in seen],
            lambda: [_losses(model, objective, _backwards(batch)) for batch in seen],
        )
        for quantile in QUANTILES:
            with controlled(quantile):
                _refuse_mixing(model, objective, sample)
        single = Looped(model, trained, objective)
        cases = [_Case.of(single, sample)]
        if not cases[0].rule:
            raise BadTraining(
                "no example tried has a gradient.", "Check the loss and the trained parameters."
            )
        with moved(trained):
            _refuse_mixing(model, objective, sample)
            cases.append(_Case.of(single, others))
        reasons = []
        for engine in _candidates(model, trained, objective, sample, wanted):
            reason = _fault(engine, cases[0]) or _fault_elsewhere(engine, cases[1], trained, single, wide)
            if not reason:
                return engine
            reasons.append(f"{engine.name}: {reason}")
        guard.refuse_changes("Nothing was spent.", thorough=True)
    raise UnsafeModel(
        f"no clipping of this kind is exact for the model ({'; '.join(reasons)}).",
        'Use StepSpeed(engine="auto"), which falls back to slower engines.',
    )


@dataclass(frozen=True)
class _Case:
    """A batch, a bound that cuts some of its gradients, and the sum of single examples at it."""

    batch: Batch
    rule: ClippingRule | None
    truth: ClippedSum

    @classmethod
    def of(cls, single: Looped, batch: Batch) -> _Case:
        free = single.clipped_sum(batch, ClippingRule(float("inf")))
        finite = free.norms[torch.isfinite(free.norms) & (free.norms > 0)]
        if not len(finite):
            return cls(batch, None, free)
        rule = ClippingRule(0.8 * float(finite.median()))
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
    single = sample.views == 1 and sample.weights is None
    if single and DenseStack.takes(model, trained, objective, sample):
        kinds["closed"] = DenseStack
    elif not (single and head_of(model) is not None and isinstance(sample.inputs, Tensor)):
        del kinds["closed"]
    if not single:
        del kinds["opacus"]
    for name, kind in kinds.items():
        if name == wanted or (wanted == "auto" and name != "opacus"):
            if kind is Bookkeeping and _holds_images(trained):
                yield Bookkeeping(model, trained, objective, channels_last=True)
            yield kind(model, trained, objective)


def _holds_images(trained: dict[str, nn.Parameter]) -> bool:
    """Whether weights of convolutions over images are trained, in memory."""
    return any(weight.dim() == 4 and weight.device.type == "cpu" for weight in trained.values())


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
        fault = neighbour_fault(engine, single, wide, wide.examples // 2, float("inf"))
        return fault or _fault_beside_outliers(engine, wide)
    except NotSeen as reason:
        return str(reason)
    except RuntimeError as problem:
        return f"it fails with {type(problem).__name__} on a larger batch"


def _fault_beside_outliers(engine: Engine, wide: Batch) -> str:
    """Whether a record that is far from the others moves the losses or norms of any of them."""
    if engine.name in ALONE or wide.examples < 2:
        return ""
    free = ClippingRule(float("inf"))
    usual = engine.clipped_sum(wide, free)
    for change in CHANGES:
        try:
            found = engine.clipped_sum(_with_first(wide, change), free)
        except (PrivetError, NotSeen):
            raise
        except Exception:  # noqa: BLE001, S112 -- some models have no output for some of these
            continue
        if not (_close(found.losses[1:], usual.losses[1:]) and _close(found.norms[1:], usual.norms[1:])):
            return "in a larger batch, a record that is far from the others changes their losses or gradients"
    return ""


def _close(one: Tensor, other: Tensor) -> bool:
    tolerance = max(1e-4, min(_TOLERANCE.get(one.dtype, 5e-2), 5e-2))
    return torch.allclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)


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
            "the model gives two losses for the same records, though every draw of torch is held fixed.",
            "Draw random numbers by torch alone, not by Python or NumPy, and do not go by the clock.",
        )
    try:
        alone = torch.cat([_losses(model, objective, sample.alone(i)) for i in range(sample.examples)])
    except Exception as problem:  # noqa: BLE001 -- whatever it is, it may name a record's value
        raise UnsafeModel(
            f"the model does not run on a record alone: it fails with {type(problem).__name__}.",
            "Take out what needs several records: batch statistics, differences between records.",
        ) from None
    mixed = None if _close(together, alone) else sample
    for change in CHANGES:
        other = _with_first(sample, change)
        try:
            moved_losses = _losses(model, objective, other)
        except PrivetError:
            raise
        except Exception:  # noqa: BLE001, S112 -- some models have no output for some of these
            continue
        if not _close(moved_losses[1:], together[1:]):
            mixed = other
            break
    if mixed is None:
        return
    other = _with_another_first(sample) if mixed is sample else mixed
    where = mixing_module(
        model, lambda changed: _losses(model, objective, other if changed else sample), sample.views
    )
    raise UnsafeModel(
        f"a record's loss depends on the other records of its batch: {where} mixes them.",
        "Replace batch statistics by LayerNorm or GroupNorm, set batch_first=True where there is a choice, and remove "
        "operations across the first dimension.",
        where=where,
    )


def _losses(model: nn.Module, objective: Objective, batch: Batch) -> Tensor:
    with torch.no_grad():
        return objective.losses(model, batch).detach()


# What a record may become, from it and the last one: something else, and far from everything.
CHANGES: tuple[Callable[[Tensor, Tensor], Tensor], ...] = (
    lambda _, last: (last.flip(-1) if last.dim() > 1 else last) * 3 + 1,
    lambda own, _: own * 1e3,
    lambda own, _: own * -1e6,
    lambda own, _: torch.zeros_like(own),
    lambda own, _: torch.full_like(own, float("nan")),
    lambda own, _: torch.full_like(own, float("inf")),
)


def _with_another_first(sample: Batch) -> Batch:
    """The sample with its first example changed into something else."""
    return _with_first(sample, CHANGES[0])


def _backwards(batch: Batch) -> Batch:
    """Other records in another order."""
    return _with_another_first(batch.at(range(batch.examples)[::-1]))


def _with_first(sample: Batch, change: Callable[[Tensor, Tensor], Tensor]) -> Batch:
    """The batch with its first example changed; whole numbers, which may be tokens, become others that are there."""
    rows = sample.views
    place = CHANGES.index(change)

    def changed(value: Tensor) -> Tensor:
        other, own, last = value.clone(), value[:rows], value[-rows:]
        if value.is_floating_point():
            other[:rows] = change(own, last)
        elif place == 0:
            other[:rows] = last.flip(-1) if last.dim() > 1 else last
        elif not value.dtype.is_complex and value.dtype != torch.bool:
            other[:rows] = value.max() if place % 2 else value.min()
        return other

    targets = None if sample.targets is None else sample.targets.clone()
    if targets is not None and sample.targets is not None:
        targets[:rows] = sample.targets[-rows:]
    return replace(sample, inputs=each(sample.inputs, changed), targets=targets)
