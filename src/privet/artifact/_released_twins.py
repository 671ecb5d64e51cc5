"""Twins of several tables that join: one for each table, made under one promise and one booking."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.artifact._atomic_write import written_folder
from privet.artifact._audience import Content, Publishable
from privet.artifact._confined_paths import checked_name
from privet.artifact._field_types import fitting
from privet.artifact._record_files import load_record
from privet.artifact._released_twin import ReleasedTwin
from privet.errors import BadUsage, UnknownRecord, checked

if TYPE_CHECKING:
    from privet.artifact._receipt import Receipt
    from privet.evidence import Standing
    from privet.guarantee import Promise

SCHEMA = 1
KIND = "released-twins"
RECORD = "twins.json"


@dataclass(frozen=True, slots=True)
class TwinLink:
    """Which column of a table names a row of the first table, by which column there."""

    table: str
    column: str
    to: str
    key: str


@dataclass(frozen=True)
class ReleasedTwins(Mapping[str, ReleasedTwin]):
    """Twins by the names of their tables. Every key of another table is one of the first table's.

    The promise is for all of them together: one person's rows in all tables.
    """

    tables: Mapping[str, ReleasedTwin]
    links: tuple[TwinLink, ...]

    def __getitem__(self, name: str) -> ReleasedTwin:
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    @property
    def first(self) -> ReleasedTwin:
        """The twin of the table of persons."""
        return next(iter(self.tables.values()))

    @property
    def promise(self) -> Promise:
        """What is promised of all together."""
        return self.first.promise

    @property
    def standing(self) -> Standing | None:
        """Whether the promise is the data set's word: only where that of every table is."""
        found = [one.standing for one in self.tables.values()]
        return next((one for one in found if one is None or not one.believed), found[0])

    @property
    def receipt(self) -> Receipt | None:
        """The one booking."""
        return self.first.receipt

    @property
    def rho(self) -> float:
        """What everything that was measured in all tables cost together."""
        return sum(one.rho for one in self.tables.values())

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version; it holds no row. Everything in it may be public."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "tables": {name: one.to_json() for name, one in self.tables.items()},
            "links": [asdict(one) for one in self.links],
        }

    @checked
    def save(self, folder: str | Path) -> Path:
        """Write a folder with one file for each table and a record of how they join; whole or not at all."""
        target = Path(folder)
        if target.suffix:
            raise BadUsage("twins of several tables are saved as a folder.", "Name it without an ending.")
        record = {
            "schema": SCHEMA,
            "artifact": KIND,
            "tables": list(self.tables),
            "links": [asdict(one) for one in self.links],
        }
        files: dict[str, Content] = {
            f"{checked_name(name)}.parquet": one.write_parquet for name, one in self.tables.items()
        }
        files[RECORD] = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
        return written_folder(target, Publishable(files, "released under a promise"))

    @classmethod
    @checked
    def load(cls, folder: str | Path) -> ReleasedTwins:
        """Read back a folder; refuses versions that it does not know, and tables that do not belong together."""
        source = Path(folder)
        record = load_record(source / RECORD, "twins of several tables")
        if record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise UnknownRecord("these are no twins of a known version.", "Were they written by a newer one?")
        try:
            links = tuple(fitting(TwinLink(**one)) for one in record["links"])
            names = [checked_name(str(name)) for name in record["tables"]]
        except (KeyError, TypeError):
            raise UnknownRecord("this record of twins lacks a field.") from None
        tables = {name: ReleasedTwin.load(source / f"{name}.parquet") for name in names}
        if not tables or len({str(one.receipt) for one in tables.values()}) > 1:
            raise UnknownRecord(
                "the tables in this folder were not made by one booking.",
                "Look for the folder as it was saved.",
            )
        return cls(tables, links)

    def __str__(self) -> str:
        lines = [
            f"{name}: {one.rows:,} synthetic rows, {len(one.columns)} columns, by {one.method}"
            for name, one in self.tables.items()
        ]
        lines += [f"{one.table}.{one.column} is one of {one.to}.{one.key}" for one in self.links]
        lines += [f"note: {note}" for note in dict.fromkeys(n for one in self.values() for n in one.notes)]
        said = [self.standing.sentence()] if self.standing else []
        return "\n".join([*lines, f"rho {self.rho:.6g} in all", self.first.sentence(), *said])
