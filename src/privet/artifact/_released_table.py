"""A released table: rows changed so that a promise holds, with what was done to each column and the risk that is left."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from privet.artifact._atomic_write import written_whole
from privet.artifact._audience import OwnerOnly, Publishable
from privet.artifact._csv_files import write_csv
from privet.artifact._field_types import fitting
from privet.artifact._notebook_display import Framed, Pictured
from privet.artifact._parquet_size import read_rows
from privet.artifact._receipt import Receipt, with_note
from privet.artifact._record_files import load_record, write_rows
from privet.artifact._released_answer import Provenance
from privet.artifact._signed_files import file_standing
from privet.errors import BadUsage, UnknownRecord, checked
from privet.evidence import Standing
from privet.guarantee import Promise, promise_from_json

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = 1
KIND = "released-table"


@dataclass(frozen=True, slots=True)
class Treatment:
    """What was done to one column. `loss` lies between 0 (as it was) and 1 (nothing left)."""

    column: str
    role: str
    done: str
    level: int | None = None  # the level of its hierarchy, where one level serves all rows
    top: int | None = None  # the hierarchy's last level
    loss: float | None = None


@dataclass(frozen=True, slots=True)
class Risks:
    """What somebody who knows the quasi-identifiers can learn from a table, by the audit's own measures."""

    rows: int
    classes: int
    smallest_class: int
    unique_rows: int
    highest_risk: float
    mean_risk: float
    rows_above: dict[str, float]  # threshold to the share of rows whose risk exceeds it
    sensitive: dict[str, dict[str, float]]  # column to its diversity in the worst class


@dataclass(frozen=True, slots=True)
class SearchPoint:
    """One transformation that the search looked at: what it would cost, and the mean risk that it would leave."""

    loss: float
    risk: float
    suppressed: int


@dataclass(frozen=True, slots=True)
class ColumnPair:
    """One row before and after, for the owner's eyes; `after` is None for a row that was suppressed."""

    before: dict[str, Any]
    after: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class FoundTransformation:
    """How the transformation was found. `optimal` only where the search proved that nothing better exists."""

    search: str
    metric: str
    loss: float
    output_type: str
    optimal: bool
    nodes_evaluated: int
    levels: dict[str, int]
    suppressed_rows: int
    classes: int
    seconds: float = 0.0
    points: tuple[SearchPoint, ...] = ()
    missing: str = "own value"  # what a gap in a quasi-identifier means


