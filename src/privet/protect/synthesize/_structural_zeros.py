"""Structural zeros: combinations of values that cannot be, such as "sex == male and pregnant == true". Declared, never found.

Where the codes of the columns tell that a combination is impossible, the model holds nothing there, so no noise is taken
for rows and no such row is sampled. Where a bin holds both possible and impossible values, rows are left out once their
values are drawn. Either way only synthetic rows are looked at; that nothing of the kind exists must be known without the
data. A comparison with a missing value does not hold, so such rows stay.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from privet.engine import ColumnKind
from privet.errors import BadSynthesis
from privet.protect.synthesize._column_domain import ColumnDomain, day_number
from privet.protect.synthesize._junction_tree import Clique, cells_of, model_cells
from privet.protect.synthesize._row_rules import SIGNS, RowRule, rules_of

if TYPE_CHECKING:
    import pyarrow as pa

MOST_COLUMNS = 4  # of one combination
# Between comparisons, and not inside a value in quotes.
_AND = re.compile(r"""\s+and(?:\s+|$)(?=(?:[^"']*["'][^"']*["'])*[^"']*$)""", re.IGNORECASE)
Cells = NDArray[np.bool_]


@dataclass(frozen=True)
class StructuralZero:
    """Comparisons that never hold all at once."""

    parts: tuple[RowRule, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is about."""
        named = [name for part in self.parts for name in (part.left, part.other) if name is not None]
        return tuple(dict.fromkeys(named))

    def kept(self, rows: pa.Table) -> Any:
        """Which rows are not of this kind."""
        import pyarrow.compute as pc

        held = [part.holds(rows, missing=False) for part in self.parts]
        return pc.invert(reduce(pc.and_, held))

    def cells(self, columns: Sequence[ColumnDomain]) -> Cells:
        """Of the table of these columns, which are its own in order: the cells all of whose values are of this kind."""
        names = [one.name for one in columns]
        found = np.ones([one.size for one in columns], np.bool_)
        for part in self.parts:
            shape = [1] * len(columns)
            at = names.index(part.left)
            if part.other is None:
                shape[at] = columns[at].size
                found &= _against_value(part, columns[at]).reshape(shape)
            else:
                beside = names.index(part.other)
                table = _against_column(part, columns[at], columns[beside])
                shape[at], shape[beside] = columns[at].size, columns[beside].size
                found &= (table if at < beside else table.T).reshape(shape)
        return found

    def __str__(self) -> str:
        return " and ".join(str(part) for part in self.parts)


def zeros_of(said: Iterable[str], columns: Mapping[str, ColumnKind]) -> tuple[StructuralZero, ...]:
    """Combinations as people write them, checked against the columns of the twin."""
    found = tuple(StructuralZero(rules_of(_AND.split(one.strip()), columns)) for one in said)
    for one in found:
        if len(one.columns) > MOST_COLUMNS:
            raise BadSynthesis(
                f"a combination that cannot be names more than {MOST_COLUMNS} columns.",
                "Say it with fewer of them; nothing was read or spent.",
            )
    return found


def zero_cells(
    zeros: Iterable[StructuralZero], columns: Sequence[ColumnDomain], most: int
) -> dict[Clique, Cells]:
    """The cells that cannot be, by sets of columns; refuses what no model of so many numbers could hold."""
    at = {one.name: place for place, one in enumerate(columns)}
    found: dict[Clique, Cells] = {}
    sizes = [one.size for one in columns]
    for one in zeros:
        if bought := [name for name in one.columns if name not in at]:
            raise BadSynthesis(
                f"nobody states what {bought[0]!r} may hold, so nothing of it can be said not to be.",
                "State its values or bounds, or say it as a rule; nothing was read or spent.",
            )
        places = tuple(sorted(at[name] for name in one.columns))
        if cells_of(places, sizes) > most:
            raise BadSynthesis(
                f"the columns of a combination that cannot be have more than {most:,} cells together.",
                "State fewer bins for them, or say it as a rule; nothing was read or spent.",
            )
        cells = one.cells([columns[place] for place in places]).reshape(-1)
        found[places] = found[places] | cells if places in found else cells
        if found[places].reshape([sizes[place] for place in places])[(slice(-1),) * len(places)].all():
            raise BadSynthesis(
                f"{one} leaves nothing that {', '.join(one.columns)} may hold together but missing values.",
                "Correct what cannot be; nothing was read or spent.",
            )
    if found and model_cells(found, sizes) > most:
        raise BadSynthesis(
            f"a model in which these combinations cannot be would hold more than {most:,} numbers.",
            "Name fewer of them, or say some as rules; nothing was read or spent.",
        )
    return found


def impossible(codes: NDArray[np.int64], zeros: Mapping[Clique, Cells], sizes: Sequence[int]) -> Cells:
    """Which rows of codes lie in a cell that cannot be."""
    found = np.zeros(len(codes), np.bool_)
    for columns, never in zeros.items():
        found |= never[np.ravel_multi_index(codes[:, columns].T, [sizes[at] for at in columns])]
    return found


def surely_everywhere(part: RowRule, columns: Sequence[ColumnDomain]) -> bool:
    """Whether a comparison holds of all that its columns, one or two, may hold; of lists beside ranges nothing is known."""
    if part.other is None:
        return bool(_against_value(part, columns[0])[:-1].all())
    left, right = columns
    if (left.kind == "category") != (right.kind == "category"):
        return False
    return bool(_against_column(part, left, right)[:-1, :-1].all())


def _against_value(part: RowRule, column: ColumnDomain) -> Cells:
    """For each code, whether the comparison holds of every value that it is written as; of missing ones it never does."""
    sign = SIGNS[part.sign]
    if column.kind == "category":
        held = [bool(sign(value, part.value)) for value in column.values]
    else:
        number = _number(part.value)
        held = [_surely(part.sign, (low, high), (number, number)) for low, high in _spans(column)]
    return np.array([*held, False])


def _against_column(part: RowRule, left: ColumnDomain, right: ColumnDomain) -> Cells:
    """For each pair of codes, whether the comparison holds of every pair of values."""
    if (left.kind == "category") != (right.kind == "category"):
        raise BadSynthesis(
            f"{left.name!r} is a list of values and {right.name!r} is a range: they cannot be compared cell by cell.",
            "Say it as a rule; nothing was read or spent.",
        )
    found = np.zeros((left.size, right.size), np.bool_)
    sign = SIGNS[part.sign]
    if left.kind == "category":
        inner = [[bool(sign(one, other)) for other in right.values] for one in left.values]
    else:
        inner = [[_surely(part.sign, one, other) for other in _spans(right)] for one in _spans(left)]
    found[: left.bins, : right.bins] = inner
    return found


def _surely(sign: str, left: tuple[float, float], right: tuple[float, float]) -> bool:
    """Whether a comparison holds of all numbers of two ranges."""
    (low, high), (least, most) = left, right
    return {
        "<": high < least,
        "<=": high <= least,
        ">": low > most,
        ">=": low >= most,
        "==": low == high == least == most,
        "!=": high < least or low > most,
    }[sign]


def _spans(column: ColumnDomain) -> list[tuple[float, float]]:
    low, high = column.extents()
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _number(value: Any) -> float:
    if isinstance(value, datetime.datetime):
        midnight = datetime.datetime.combine(value.date(), datetime.time.min, value.tzinfo)
        return day_number(value.date()) + (value - midnight) / datetime.timedelta(days=1)
    return float(day_number(value)) if isinstance(value, datetime.date) else float(value)
