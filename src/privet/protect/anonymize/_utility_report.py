"""What the published rows are still good for, measured on a sample of them: marginals, correlations and a model.

The sample is the same every time: rows are mixed by a fixed rule, not drawn. A published cell that stands for several
values counts as each of them in equal parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import Finder, FrequencyTable
from privet.errors import UtilityUnmeasurable
from privet.protect.anonymize._recoding import Recoding
from privet.protect.anonymize._utility_measures import (
    cells_of_solution,
    correlation_distance,
    model_utility,
)
from privet.protect.anonymize.hierarchies import Ladder
from privet.protect.anonymize.search import Solution

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 12_000
_CELLS = 40_000_000  # of rows by values that may be looked at; fewer rows are taken beyond
_FOLD = 4  # one row in so many is held out
_MIX = np.uint64(0x9E3779B97F4A7C15)


def usefulness(
    solution: Solution,
    plan: Recoding,
    ladders: Sequence[Ladder],
    full: FrequencyTable,
    target: str | None = None,
) -> dict[str, float]:
    """Distances of marginals and correlations, and what a model for `target` loses, by name."""
    values = sum(len(labels) for labels in full.labels[: len(ladders)])
    lines = _sample(full.counts, max(200, min(ROWS, _CELLS // max(1, values))))
    places = plan.order[Finder(plan.combinations).places(full.codes[lines, : len(ladders)])]
    part = replace(
        solution,
        codes=solution.codes[places],
        nodes=solution.nodes[places],
        labels=solution.labels[places],
        suppressed=solution.suppressed[places],
    )
    cells = [np.asarray(one, bool) for one in cells_of_solution(part, ladders)]
    gone = part.suppressed
    found = {
        f"marginal distance, {ladder.column}": _marginal(part.codes[:, j], cells[j], gone)
        for j, ladder in enumerate(ladders)
    }
    numbers = [j for j in range(len(ladders)) if _numeric(full.labels[j])]
    if len(numbers) > 1 and int((~gone).sum()) > 1:
        before, after = _as_numbers(part.codes, cells, full, numbers)
        found["correlation distance"] = correlation_distance(before, after, gone)
    if target is not None:
        found |= _model(part, cells, plan, full, (lines, target))
    return found


def _sample(counts: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Lines of the frequency table for at most so many rows, mixed; each line as often as rows are taken of it."""
    ends = np.cumsum(counts)
    rows = int(ends[-1])
    taken = np.arange(rows) if rows <= most else (np.arange(most) * (rows / most)).astype(np.int64)
    lines = np.searchsorted(ends, taken, side="right")
    return lines[np.argsort(np.arange(len(lines), dtype=np.uint64) * _MIX, kind="stable")]


def _spread(cells: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.asarray(cells / np.maximum(1, cells.sum(axis=1, keepdims=True)), np.float64)


def _marginal(codes: NDArray[np.int32], cells: NDArray[np.bool_], gone: NDArray[np.bool_]) -> float:
    """Half the sum of differences between shares of values, before and after."""
    if gone.all():
        return 1.0
    before = np.bincount(codes, minlength=cells.shape[1]) / len(codes)
    return float(np.abs(before - _spread(cells[~gone]).mean(axis=0)).sum() / 2)


def _numeric(labels: pa.Array) -> bool:
    import pyarrow as pa

    return bool(
        (pa.types.is_integer(labels.type) or pa.types.is_floating(labels.type)) and not labels.null_count
    )


def _as_numbers(
    codes: NDArray[np.int32], cells: list[NDArray[np.bool_]], full: FrequencyTable, columns: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Original numbers, and the mean of what each published cell stands for."""
    known = {j: np.asarray(full.labels[j].to_numpy(zero_copy_only=False), np.float64) for j in columns}
    before = np.stack([known[j][codes[:, j]] for j in columns], axis=1)
    after = np.stack([_spread(cells[j]) @ known[j] for j in columns], axis=1)
    return before, after


def _model(
    part: Solution,
    cells: list[NDArray[np.bool_]],
    plan: Recoding,
    full: FrequencyTable,
    wanted: tuple[NDArray[np.int64], str],
) -> dict[str, float]:
    """Train on the published rows, test on original ones that were held out."""
    lines, target = wanted
    at = full.columns.index(target)
    features: list[Any] = [j for j in range(len(cells)) if j != at]
    if at < len(cells) and plan.columns[at].level != 0:
        raise UtilityUnmeasurable(
            f"column {target!r} is made coarser itself, so that no model can learn to tell it.",
            "Call it sensitive or insensitive, or measure another column.",
        )
    held_out = np.arange(len(lines)) % _FOLD == 0
    answer = full.codes[lines, at].astype(np.int64)
    told = model_utility(
        part.codes[:, features].astype(np.int64),
        [cells[j] for j in features],
        answer,
        part.suppressed,
        held_out,
    )
    return {
        f"accuracy for {target}, trained on the original ({told.learner})": told.original,
        f"accuracy for {target}, trained on what is published ({told.learner})": told.published,
        f"accuracy for {target}, by always guessing the same": told.guess,
    }
