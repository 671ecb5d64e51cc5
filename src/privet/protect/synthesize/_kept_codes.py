"""Which codes are modelled: those for missing values are dropped where the noisy counts show none.

Decided by noisy counts alone, so it costs nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.protect.synthesize._graphical_model import Array, NoisyMarginal
from privet.protect.synthesize._junction_tree import Clique

_CLEAR = 4.0  # standard deviations that a count of missing values must stand out by


@dataclass(frozen=True)
class KeptCodes:
    """For each column the codes that are modelled; `full` are the sizes of the measured tables."""

    full: tuple[int, ...]
    codes: tuple[NDArray[np.int64], ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the modelled tables."""
        return tuple(len(codes) for codes in self.codes)

    def reduced(self, one: NoisyMarginal) -> NoisyMarginal:
        """A measurement without the codes that are not modelled."""
        table = one.counts.reshape([self.full[column] for column in one.columns])
        kept = table[np.ix_(*(self.codes[column] for column in one.columns))]
        return NoisyMarginal(one.columns, kept.reshape(-1), one.sigma)

    def reduced_zeros(self, zeros: Mapping[Clique, NDArray[np.bool_]]) -> dict[Clique, NDArray[np.bool_]]:
        """Cells that cannot be, without the codes that are not modelled."""
        return {
            columns: self.reduced(NoisyMarginal(columns, never.astype(np.float64), 1.0)).counts > 0
            for columns, never in zeros.items()
        }

    def spread(self, columns: Clique, counts: Array) -> Array:
        """Expected counts on the measured table: nothing where a code is not modelled."""
        table = np.zeros([self.full[column] for column in columns])
        table[np.ix_(*(self.codes[column] for column in columns))] = counts.reshape(
            [len(self.codes[column]) for column in columns]
        )
        return table.reshape(-1)

    def restored(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Rows of modelled codes as codes of the columns."""
        return np.stack([codes[rows[:, at]] for at, codes in enumerate(self.codes)], axis=1)


def kept_codes(
    measured: Sequence[NoisyMarginal], sizes: Sequence[int], whole: Set[int] = frozenset()
) -> KeptCodes:
    """All codes but those of missing values that no noisy count of one column shows; of columns in `whole`, all."""
    dropped: Mapping[int, bool] = {
        one.columns[0]: bool(one.counts[-1] < _CLEAR * one.sigma)
        for one in measured
        if len(one.columns) == 1 and one.columns[0] not in whole
    }
    return KeptCodes(
        tuple(sizes),
        tuple(np.arange(size - 1 if dropped.get(at, False) else size) for at, size in enumerate(sizes)),
    )
