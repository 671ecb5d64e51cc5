"""Which synthetic row is nearest to each row, exactly: one matrix product in pieces, on codes.

Numbers and dates count by their distance on [0, 1]; categories by whether they are equal (one-hot, times a third, as in
Tab-PE). With a label, a row may only choose among synthetic rows of its own label. All places are whole numbers so small
that floats hold every sum of products exactly: in whatever order a matrix product adds them up, and beside whichever other
rows, a row finds the same nearest one; of equally near ones the first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.protect.synthesize._column_domain import ColumnDomain

_HOT = 1 / 3
_EXACT = {np.float32: 24, np.float64: 53}  # bits of whole numbers that are exact
_PIECE = 2048  # rows whose distances are held at once
Floats = NDArray[np.float32] | NDArray[np.float64]


class NearestRows:
    """Finds the nearest of a fixed set of synthetic rows."""

    def __init__(
        self, columns: Sequence[ColumnDomain], candidates: NDArray[np.int64], label: int | None
    ) -> None:
        self._columns, self._label = columns, label
        self._type, self._steps = _exact_steps(columns)
        labels = np.zeros(len(candidates), np.int64) if label is None else candidates[:, label]
        self._groups = {int(one): np.flatnonzero(labels == one) for one in np.unique(labels)}
        self._points = self._embedded(candidates)
        self._norms = (self._points**2).sum(axis=1)

    def _embedded(self, codes: NDArray[np.generic]) -> Floats:
        parts: list[Any] = []
        for at, column in enumerate(self._columns):
            if at == self._label:
                continue
            code = np.asarray(codes[:, at], np.int64)
            mark = round(self._steps * _HOT)
            if column.kind == "category":
                parts.append((np.eye(column.size)[code] * mark).astype(self._type))
            else:
                gone = code >= column.missing
                place = np.where(gone, 0.5, (code + 0.5) / column.bins)
                there = np.rint(place * self._steps)
                parts.append(np.stack([there, gone * float(mark)], axis=1).astype(self._type))
        found: Floats = np.concatenate(parts, axis=1)
        return found

    def __call__(self, codes: NDArray[np.int32]) -> NDArray[np.int64]:
        """The place of the nearest candidate for each row, as one column; rows whose label no candidate has take any."""
        found = np.empty(len(codes), np.int64)
        for start in range(0, len(codes), _PIECE):
            piece = codes[start : start + _PIECE]
            points = self._embedded(piece)
            labels = np.zeros(len(piece), np.int64) if self._label is None else piece[:, self._label]
            best = np.zeros(len(piece), np.int64)
            for one in np.unique(labels):
                mine = labels == one
                among = self._groups.get(int(one))
                if among is None:
                    among = np.arange(len(self._points))
                away = self._norms[among][None, :] - 2 * points[mine] @ self._points[among].T
                best[mine] = among[away.argmin(axis=1)]
            found[start : start + _PIECE] = best
        return found[:, None]


def _exact_steps(columns: Sequence[ColumnDomain]) -> tuple[Any, int]:
    """The floats that are used, and how many steps [0, 1] has: so few that sums over all columns stay exact.

    A column adds less than four squares of the steps to a squared length less twice a product. The smaller floats are
    used where they still tell all bins apart.
    """
    finest = 2 * max((column.bins for column in columns if column.kind != "category"), default=1)
    for kind, bits in _EXACT.items():
        steps = 2 ** ((bits - 2 - math.ceil(math.log2(max(1, len(columns))))) // 2)
        if steps >= finest or kind is np.float64:
            return kind, min(steps, 2**20)
    raise AssertionError
