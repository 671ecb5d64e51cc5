"""Public tables: lists that anybody may read, to be joined with private rows.

A code list, a register of hospitals, a calendar: what they say about a ward or a day is known without the data,
so their values need no budget, and serve as public keys and bounds of the columns that they add.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from privet.artifact import Displayed
from privet.engine import ColumnKind, kinds_in
from privet.errors import BadDeclaration, checked
from privet.source._key_sets import KeySet
from privet.source._public_ranges import Bounds, Origin

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 5_000_000


@dataclass(frozen=True, eq=False, repr=False)
class PublicTable(Displayed):
    """A table whose every row may be published. Made by `open_public`."""

    name: str
    rows: pa.Table
    why: str = ""
    _drawn_as: ClassVar[str] = "public table"

    @property
    def columns(self) -> dict[str, ColumnKind]:
        """The columns in order, with their kinds."""
        return kinds_in(self.rows)

    def digest(self) -> str:
        """A short, stable name of exactly these rows. They are public, so it may be too."""
        said = repr((self.rows.column_names, [str(kind) for kind in self.columns.values()]))
        found = hashlib.sha256(said.encode())
        for row in self.rows.to_pylist():
            found.update(repr(list(row.values())).encode())
        return found.hexdigest()[:16]

    def bounds_of(self, column: str) -> Bounds | None:
        """The range of a column of numbers: public, since the table is."""
        import pyarrow.compute as pc

        if not self.columns[column].is_number:
            return None
        numbers = pc.drop_null(pc.cast(self.rows[column], "float64"))
        finite = numbers.filter(pc.is_finite(numbers))
        if len(finite) == 0:
            return None
        low, high = pc.min(finite).as_py(), pc.max(finite).as_py()
        return Bounds(low, high if high > low else low + 1, Origin.STATED, self._listed())

    def keys_of(self, column: str, *, with_missing: bool) -> KeySet | None:
        """The values of a column, as public keys; with `with_missing` also that there is none."""
        if self.columns[column] in (ColumnKind.REAL, ColumnKind.OTHER):
            return None
        found = list(dict.fromkeys(self.rows[column].to_pylist()))
        if with_missing and None not in found:
            found.append(None)
        return KeySet(found, Origin.STATED, self._listed()) if found else None

    def __repr__(self) -> str:
        return f"PublicTable {self.name!r}: {', '.join(self.rows.column_names)} ({self.rows.num_rows} rows)"

    def _listed(self) -> str:
        return self.why or f"listed in the public table {self.name!r}"


@checked
def open_public(thing: Any, *, name: str | None = None, why: str = "") -> PublicTable:
    """Read a public table: a path, an address, a frame or an Arrow table. Its rows are read at once and kept.

    Whoever opens it so says that all of it may be published; `why` may cite the reason.
    """
    from privet.engine import open_anything, public_rows

    opened = open_anything(thing)
    called = name or (Path(opened.name).name if opened.name else "table")
    rows = public_rows(opened.relation, MOST_ROWS)
    if rows.num_rows == 0:
        raise BadDeclaration(
            f"the public table {called!r} has no rows.", "Check that this is the right file."
        )
    return PublicTable(called, rows, why)