@dataclass(frozen=True)
class ReleasedTable(Pictured, Framed):
    """What leaves the house after a table was anonymized.

    The rows lie in `path`, or in memory if no file was asked for. The promise was checked on the written rows,
    by other code than the search's. It is a promise about linking by the quasi-identifiers, not differential
    privacy: it says nothing about an attacker who knows more columns or holds another release of the same people.
    """

    promise: Promise
    found: FoundTransformation
    columns: tuple[Treatment, ...]
    before: Risks | None  # the owner knows; the published file does not say
    after: Risks
    utility: dict[str, float]
    provenance: Provenance
    receipt: Receipt | None = None
    notes: tuple[str, ...] = ()
    path: Path | None = None
    held: pa.Table | None = field(default=None, repr=False, compare=False)
    # Rows of the original table: kept for the owner's page, never saved and never part of the record.
    pairs: tuple[ColumnPair, ...] = field(default=(), repr=False, compare=False)
    # Of one that was read from a file: whether its promise is the data set's word.
    standing: Standing | None = field(default=None, compare=False)
    _drawn_as: ClassVar[str] = "released table"

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", with_note(self.notes, self.receipt))

    def __len__(self) -> int:
        return self.after.rows

    @property
    def loss(self) -> float:
        """The information lost, by `found.metric`; read it together with `found.output_type`."""
        return self.found.loss

    def to_arrow(self) -> pa.Table:
        """The published rows."""
        if self.held is not None:
            return self.held
        if self.path is None:
            raise BadUsage(
                "this is the record of a table, without its rows.", "Load the file that holds them."
            )
        if self.path.suffix == ".parquet":
            return read_rows(self.path).replace_schema_metadata(None)
        return _read_text(self.path)

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version; it holds no row."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "promise": self.promise.to_json(),
            "sentence": self.promise.sentence(),
            "found": asdict(self.found),
            "columns": [asdict(column) for column in self.columns],
            "before": None if self.before is None else asdict(self.before),
            "after": asdict(self.after),
            "utility": self.utility,
            "provenance": asdict(self.provenance),
            "receipt": self.receipt.to_json() if self.receipt else None,
            "notes": list(self.notes),
        }

    @classmethod
    @checked
    def from_json(cls, record: dict[str, Any]) -> ReleasedTable:
        """The table a record describes, without its rows; refuses versions it does not know."""
        if record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise UnknownRecord(
                "this is not a released table of a known version.", "Was it written by a newer version?"
            )
        try:
            found = dict(record["found"])
            found["points"] = tuple(fitting(SearchPoint(**point)) for point in found["points"])
            made = cls(
                promise=promise_from_json(record["promise"]),
                found=fitting(FoundTransformation(**found)),
                columns=tuple(fitting(Treatment(**column)) for column in record["columns"]),
                before=fitting(Risks(**record["before"])) if record["before"] else None,
                after=fitting(Risks(**record["after"])),
                utility=dict(record["utility"]),
                provenance=Provenance.from_json(record["provenance"]),
                receipt=Receipt.from_json(record["receipt"]) if record["receipt"] else None,
                notes=tuple(record["notes"]),
            )
            str(fitting(made))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise UnknownRecord(
                "this record of a released table lacks a field, or one holds something else than belongs there."
            ) from None
        return made

    def published(self) -> ReleasedTable:
        """The record without what was measured on the original table: what may leave together with the rows."""
        found = replace(self.found, points=(), seconds=0.0)
        return replace(self, before=None, utility={}, found=found)

    def metadata(self) -> bytes:
        """The record as it stands inside a Parquet file: nothing in it was measured on the original table."""
        return json.dumps(self.published().to_json(), ensure_ascii=False).encode()

    @checked
    def save(self, path: str | Path) -> Path:
        """Write the rows to `.parquet` (with the published record inside) or `.csv`, or the owner's record alone to `.json`; atomically."""
        target = Path(path)
        writers = {".parquet": self._write_parquet, ".csv": self._write_csv}
        if target.suffix not in (".json", *writers):
            raise BadUsage(
                f"a table cannot be saved as {target.suffix or 'a file without an ending'}.",
                "Use .parquet, .csv or .json (the record without the rows).",
            )
        if target.suffix == ".json":  # with what was measured on the original rows
            return written_whole(
                target, OwnerOnly(json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n")
            )
        return written_whole(target, Publishable(writers[target.suffix], "released under a promise"))

    def _write_parquet(self, path: Path) -> None:
        write_rows(path, self.to_arrow(), self.published().to_json())

    def _write_csv(self, path: Path) -> None:
        write_csv(self.to_arrow(), path)

    @classmethod
    @checked
    def load(cls, path: str | Path) -> ReleasedTable:
        """Read back a `.parquet` file with its rows, or a `.json` record without them; `standing` says whether it is signed."""
        source = Path(path)
        record = load_record(source, "a released table")
        loaded = replace(cls.from_json(record), standing=file_standing(source, record))
        return replace(loaded, path=source) if source.suffix == ".parquet" else loaded

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _read_text(path: Path) -> pa.Table:
    """A CSV file with every value as it is written: "017" is no number."""
    import csv

    import pyarrow as pa
    import pyarrow.csv as text

    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file))
    return text.read_csv(
        path, convert_options=text.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    )


def _lines(released: ReleasedTable) -> list[str]:
    found, before, after = released.found, released.before, released.after

    def was(name: str, form: str) -> str:
        return "" if before is None else f"{getattr(before, name):{form}} → "

    proof = "proven optimal" if found.optimal else "not proven optimal"
    lines = [
        f"{after.rows:,} rows published, {found.suppressed_rows:,} suppressed; {found.classes:,} classes of look-alikes",
        f"{found.metric} {found.loss:.6g} ({found.output_type}, {proof}, {found.nodes_evaluated:,} nodes evaluated)",
        f"highest risk {was('highest_risk', '.3g')}{after.highest_risk:.3g}, "
        f"mean risk {was('mean_risk', '.3g')}{after.mean_risk:.3g}, "
        f"unique rows {was('unique_rows', ',')}{after.unique_rows:,}",
        "",
    ]
    header = ("column", "role", "loss", "what was done")
    rows = [(c.column, c.role, "" if c.loss is None else f"{c.loss:.3f}", c.done) for c in released.columns]
    widths = [max(len(row[at]) for row in [header, *rows]) for at in range(3)]
    lines += [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in [header, *rows]
    ]
    lines += ["", *(f"note: {note}" for note in released.notes), released.promise.sentence()]
    return [*lines, released.standing.sentence()] if released.standing else lines
