"""Synthetic, original and control rows made comparable: the same columns, the same codes, equal sizes.

An attack that singles out one row of a table succeeds more often in a small table than in a large one. Members and
control are therefore always drawn to the same size before they are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.attacks._attack_registry import Case
from privet.attacks._seeded_generator import repeatable_generator
from privet.attacks.tables._generalized_cells import cover, is_generalized, tree_of
from privet.attacks.tables._released_rows import (
    Released,
    person_column,
    refuse_absent,
    refuse_empty,
    rows_of,
)
from privet.attacks.tables._row_groups import Groups, row_groups, some_rows
from privet.attacks.tables._table_codes import Coded, as_text, coded
from privet.errors import BadAttack

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class AlignedRows:
    """What was published, who was used for it, and others like them; members and control are equally many."""

    published: Coded = field(repr=False)
    members: Coded = field(repr=False)
    control: Coded = field(repr=False)
    auxiliary: Coded | None = field(repr=False, default=None)
    generalized: tuple[str, ...] = ()  # columns in which others' values were replaced by published cells
    groups: tuple[Groups, Groups] | None = field(
        repr=False, default=None
    )  # rows that belong together, by side

    def drawn(self, case: Case, name: str, most: int | None = None) -> AlignedRows:
        """Members and control of equal size, at most so many, each drawn evenly without repetition.

        Rows that belong together are drawn together, on either side.
        """
        draw = repeatable_generator(case.seed, f"{name} rows")
        size = min(len(self.members), len(self.control), *([] if most is None else [most]))
        mine, others = self.groups or (np.arange(len(self.members)), np.arange(len(self.control)))
        members, control = some_rows(mine, size, draw), some_rows(others, size, draw)
        return replace(
            self, members=self.members.take(members), control=self.control.take(control), groups=None
        )


def alike(released: Released, case: Case, columns: Sequence[str] | None = None) -> AlignedRows:
    """All tables in common codes over the columns that they share, or over those named.

    Where the published table has cells such as intervals, everybody else's values are replaced by the narrowest cell
    that covers them: what the rule of the generalization, which is public, makes of them.
    """
    tables = {"members": rows_of(case.members), "control": rows_of(case.control)}
    if case.auxiliary is not None:
        tables["auxiliary"] = rows_of(case.auxiliary)
    refuse_empty(published=released.rows, **tables)
    names = _columns(released.rows, list(tables.values()), columns or case.setting("columns", None))
    hierarchies = case.setting("hierarchies", None)
    readable = [_recoded(released.rows, table, names, hierarchies) for table in tables.values()]
    found = coded([released.rows.select(names), *readable], names)
    wide = tuple(
        name for name in names if not readable[0].column(name).equals(tables["members"].column(name))
    )
    published, members, control, *rest = found
    groups = row_groups(tables["members"], tables["control"], person_column(released, case))
    return AlignedRows(published, members, control, rest[0] if rest else None, wide, groups)


def _columns(published: pa.Table, others: Sequence[pa.Table], stated: Sequence[str] | None) -> list[str]:
    if stated is not None:
        for table, where in zip(
            [published, *others], ["the published table", *["the original"] * 9], strict=False
        ):
            refuse_absent(table, list(stated), where)
        return list(stated)
    found = [name for name in published.column_names if all(name in table.column_names for table in others)]
    if not found:
        raise BadAttack(
            "the published table shares no column with the original and the control.",
            "Give tables with the same names of columns.",
        )
    return found


def _recoded(
    published: pa.Table, table: pa.Table, names: Sequence[str], hierarchies: Mapping[str, Any] | None
) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for name in names:
        labels, values = published.column(name).combine_chunks(), table.column(name).combine_chunks()
        hierarchy = (hierarchies or {}).get(name)
        if hierarchy is None and not is_generalized(labels, values):
            columns.append(values)
            continue
        texts = as_text(labels).combine_chunks().unique().drop_null()
        distinct = values.unique().drop_null()
        found = cover(texts.to_pylist(), distinct, None if hierarchy is None else tree_of(hierarchy))
        label = found.narrowest()
        at = pc.index_in(as_text(values), value_set=as_text(distinct).combine_chunks())
        chosen = pa.array(label, mask=label < 0).take(
            at.combine_chunks() if hasattr(at, "combine_chunks") else at
        )
        columns.append(texts.take(chosen))
    return pa.table(columns, names=list(names))
