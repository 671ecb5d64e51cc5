"""The guarantee, computed once more from the written file.

Nothing of the search is used: the file is read back with another reader, its rows are grouped as an outsider would
group them, and every part of the promise is measured on these classes with the audit's own measures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.disclosure import diversity
from privet.disclosure.cells import Cells, cells_of
from privet.disclosure.codes import Codes, Groups
from privet.errors import PromiseBroken
from privet.guarantee.promises import (
    KAnonymity,
    LDiversity,
    Promise,
    TCloseness,
    parts,
)
from privet.protect.anonymize.counting import codes_of, counted

if TYPE_CHECKING:
    import pyarrow as pa

# Shares are quotients of whole numbers: what is equal on paper may differ in the last digits.
SLACK = 1e-9


@dataclass(frozen=True, eq=False)
class Reference:
    """How a sensitive column is spread over the whole original table, against which some promises compare.

    `levels[v, h]` is the node above value v at height h + 1, where distances follow a hierarchy.
    """

    values: pa.Array = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)
    levels: NDArray[np.int64] | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class Written:
    """A file as an outsider sees it: classes by the quasi-identifiers, and the sensitive values in them."""

    codes: Codes
    groups: Groups
    labels: Mapping[str, pa.Array]
    references: Mapping[str, Reference]

    def cells(self, column: str) -> Cells:
        """The sensitive values of each class, against the original table's."""
        import pyarrow.compute as pc

        reference = self.references[column]
        known = pc.index_in(self.labels[column], value_set=reference.values, skip_nulls=False)
        if known.null_count:
            raise PromiseBroken(f"the written column {column!r} holds values that the table never had.")
        (at,) = self.codes.positions([column])
        values = np.asarray(known.to_numpy(zero_copy_only=False), np.int64)[self.codes.codes[:, at]]
        return cells_of(self.groups.labels, values, self.codes.counts, reference.shares)


def written(
    path: Path, ending: str, schema: pa.Schema, quasi: tuple[str, ...], references: Mapping[str, Reference]
) -> Written:
    """Read a finished file back."""
    columns = [*quasi, *references]
    codes, labels = codes_of(counted(path, ending, schema, columns), columns)
    return Written(codes, codes.groups(quasi), labels, references)


def check(found: Written, promise: Promise) -> None:
    """Raise unless every part of the promise holds on the written file."""
    for part in parts(promise):
        measure = _MEASURES.get(type(part))
        if measure is None:
            raise PromiseBroken(f"{type(part).__name__} cannot be measured on a written file.")
        fault = measure(found, part) if len(found.codes) else None
        if fault:
            raise PromiseBroken(
                f"the written file {fault}; nothing was published.",
                "Check that nothing changes the source, and run again.",
            )


# --- one measure for each promise: None where it holds, else what is wrong ----------------------


def _k_anonymity(found: Written, promise: KAnonymity) -> str | None:
    smallest = int(found.groups.sizes.min())
    return None if smallest >= promise.k else f"has a class of {smallest} rows, and {promise.k} were promised"


def _l_diversity(found: Written, promise: LDiversity) -> str | None:
    cells = found.cells(promise.column)
    if promise.variant == "distinct":
        holds = bool((diversity.distinct_l(cells) >= promise.l).all())
    elif promise.variant == "entropy":
        holds = bool((diversity.entropy_l(cells) >= promise.l * (1 - SLACK)).all())
    else:
        assert promise.c is not None  # the promise checks this itself
        holds = bool((diversity.recursive_ratio(cells, promise.l) < float(promise.c)).all())
    return None if holds else f"has a class that is not {promise.l}-diverse in {promise.column!r}"


def _t_closeness(found: Written, promise: TCloseness) -> str | None:
    cells = found.cells(promise.column)
    if promise.distance == "equal":
        far = diversity.t_equal(cells)
    elif promise.distance == "ordered":
        far = diversity.t_ordered(cells)
    else:
        levels = found.references[promise.column].levels
        if levels is None:
            return f"has no hierarchy of {promise.column!r} to measure distances by"
        far = diversity.t_hierarchical(cells, levels)
    worst = float(far.max(initial=0))
    holds = worst <= float(promise.t) + SLACK
    return None if holds else f"has a class whose {promise.column!r} lies {worst:.4f} from the table's"


_MEASURES: dict[type[Promise], Callable[[Written, Any], str | None]] = {
    KAnonymity: _k_anonymity,
    LDiversity: _l_diversity,
    TCloseness: _t_closeness,
}
