"""Counts, sums and means of every world, added up from the rows themselves: what the engine's one pass is tried against.

For rehearsals by the owner alone. Nothing is shared with `privet.engine`'s pass but who is in which world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import WorldStatistic, members, world_rows
from privet.protect.pac._query_plan import QueryPlan
from privet.protect.pac._row_forms import doubles
from privet.protect.pac._world_outputs import WorldRows

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_OF = ("sum", "mean", "valid")


def query_rows(plan: QueryPlan, seed: str) -> WorldRows:
    """The rows that a query counts, with their worlds."""
    relation = plan.query.relation()
    used = [*plan.query.keys, *(one.column for one in plan.statistics.values() if one.column is not None)]
    columns = tuple(dict.fromkeys(used)) or (next(iter(relation.columns)),)
    batches = world_rows(relation, columns, plan.unit, seed=seed, worlds=plan.worlds)
    return WorldRows.of(batches, columns, {}, "arrow", plan.worlds)


def query_outputs(plan: QueryPlan, rows: WorldRows) -> NDArray[np.float64]:
    """The flat answers of every world, one in each row."""
    keys = plan.query.public_keys()
    size = 1 if keys is None else keys.num_rows
    group = _groups(rows.rows, plan.query.keys, keys)
    values = {name: _steps(rows.rows, one) for name, one in plan.statistics.items()}
    found = np.zeros((plan.worlds, size, len(plan.statistics)))
    for world in range(plan.worlds):
        mask = (members(rows.words, world // 2) ^ bool(world % 2)) & (group >= 0)
        people = _people(group[mask], rows.owner[mask], size)
        for at, (name, one) in enumerate(plan.statistics.items()):
            made = _statistic(one, group[mask], values[name][mask], people, size)
            found[world, :, at] = np.where(people >= plan.least_people, made, 0.0)
    return found.reshape(plan.worlds, -1)


def _statistic(
    one: WorldStatistic,
    group: NDArray[np.int64],
    values: NDArray[np.float64],
    people: NDArray[np.float64],
    size: int,
) -> NDArray[np.float64]:
    if one.kind == "persons":
        return np.asarray(2 * people)
    there = ~np.isnan(values)
    rows = np.bincount(group[there], minlength=size).astype(np.float64)
    if one.fixed is None:
        return np.asarray(2 * rows)
    total = np.bincount(group[there], weights=values[there], minlength=size)
    if one.kind == "sum":
        return np.asarray(2.0 * total, np.float64)
    return np.asarray(np.where(rows > 0, total / np.maximum(rows, 1), 0.0))


def _people(group: NDArray[np.int64], owner: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    pairs = np.unique(np.stack([group, owner]), axis=1)[0]
    return np.asarray(np.bincount(pairs, minlength=size), np.float64)


def _groups(rows: pa.Table, names: tuple[str, ...], keys: pa.Table | None) -> NDArray[np.int64]:
    """The place of each row's group among the public ones; -1 for those of none."""
    if keys is None:
        return np.zeros(rows.num_rows, np.int64)
    places: Mapping[Any, int] = {
        tuple(key[name] for name in names): at for at, key in enumerate(keys.to_pylist())
    }
    columns = zip(*(rows[name].to_pylist() for name in names), strict=True)
    return np.array([places.get(key, -1) for key in columns], np.int64)


def _steps(rows: pa.Table, one: WorldStatistic) -> NDArray[np.float64]:
    """The values inside their bounds; not a number where there is none, and 1 where rows are counted as they are."""
    if one.column is None or one.kind not in _ROWS_OF:
        return np.ones(rows.num_rows)
    if one.fixed is None:
        return np.where(rows[one.column].is_valid().to_numpy(), 1.0, np.nan)
    return np.asarray(np.clip(doubles(rows[one.column]), float(one.fixed.lower), float(one.fixed.upper)))
