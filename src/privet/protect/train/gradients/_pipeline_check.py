"""Before anything is booked: do `prepare` and `augment` make of a record what it is, whoever went before or stands beside?

Records travel alone by construction (`pipeline`). What construction cannot exclude is looked for here: functions that
remember, that draw from a generator which all records share, or that are written for batches and would do something else
with single records than their author means.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from privet.errors import BadTraining, PrivetError, UnsafePipeline
from privet.mechanism import shared_state
from privet.protect.train.gradients._per_example_loss import Inputs, each
from privet.protect.train.gradients._record_pipeline import Pipeline
from privet.protect.train.gradients._torch_globals import own_generator
from privet.protect.train.gradients._training_records import form_of, tensors_in
from privet.protect.train.gradients._value_fingerprints import same

_NUMBERS = (0x5EED, 0x0DD5)  # two seeds: what differs between them is random
_COPIES = 24


def checked_pipeline(pipeline: Pipeline, positions: NDArray[np.int64]) -> Pipeline:
    """The pipeline as it will run, mapped over rows where that is faithful; refuses one in which records meet.

    Args:
        pipeline: the path from raw records to the model.
        positions: some of the records, ascending; the more they differ, the more is seen.
    """
    with _no_shared_randomness():
        inputs, _ = _prepared(pipeline, positions)
        if pipeline.augment is None:
            return pipeline
        places = [(int(position), 0) for position in positions]
        single = replace(pipeline, mapped=False)
        rows = _failing_in_words(lambda: single.augmented(inputs, places, _NUMBERS[0]))
        _refuse_memory(single, inputs, places, rows)
        _refuse_mixing(single, inputs)
        mapped = replace(pipeline, mapped=True)
        return mapped if _is_faithful(mapped, single, inputs, places, rows) else single


# --- memory ------------------------------------------------------------------------------------


def _prepared(pipeline: Pipeline, positions: NDArray[np.int64]) -> tuple[Inputs, Any]:
    """The records as tensors; in another order, and again, they are the same."""
    records = pipeline.records
    found = records.taken(positions)
    if records.is_made:
        for order in (positions[::-1], positions, positions[::2]):
            for position in order:
                place = int(np.flatnonzero(positions == position)[0])
                inputs, targets = records.taken(np.array([position]))
                wanted = each(found[0], lambda value: value[place : place + 1])  # noqa: B023
                targets_too = found[1] is None or same(targets, found[1][place : place + 1])
                if not (_equal(inputs, wanted) and targets_too):
                    raise UnsafePipeline(
                        "prepare gives another result for the same record when it is called again, or after others.",
                        "Make it a function of its record alone: no memory, no random numbers (draw those in augment).",
                    )
    return found


def _refuse_memory(pipeline: Pipeline, inputs: Inputs, places: list[tuple[int, int]], rows: Inputs) -> None:
    """The same row with the same random numbers is the same again, after other rows and alone."""
    backwards = list(range(len(places)))[::-1]
    for order in (backwards, [0], backwards[::2], list(range(len(places)))):
        some = each(inputs, lambda value: value[order])  # noqa: B023
        found = pipeline.augmented(some, [places[at] for at in order], _NUMBERS[0])
        if not _equal(found, each(rows, lambda value: value[order])):  # noqa: B023
            raise UnsafePipeline(
                "the augmentation gives another result for the same record and the same random numbers when it is "
                "called again, or after others.",
                "Keep nothing between calls, and draw from the generator that is given.",
            )


@contextmanager
def _no_shared_randomness() -> Iterator[None]:
    """Refuse functions that draw from the generators of Python or NumPy, which all records would share."""
    before = shared_state()
    yield
    if shared_state() != before:
        raise UnsafePipeline(
            "prepare or augment draws from a random generator that all records share.",
            "Draw from the torch.Generator that augment is given, or from "
            "numpy.random.default_rng(generator.initial_seed()): it is seeded anew for every record.",
        )


# --- functions that are written for batches ----------------------------------------------------


def _refuse_mixing(pipeline: Pipeline, inputs: Inputs) -> None:
    """Given a whole batch, does it let one record into the rows of others? Then its author means it to."""
    augment = pipeline.augment
    assert augment is not None
    found = []
    with torch.no_grad(), own_generator():
        for change in (lambda value: value, *_CHANGES):
            given = each(inputs, lambda value: _first_changed(value, change))  # noqa: B023
            torch.default_generator.manual_seed(0)
            try:
                found.append(augment(given, torch.Generator().manual_seed(0)))
            except Exception:  # noqa: BLE001 -- not made for batches, so it cannot be meant to mix them
                return
    count = len(tensors_in(inputs)[0])
    for other in found[1:]:
        for one, moved in zip(tensors_in(found[0]), tensors_in(other), strict=False):
            if len(one) == len(moved) == count and not _close(one[1:], moved[1:]):
                raise UnsafePipeline(
                    "the augmentation mixes the records of a batch: changing one changes others.",
                    "It is called for each record alone here, where it would do something else. Write it so that a row "
                    "comes out the same alone and in a batch: reduce over the dimensions after the first.",
                )


def _first_changed(value: torch.Tensor, change: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    other = value.clone()
    other[:1] = change(value[:1]) if value.is_floating_point() else value[-1:]
    return other


_CHANGES: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
    lambda row: row * 3 + 1,
    lambda row: row * 1e4,
    torch.zeros_like,
)

# --- mapping -----------------------------------------------------------------------------------


def _is_faithful(
    mapped: Pipeline, single: Pipeline, inputs: Inputs, places: list[tuple[int, int]], rows: Inputs
) -> bool:
    """Whether mapping over rows does what calling row by row does: the same numbers, or the same kind of chance."""
    copies = each(inputs, lambda value: value[:1].expand(_COPIES, *value.shape[1:]).clone())
    at = [(places[0][0], view) for view in range(_COPIES)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of operations that torch maps slowly
            found = mapped.augmented(inputs, places, _NUMBERS[0])
            many = mapped.augmented(copies, at, _NUMBERS[0])
    except Exception:  # noqa: BLE001 -- whatever it cannot map over is called row by row
        return False
    if form_of(found) != form_of(rows):
        return False
    singles = single.augmented(copies, at, _NUMBERS[0])
    if _is_one_row(singles):
        return all(_close(one, other) for one, other in zip(tensors_in(found), tensors_in(rows), strict=True))
    return not _is_one_row(many)


def _is_one_row(inputs: Inputs) -> bool:
    return all(bool((value == value[:1]).all()) for value in tensors_in(inputs))


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not one.is_floating_point():
        return torch.equal(one, other)
    return torch.allclose(one, other, rtol=1e-5, atol=1e-6, equal_nan=True)


def _equal(one: Inputs, other: Inputs) -> bool:
    return form_of(one) == form_of(other) and all(map(same, tensors_in(one), tensors_in(other)))


def _failing_in_words(run: Callable[[], Inputs]) -> Inputs:
    try:
        return run()
    except PrivetError:
        raise
    except Exception as problem:  # noqa: BLE001 -- whatever it is, it may name a record's value
        raise BadTraining(
            f"the augmentation fails on a record with {type(problem).__name__}.",
            "It is called with the inputs of one record, as a batch of one, and a torch.Generator.",
        ) from None
