"""The synthesizer that made a twin, to be run again on other rows: what shadow attacks on it are made with.

A shadow twin is for whoever attacks, on rows that they hold anyway: it is booked in a ledger of its own that ends with it,
comes without promise and receipt, and nothing here reads the rows of the table that the twin was made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from privet.artifact import ReleasedTwin
from privet.errors import BadSynthesis, checked
from privet.guarantee import Person, Promise, Unit, unit_in
from privet.ledger import Ledger
from privet.protect.synthesize._synthesize import synthesize
from privet.protect.synthesize._workload import Workload
from privet.source import Table, open_table

if TYPE_CHECKING:
    import pyarrow as pa

_METHODS = {"AIM": "aim", "MST": "mst", "evolution": "evolve"}
NOTE = "Shadow twins were made by the same method for the same promise, each with fresh noise."


@dataclass(frozen=True)
class TwinRecipe:
    """Makes a table as the twin was made; called with rows and a seed, which fresh noise has no use for."""

    promise: Promise
    method: str
    rows: int
    unit: Unit
    columns: tuple[str, ...]
    stated: Mapping[str, Any]  # what is public of the columns, as `open_table` takes it
    bins: Mapping[str, int]
    workload: Workload | None = None
    note: str = NOTE

    def __call__(self, rows: pa.Table, seed: int = 0) -> pa.Table:
        """A shadow twin of these rows: synthetic rows, and nothing that says what they would be good for."""
        del seed
        own = [self.unit.column] if isinstance(self.unit, Person) else []
        names = list(dict.fromkeys([*own, *self.columns]))
        missing = [name for name in names if name not in rows.column_names]
        if missing:
            raise BadSynthesis(
                f"the rows have no column {', '.join(map(repr, missing))}, which the twin was made with.",
                "Give the original with all columns of the twin, and the unit's.",
            )
        table = open_table(rows.select(names), unit=self.unit, **self.stated)
        made = synthesize(
            table,
            self.promise,
            rows=self.rows,
            ledger=Ledger.in_memory(limit=self.promise),
            why="a shadow of a twin, for an attack on it",
            method=self.method,
            columns=list(self.columns),
            bins=dict(self.bins),
            workload=self.workload,
        )
        return made.to_arrow().select([name for name in self.columns if name in made.to_arrow().column_names])


@checked
def twin_recipe(twin: ReleasedTwin, table: Table | None = None, *, workload: Any = None) -> TwinRecipe:
    """How a twin of a table was made, so that shadow attacks can make others like it.

    Args:
        twin: with its rows.
        table: the table that it was made of, as it was opened: its unit, bounds and keys are taken, and no row is read.
            What it does not state, and everything where there is none, is taken from the twin, which is public.
        workload: as it was given to `synthesize`.

    Give it to `attack`: `pv.attack(twin, members=…, control=…, recipe=pv.twin_recipe(twin, patients))`.
    """
    if twin.method not in _METHODS:
        raise BadSynthesis(
            f"a twin made by {twin.method} cannot be made again from its record: it does not hold the generator.",
            "Give a function of rows and a seed that makes such a twin.",
        )
    unit = unit_in(twin.unit) if table is None or table.unit is None else table.unit
    if unit is None:
        raise BadSynthesis("the twin's record does not say whose presence it hides.", "Give the table.")
    rows = twin.to_arrow()
    columns = tuple(one.name for one in twin.columns if one.name in rows.column_names)
    stated = _stated(table, columns)
    known = {*stated["bounds"], *stated["keys"]}
    for one in twin.columns:
        if one.name in columns and one.name not in known:
            kind, found = _seen(one.kind, rows[one.name])
            if found is not None:
                stated[kind][one.name] = found
    return TwinRecipe(
        twin.promise,
        _METHODS[twin.method],
        max(1, twin.rows),
        unit,
        columns,
        stated,
        {one.name: one.codes - 1 for one in twin.columns if one.kind in ("number", "date")},
        workload,
    )


def _stated(table: Table | None, columns: tuple[str, ...]) -> dict[str, dict[Any, Any]]:
    if table is None:
        return {"bounds": {}, "keys": {}}
    return {
        "bounds": {name: one for name, one in {**table.bounds, **table.spans}.items() if name in columns},
        "keys": {key[0]: one for key, one in table.keys.items() if len(key) == 1 and key[0] in columns},
    }


def _seen(kind: str, column: Any) -> tuple[str, Any]:
    """What the twin itself shows of a column: its values, or the least and the largest."""
    import pyarrow.compute as pc

    there = column.drop_null()
    if not len(there):
        return "keys", None
    if kind == "category":
        return "keys", there.combine_chunks().unique().to_pylist()
    ends = pc.min_max(there).as_py()
    least, most = ends["min"], ends["max"]
    return "bounds", (least, most) if least < most else None
