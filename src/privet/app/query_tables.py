"""The tables that `privet query` can be asked about: one file, or all tables of a database, and public ones beside.

The tables of a database are opened when a question names them: a unit that one of them lacks is no fault of a
question about another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from privet.app.query_options import Caps, ends, pairs
from privet.errors import BadUsage

if TYPE_CHECKING:
    from privet.source.public_tables import PublicTable
    from privet.source.table import Table


class Tables(Mapping[str, "Table | PublicTable"]):
    """Tables by name, opened on first use; `alone` is the one that DATA is, if it is one."""

    def __init__(
        self,
        data: str,
        caps: Caps,
        *,
        bounds: list[str] | None,
        keys: list[str] | None,
        delimiter: str | None,
        more: list[str] | None,
        public: list[str] | None,
    ) -> None:
        self.caps, self.delimiter = caps, delimiter
        self.bounds = pairs(bounds, "--bounds", "days=0:60")
        self.keys_stated = pairs(keys, "--keys", "ward=ICU,Surgery")
        self._places: dict[str, str] = {}
        self._opened: dict[str, Table | PublicTable] = {}
        self._public = dict(pairs(public, "--public", "wards=wards.csv"))
        self.alone: Table | None = None
        names = self._names_in(data)
        others = dict(pairs(more, "--table", "visits=visits.csv"))
        if names is None:
            self.alone = self._open(data, "", strict=not others)
            self._opened[self.alone.name] = self.alone
            self._places[self.alone.name] = data
        else:
            self._places |= {name: f"{data.removesuffix('#')}#{name}" for name in names}
        for name, place in {**others, **self._public}.items():
            if name in self._places:
                raise BadUsage(f"two tables are called {name!r}.", "Give each table a name of its own.")
            self._places[name] = place

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

    def _names_in(self, data: str) -> list[str] | None:
        """The tables of a database that names none; None for a single table."""
        from privet.engine.opening import tables_at

        return tables_at(data)

    def _open_public(self, name: str) -> PublicTable:
        from privet.source import open_public

        return open_public(self._public[name], name=name)

    def _open(self, place: str, name: str, *, strict: bool = False) -> Table:
        """Open one private table with what is said about its columns; other tables' columns are left aside."""
        from privet.source import open_table

        called = name or None
        delimiter = self.delimiter if "://" not in place and "#" not in place else None
        bare = open_table(place, delimiter=delimiter, name=called)
        said = self._said(self.bounds, bare.name, set(bare.columns), strict=strict)
        stated = self._said(self.keys_stated, bare.name, set(bare.columns), strict=strict)
        return open_table(
            place,
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
