"""Reports of any client as rows of numbers, for tests that know nothing of how they were made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadAttack

Rows = NDArray[np.float64]
MOST_COLUMNS = 4_096
_STAMP = "collection"  # which specification a report is of: no part of the answer


def numbers_of(*sides: Any) -> list[Rows]:
    """Reports of several inputs as rows of numbers in the same columns."""
    tables = [_table(side) for side in sides]
    names = sorted({name for table in tables for name in table})
    parts = [_column([table.get(name, [None] * _length(table)) for table in tables]) for name in names]
    found = [np.concatenate([part[side] for part in parts], axis=1) for side in range(len(tables))]
    if found[0].shape[1] > MOST_COLUMNS:
        raise BadAttack(
            f"the client's reports have more than {MOST_COLUMNS:,} numbers each.", "Ask for fewer values."
        )
    return found


def _table(side: Any) -> dict[str, list[Any]]:
    """Reports as columns by name."""
    if hasattr(side, "column_names"):
        return {name: side[name].to_pylist() for name in side.column_names if name != _STAMP}
    listed = side.tolist() if hasattr(side, "tolist") else list(side)
    if listed and all(isinstance(one, Mapping) for one in listed):
        names = {name: None for one in listed for name in one if name != _STAMP}
        return {name: [one.get(name) for one in listed] for name in names}
    return {"": listed}


def _length(table: dict[str, list[Any]]) -> int:
    return len(next(iter(table.values()), []))


def _column(sides: list[list[Any]]) -> list[Rows]:
    """One column as numbers: numbers as they are, bytes as bits, lists of numbers by place or membership, others as codes."""
    some = next((one for side in sides for one in side if one is not None), None)
    if isinstance(some, bytes):
        return [_bits(side) for side in sides]
    if isinstance(some, list | tuple | np.ndarray):
        return _listed([[() if one is None else tuple(one) for one in side] for side in sides])
    if isinstance(some, bool | int | float | np.number) or some is None:
        try:
            return [np.array([[np.nan if one is None else float(one)] for one in side]) for side in sides]
        except (TypeError, ValueError):
            pass
    known = {text: code for code, text in enumerate(sorted({str(one) for side in sides for one in side}))}
    return [np.array([[float(known[str(one)])] for one in side]) for side in sides]


def _bits(side: list[Any]) -> Rows:
    width = max((len(one) for one in side if one is not None), default=0)
    rows = np.array([list((one or b"").ljust(width, b"\0")) for one in side], np.uint8).reshape(len(side), -1)
    return np.unpackbits(rows, axis=1, bitorder="little").astype(float)


def _listed(sides: list[list[tuple[Any, ...]]]) -> list[Rows]:
    lengths = {len(one) for side in sides for one in side}
    if len(lengths) == 1 and not _ascending(sides):
        return [np.array(side, float) for side in sides]
    known = sorted({item for side in sides for one in side for item in one})
    places = {item: place for place, item in enumerate(known)}
    found = []
    for side in sides:
        held = np.zeros((len(side), len(known)))
        for row, one in enumerate(side):
            held[row, [places[item] for item in one]] = 1.0
        found.append(held)
    return found


def _ascending(sides: list[list[tuple[Any, ...]]]) -> bool:
    """Whether lists are sets of whole numbers: each names its members once, in order."""
    return all(
        isinstance(item, int | np.integer) and (at == 0 or one[at - 1] < item)
        for side in sides
        for one in side
        for at, item in enumerate(one)
    )
