"""A released output: what a function gave on a secret half of the rows, noised, with the promise and what it means."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet._outgoing_text import for_terminal
from privet.artifact._field_types import fitting
from privet.artifact._notebook_display import Displayed, Framed
from privet.artifact._receipt import Receipt, with_note
from privet.artifact._record_files import load_record, save_record
from privet.artifact._released_answer import Provenance
from privet.artifact._signed_files import file_standing
from privet.errors import UnknownRecord, checked
from privet.evidence import Standing
from privet.guarantee import Number, PacPrivacy, noise_ratio, promise_from_json

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = 1
KIND = "released-output"


@dataclass(frozen=True)
class ReleasedOutput(Displayed, Framed):
    """What leaves the house after a function was released under PAC privacy.

    How much noise there is in it is not told: that depends on the whole universe. `noise_relative_to_signal` says how much
    there is at most, as a multiple of how far the function moves between halves.
    """

    name: str
    numbers: tuple[float, ...]
    shape: tuple[int, ...]
    labels: tuple[str, ...]
    promise: PacPrivacy
    worlds: int
    unit: dict[str, Any]
    provenance: Provenance
    receipt: Receipt | None = None
    notes: tuple[str, ...] = ()
    # The options of a query, so that its owner can put it to attacks again.
    asked: dict[str, Any] | None = None
    # Of one that was read from a file: whether its promise is the data set's word.
    standing: Standing | None = field(default=None, compare=False)
    _drawn_as: ClassVar[str] = "pac output"

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", with_note(self.notes, self.receipt))

    @property
    def value(self) -> NDArray[np.float64]:
        """The output in the function's own shape; a single number has shape ()."""
        return np.array(self.numbers, np.float64).reshape(self.shape)

    @property
    def noise_relative_to_signal(self) -> float:
        """The noise's standard deviation is at most so many times that of the function between halves.

        It follows from the budget and the number of numbers alone, and says nothing of the data.
        """
        return math.sqrt(noise_ratio(float(self.promise.mutual_information), len(self.numbers)))

    @checked
    def posterior(self, prior: Number = 0.5) -> float:
        """The best success of any guess about the secret half that succeeds with `prior` without this output."""
        return self.promise.posterior(prior)

    def sentence(self) -> str:
        """The promise in words."""
        return self.promise.sentence()

    def to_arrow(self) -> pa.Table:
        """One row for each number."""
        import pyarrow as pa

        return pa.table({"label": list(self.labels), "value": list(self.numbers)})

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version. Everything in it may be public."""
        return {
            "schema": SCHEMA,
            "artifact": KIND,
            "name": self.name,
            "numbers": list(self.numbers),
            "shape": list(self.shape),
            "labels": list(self.labels),
            "promise": self.promise.to_json(),
            "sentence": self.sentence(),
            "worlds": self.worlds,
            "unit": self.unit,
            "provenance": asdict(self.provenance),
            "receipt": self.receipt.to_json() if self.receipt else None,
            "notes": list(self.notes),
            **({} if self.asked is None else {"asked": self.asked}),
        }

    @classmethod
    @checked
    def from_json(cls, record: dict[str, Any]) -> ReleasedOutput:
        """The output a record describes; refuses versions it does not know."""
        if record.get("schema") != SCHEMA or record.get("artifact") != KIND:
            raise UnknownRecord(
                "this is not a released output of a known version.", "Was it written by a newer version?"
            )
        try:
            found = cls(
                name=record["name"],
                numbers=tuple(float(number) for number in record["numbers"]),
                shape=tuple(int(size) for size in record["shape"]),
                labels=tuple(record["labels"]),
                promise=_pac(record["promise"]),
                worlds=int(record["worlds"]),
                unit=dict(record["unit"]),
                provenance=Provenance.from_json(record["provenance"]),
                receipt=Receipt.from_json(record["receipt"]) if record["receipt"] else None,
                notes=tuple(record["notes"]),
                asked=None if record.get("asked") is None else dict(record["asked"]),
            )
            _refuse_misshapen(fitting(found))
        except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise UnknownRecord(
                "this record of a released output lacks a field, or one holds something else than belongs there."
            ) from None
        return found

    @checked
    def save(self, path: str | Path) -> Path:
        """Write it as `.json`, or as `.parquet` with the record inside; whole or not at all."""
        return save_record(path, "a released output", self.to_json(), self.to_arrow)

    @classmethod
    @checked
    def load(cls, path: str | Path) -> ReleasedOutput:
        """Read back what `save` wrote. Its `standing` says whether it is signed, or merely claims its promise."""
        record = load_record(path, "a released output")
        return replace(cls.from_json(record), standing=file_standing(Path(path), record))

    def __str__(self) -> str:
        shown = [f"{label}: {number:.6g}" for label, number in zip(self.labels, self.numbers, strict=True)]
        more = [f"… and {len(shown) - 20:,} more"] if len(shown) > 20 else []
        lines = [self.name, *shown[:20], *more, *(f"note: {note}" for note in self.notes), self.sentence()]
        lines += [self.standing.sentence()] if self.standing else []
        return for_terminal("\n".join(lines))


def _refuse_misshapen(made: ReleasedOutput) -> None:
    """A label for each number, as many as the shape says, and a promise that has a noise."""
    if len(made.labels) != len(made.numbers) or math.prod(made.shape) != len(made.numbers):
        raise ValueError
    noise_ratio(float(made.promise.mutual_information), len(made.numbers))


def _pac(record: dict[str, Any]) -> PacPrivacy:
    promise = promise_from_json(record)
    if not isinstance(promise, PacPrivacy):
        raise UnknownRecord("this output was released under another promise than PAC privacy.")
    return promise
