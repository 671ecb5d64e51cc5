"""A released twin: synthetic rows that stand in for private ones, with the promise, the receipt and what was measured."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from privet.artifact._atomic_write import written_whole
from privet.artifact._audience import Publishable
from privet.artifact._csv_files import write_csv
from privet.artifact._field_types import fitting
from privet.artifact._notebook_display import Displayed, Framed
from privet.artifact._parquet_size import read_rows
from privet.artifact._receipt import Receipt, with_note
from privet.artifact._record_files import load_record, write_rows
from privet.artifact._released_answer import Provenance
from privet.artifact._signed_files import file_standing
from privet.errors import BadUsage, UnknownRecord, checked
from privet.evidence import Standing
from privet.guarantee import Promise, promise_from_json, unit_in

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = 1
KIND = "released-twin"


@dataclass(frozen=True, slots=True)
class TwinMeasurement:
    """One thing that was measured or chosen with noise: what, how much noise, and what it cost in rho."""

    what: str
    columns: tuple[str, ...]
    rho: float
    sigma: float | None = None  # of a count; a choice has none
    cells: int = 1  # counts measured, or candidates chosen among


@dataclass(frozen=True, slots=True)
class TwinColumn:
    """What a column of the twin holds, and where its domain comes from."""

    name: str
    kind: str
    codes: int
    origin: str


@dataclass(frozen=True)
class ReleasedTwin(Displayed, Framed):
    """What leaves the house after data were synthesized: rows of which none was copied, and all that they cost.

    The rows lie in `path`, or in memory if no file was asked for. `unit` is whose presence is hidden.
    """

    promise: Promise
    method: str
    rows: int
    columns: tuple[TwinColumn, ...]
    measured: tuple[TwinMeasurement, ...]
    unit: dict[str, Any]
    provenance: Provenance
    receipt: Receipt | None = None
    notes: tuple[str, ...] = ()
    path: Path | None = None
    held: pa.Table | None = field(default=None, repr=False, compare=False)
    # Of one that was read from a file: whether its promise is the data set's word.
    standing: Standing | None = field(default=None, compare=False)
    _drawn_as: ClassVar[str] = "released twin"

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", with_note(self.notes, self.receipt))

    def __len__(self) -> int:
        return self.rows

    @property
    def rho(self) -> float:
        """What everything that was measured cost together, in zero-concentrated differential privacy."""
        return sum(one.rho for one in self.measured)

    def sentence(self) -> str:
        """The promise in words, for the unit it is about."""
        return self.promise.sentence_about(unit_in(self.unit))

    def to_arrow(self) -> pa.Table:
        """The synthetic rows."""
        if self.held is not None:
            return self.held
        if self.path is None:
            raise BadUsage(
                "this is the record of a twin, without its rows.", "Load the file that holds them."
            )
        return read_rows(self.path).replace_schema_metadata(None)

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version; it holds no row. Everything in it may be public."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "promise": self.promise.to_json(),
            "sentence": self.sentence(),
            "method": self.method,
            "rows": self.rows,
            "columns": [asdict(column) for column in self.columns],
            "measured": [asdict(one) for one in self.measured],
            "unit": self.unit,
            "provenance": asdict(self.provenance),
            "receipt": self.receipt.to_json() if self.receipt else None,
            "notes": list(self.notes),
        }

    @classmethod
    @checked
    def from_json(cls, record: dict[str, Any]) -> ReleasedTwin:
        """The twin a record describes, without its rows; refuses versions it does not know."""
        if record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise UnknownRecord(
                "this is not a released twin of a known version.", "Was it written by a newer version?"
            )
        try:
            found = cls(
                promise=promise_from_json(record["promise"]),
                method=record["method"],
                rows=record["rows"],
                columns=tuple(fitting(TwinColumn(**column)) for column in record["columns"]),
                measured=tuple(
                    fitting(TwinMeasurement(**{**one, "columns": tuple(one["columns"])}))
                    for one in record["measured"]
                ),
                unit=dict(record["unit"]),
                provenance=Provenance.from_json(record["provenance"]),
                receipt=Receipt.from_json(record["receipt"]) if record["receipt"] else None,
                notes=tuple(record["notes"]),
            )
            str(fitting(found))  # which needs the unit
        except (KeyError, TypeError, ValueError, AttributeError):
            raise UnknownRecord(
                "this record of a released twin lacks a field, or one holds something else than belongs there."
            ) from None
        return found

    @checked
    def save(self, path: str | Path) -> Path:
        """Write the rows to `.parquet` (with the record inside), `.csv` or `.jsonl`, or the record alone to `.json`; atomically."""
        target = Path(path)
        writers = {
            ".json": self._write_record,
            ".parquet": self.write_parquet,
            ".csv": self._write_csv,
            ".jsonl": self._write_lines,
        }
        if target.suffix not in writers:
            raise BadUsage(
                f"a twin cannot be saved as {target.suffix or 'a file without an ending'}.",
                "Use .parquet, .csv or .jsonl, or .json for the record without the rows.",
            )
        return written_whole(target, Publishable(writers[target.suffix], "released under a promise"))

    def _write_record(self, path: Path) -> None:
        path.write_text(json.dumps(self.to_json(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")

    def write_parquet(self, path: Path) -> None:
        """Write the rows with the record inside; `save` does so atomically."""
        write_rows(path, self.to_arrow(), self.to_json())

    def _write_csv(self, path: Path) -> None:
        write_csv(self.to_arrow(), path)

    def _write_lines(self, path: Path) -> None:
        with path.open("w", encoding="utf-8") as file:
            for batch in self.to_arrow().to_batches(max_chunksize=10_000):
                file.writelines(
                    json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in batch.to_pylist()
                )

    @classmethod
    @checked
    def load(cls, path: str | Path) -> ReleasedTwin:
        """Read back a `.parquet` file with its rows, or a `.json` record without them; `standing` says whether it is signed."""
        source = Path(path)
        record = load_record(source, "a released twin")
        loaded = replace(cls.from_json(record), standing=file_standing(source, record))
        return replace(loaded, path=source) if source.suffix == ".parquet" else loaded

    def __str__(self) -> str:
        counts = [one for one in self.measured if one.sigma is not None]
        lines = [
            f"{self.rows:,} synthetic rows, {len(self.columns)} columns, by {self.method}",
            f"{len(counts)} noisy tables measured, {len(self.measured) - len(counts)} choices made; rho {self.rho:.6g} in all",
            *(f"note: {note}" for note in self.notes),
            self.sentence(),
            *([self.standing.sentence()] if self.standing else []),
        ]
        return "\n".join(lines)
