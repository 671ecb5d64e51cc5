"""The tables of a data set that questions can be about: one file, or all tables of a database, and public ones beside.

The tables of a database are opened when a question names them: a unit that one of them lacks is no fault of a
question about another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from privet.dataset._data_set import DataSet
from privet.dataset._statement import Caps, Statement, ends, pairs
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.source import PublicTable, Table


class Tables(Mapping[str, "Table | PublicTable"]):
    """Tables by name, opened on first use; `alone` is the one that DATA is, if it is one."""

    def __init__(self, data: DataSet, said: Statement, *, purpose: str | None = None) -> None:
        said.refuse_beside(data)
        self.data, self.said, self.purpose = data, said, purpose
        self.bounds = pairs(said.bounds, "--bounds", "days=0:60")
        self.keys_stated = pairs(said.keys, "--keys", "ward=ICU,Surgery")
        self._places: dict[str, str] = {}
        self._opened: dict[str, Table | PublicTable] = {}
        self._public = dict(pairs(said.public, "--public", "wards=wards.csv"))
        self.caps: Caps | None = None
        self.alone: Table | None = None
        others = dict(pairs(said.tables, "--table", "visits=visits.csv"))
        if data.declaration is not None:
            self._alone(data.table(purpose=purpose), data.source or "")
        else:
            self.caps = Caps.of(said.unit, said.max_rows, said.max_groups)
            where = str(data.source)
            names = _names_in(where)
            if names is None:
                self._alone(self._open(where, "", strict=not others), where)
            else:
                self._places |= {name: f"{where.removesuffix('#')}#{name}" for name in names}
        for name, place in {**others, **self._public}.items():
            if name in self._places:
                raise BadUsage(f"two tables are called {name!r}.", "Give each table a name of its own.")
            DataSet.refuse_declared(place)
            self._places[name] = place

    def _alone(self, table: Table, place: str) -> None:
        self.alone = table
        self._opened[table.name] = table
        self._places[table.name] = place

    def __getitem__(self, name: str) -> Table | PublicTable:
        if name not in self._opened:
            self._opened[name] = (
                self._open_public(name) if name in self._public else self._open(self._places[name], name)
            )
        return self._opened[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def opened(self) -> list[Table | PublicTable]:
        """The tables that have been opened so far."""
        return list(self._opened.values())

    def question(self) -> dict[str, Any]:
        """As `release` and `explain` take them."""
        if self.alone is None:
            return {"tables": self}
        others = {name: self[name] for name in self if name != self.alone.name}
        return {"table": self.alone, "tables": others}

    def _open_public(self, name: str) -> PublicTable:
        from privet.source import open_public

        return open_public(self._public[name], name=name)

    def _open(self, place: str, name: str, *, strict: bool = False) -> Table:
        """Open one private table with what is said about its columns; other tables' columns are left aside."""
        assert self.caps is not None
        called, data = name or None, DataSet.bare(place)
        delimiter = self.said.delimiter if "://" not in place and "#" not in place else None
        bare = data.table(delimiter=delimiter, name=called)
        said = self._said(self.bounds, bare.name, set(bare.columns), strict=strict)
        stated = self._said(self.keys_stated, bare.name, set(bare.columns), strict=strict)
        return data.table(
            unit=self.caps.unit_of(bare.name),
            bounds={column: ends(text) for column, text in said.items()},
            keys={column: text.split(",") for column, text in stated.items()},
            delimiter=delimiter,
            name=called,
        )

    def _said(
        self, given: list[tuple[str, str]], table: str, columns: set[str], *, strict: bool
    ) -> dict[str, str]:
        """What options say about this table: `days=…` for whichever has it, `visits.days=…` for one."""
        found: dict[str, str] = {}
        for name, text in given:
            owner, dot, column = name.rpartition(".")
            if name in columns or (strict and not (dot and owner == table)):
                found[name] = text
            elif dot and owner == table:
                found[column] = text
        return found


def _names_in(place: str) -> list[str] | None:
    """The tables of a database that names none; None for a single table."""
    from privet.engine import tables_at

    return tables_at(place)
