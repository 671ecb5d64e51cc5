"""A released answer: the noisy table with its error bars, the promise, the receipt and where it came from."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from privet.artifact._answer_arithmetic import Draw, Quantity, Trend, added
from privet.artifact._answer_arithmetic import trend as line_through
from privet.artifact._field_types import fitting
from privet.artifact._key_values import plain, priced, read_back, time_kind
from privet.artifact._notebook_display import Framed, Pictured
from privet.artifact._receipt import Receipt, with_note
from privet.artifact._record_files import load_record, save_record
from privet.artifact._signed_files import file_standing
from privet.errors import BadArithmetic, NoSuchEntry, UnknownRecord, checked, checked_names, did_you_mean
from privet.evidence import Standing
from privet.guarantee import Event, Promise, event_from_json, promise_from_json, unit_in

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = 1
NOT_PRIVATE = "NOT PRIVATE"  # how a note begins that stands wherever an answer is shown


@dataclass(frozen=True, slots=True)
class NoiseTerm:
    """Noise in an answer: what `event` drew for each row of the vector, times a weight (one for all rows, or one each).

    Answers that share a vector share its noise. For a mean the weights are those of its linear approximation.
    `source` tells apart the questions booked under one receipt. Where rows were sorted or cut after the release,
    `rows` says which row of the vector each of them was.
    """

    vector: str
    event: Event
    weights: float | tuple[float | None, ...] = 1.0
    source: str = ""
    rows: tuple[int, ...] | None = None

    def weight(self, row: int) -> float | None:
        """The weight of the noise in one row; None where there is no answer."""
        return self.weights[row] if isinstance(self.weights, tuple) else self.weights

    def draw(self, receipt: str, row: int) -> Draw:
        """Which draw of noise one row holds; equal only for one and the same draw, however its answer is shown."""
        return (receipt, self.source, self.vector, row if self.rows is None else self.rows[row])

    def to_json(self) -> dict[str, Any]:
        """A stable record."""
        weights = list(self.weights) if isinstance(self.weights, tuple) else self.weights
        return {
            "vector": self.vector,
            "event": self.event.to_json(),
            "weights": weights,
            "source": self.source,
            "rows": None if self.rows is None else list(self.rows),
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> NoiseTerm:
        """The term a record describes."""
        weights = record["weights"]
        found = tuple(weights) if isinstance(weights, list) else weights
        rows = record["rows"]
        return fitting(
            cls(
                record["vector"],
                event_from_json(record["event"]),
                found,
                record["source"],
                None if rows is None else tuple(rows),
            )
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """One column of noisy values; `low` and `high` bound the error that the noise adds, at the stated confidence.

    `noise` says what the noise was, so that sums and differences of answers get error bars of their own; it is
    empty where it cannot be said as a sum of independent noises.
    """

    name: str
    meaning: str
    values: tuple[float | int | None, ...]
    low: tuple[float | int | None, ...]
    high: tuple[float | int | None, ...]
    noise: tuple[NoiseTerm, ...] = ()

    def text(self, row: int) -> str:
        """One value with its error, for people: no more digits than the error leaves worth reading."""
        value, low, high = self.values[row], self.low[row], self.high[row]
        if value is None:
            return "too few to tell"
        if low is None or high is None:  # made from other answers, whose intervals hold
            return f"{value:,.6g}" if abs(value) < 1000 else f"{value:,.0f}"
        # The longer side: an interval that was cut at a bound reaches less far on the other.
        width = max(high - value, value - low)
        places = 0 if isinstance(value, int) or width <= 0 else max(0, 1 - math.floor(math.log10(width)))
        return f"{value:,.{places}f} ± {width:,.{places}f}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where an answer came from, in words and names that may be published. No data."""

    question: str
    data: str  # snapshot fingerprint
    engine: str
    versions: dict[str, str]
    stages: tuple[str, ...]  # what was done, in order, as `explain` says it

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Provenance:
        """What a record says of it."""
        return fitting(cls(**{**record, "stages": tuple(record["stages"])}))


@dataclass(frozen=True)
class ReleasedAnswer(Pictured, Framed):
    """What leaves the house after a private question.

    Nothing in it is exact: keys are public or were released by a thresholding mechanism, values are noisy,
    and everything else was fixed before the data was touched.
    """

    keys: dict[str, tuple[Any, ...]]
    answers: tuple[Answer, ...]
    confidence: float
    promise: Promise
    receipt: Receipt
    provenance: Provenance
    notes: tuple[str, ...] = field(default=())
    # Of one that was read from a file: whether its promise is the data set's word.
    standing: Standing | None = field(default=None, compare=False)
    _drawn_as: ClassVar[str] = "answer"

    def __post_init__(self) -> None:
        object.__setattr__(self, "notes", with_note(self.notes, self.receipt))

    def __len__(self) -> int:
        return len(self.answers[0].values) if self.answers else 0

    @checked
    def __getitem__(self, name: str) -> tuple[Any, ...]:
        """The values of a key or an answer by its name."""
        if name in self.keys:
            return self.keys[name]
        for answer in self.answers:
            if answer.name == name:
                return answer.values
        raise _no_such(name, [*self.keys, *(answer.name for answer in self.answers)])

    @checked
    def error(self, name: str) -> tuple[tuple[Any, Any], ...]:
        """The interval of each value of an answer."""
        for answer in self.answers:
            if answer.name == name:
                return tuple(zip(answer.low, answer.high, strict=True))
        raise _no_such(name, [answer.name for answer in self.answers])

    @checked_names
    def quantity(self, name: str, /, **keys: Any) -> Quantity:
        """One value as a number to compute with: `answer.quantity("patients", ward="ICU")`; costs nothing."""
        rows = [
            row
            for row in range(len(self))
            if all(self._key(column)[row] == value for column, value in keys.items())
        ]
        if len(rows) != 1:
            named = ", ".join(f"{column}={value!r}" for column, value in keys.items())
            raise BadArithmetic(
                f"the release has {'no row' if not rows else f'{len(rows)} rows'} with {named or 'no key named'}.",
                f"Name one row by its keys: {', '.join(self.keys) or 'there are none'}.",
            )
        return self._quantities(name, rows)[0]

    @checked
    def at(self, name: str, row: int) -> Quantity:
        """The value of one row, counted from 0, as a number to compute with."""
        if not 0 <= row < len(self):
            raise BadArithmetic(
                f"the release has {len(self)} rows, counted from 0.", "Name one of them, or use quantity(…)."
            )
        return self._quantities(name, [int(row)])[0]

    @checked
    def total(self, name: str, where: Callable[[dict[str, Any]], bool] | None = None) -> Quantity:
        """The sum of an answer over all rows, or over those whose keys meet a condition; costs nothing.

        With unknown keys, groups that were not shown are not in it.
        """
        rows = [row for row in range(len(self)) if where is None or where(self._keys_of(row))]
        return added((quantity, 1.0) for quantity in self._quantities(name, rows))

    @checked
    def trend(self, name: str, along: str) -> Trend:
        """The straight line through an answer along a key of numbers, days or moments; costs nothing."""
        places = [_place(value) for value in self._key(along)]
        rows = [row for row, place in enumerate(places) if place is not None]
        return line_through(
            [
                (place, quantity)
                for row, quantity in zip(rows, self._quantities(name, rows), strict=True)
                if (place := places[row]) is not None
            ]
        )

    def _key(self, column: str) -> tuple[Any, ...]:
        if column not in self.keys:
            raise BadArithmetic(
                f"the release has no key {column!r}.", f"It has {', '.join(self.keys) or 'none'}."
            )
        return self.keys[column]

    def _keys_of(self, row: int) -> dict[str, Any]:
        return {column: values[row] for column, values in self.keys.items()}

    def _quantities(self, name: str, rows: list[int]) -> list[Quantity]:
        found = next((one for one in self.answers if one.name == name), None)
        if found is None or not found.noise:
            raise BadArithmetic(
                f"the release has no answer {name!r}."
                if found is None
                else f"{name!r} does not hold its noise as a sum, so its error bar cannot be carried on.",
                "Counts, sums and means can be added, subtracted and divided.",
            )
        made = []
        for row in rows:
            weights = {term: term.weight(row) for term in found.noise}
            value = found.values[row]
            if value is None or None in weights.values():
                raise BadArithmetic(
                    f"{name!r} has too few to tell in a row.", "Leave such rows out of the sum with where=…."
                )
            draws = {
                term.draw(self.receipt.head, row): (term.event, float(weight))
                for term, weight in weights.items()
                if weight
            }
            made.append(Quantity(float(value), draws, self.confidence))
        return made

    def to_arrow(self) -> pa.Table:
        """Keys and answers, each answer followed by its interval as `<name>_low` and `<name>_high`."""
        import pyarrow as pa

        columns: dict[str, Any] = {name: list(values) for name, values in self.keys.items()}
        for answer in self.answers:
            columns[answer.name] = list(answer.values)
            columns[f"{answer.name}_low"] = list(answer.low)
            columns[f"{answer.name}_high"] = list(answer.high)
        return pa.table(columns)

    def to_json(self) -> dict[str, Any]:
        """A stable record with its schema version."""
        return {
            "schema": SCHEMA,
            "artifact": "released-answer",
            "keys": {name: [plain(value) for value in values] for name, values in self.keys.items()},
            "times": {name: kind for name, values in self.keys.items() if (kind := time_kind(values))},
            "answers": [
                {
                    "name": a.name,
                    "meaning": a.meaning,
                    "values": list(a.values),
                    "low": list(a.low),
                    "high": list(a.high),
                    "noise": [term.to_json() for term in a.noise],
                }
                for a in self.answers
            ],
            "confidence": self.confidence,
            "promise": self.promise.to_json(),
            "sentence": self.promise.sentence_about(unit_in(self.receipt.unit)),
            "receipt": self.receipt.to_json(),
            "provenance": {
                "question": self.provenance.question,
                "data": self.provenance.data,
                "engine": self.provenance.engine,
                "versions": self.provenance.versions,
                "stages": list(self.provenance.stages),
            },
            "notes": list(self.notes),
        }

    @classmethod
    @checked
    def from_json(cls, record: dict[str, Any]) -> ReleasedAnswer:
        """The answer a record describes; refuses versions it does not know."""
        if record.get("schema") != SCHEMA or record.get("artifact") != "released-answer":
            raise UnknownRecord(
                "this is not a released answer of a known version.", "Was it written by a newer version?"
            )
        try:
            answers = tuple(
                fitting(
                    Answer(
                        a["name"],
                        a["meaning"],
                        tuple(a["values"]),
                        tuple(a["low"]),
                        tuple(a["high"]),
                        tuple(NoiseTerm.from_json(term) for term in a.get("noise", ())),
                    )
                )
                for a in record["answers"]
            )
            found = cls(
                keys={
                    name: tuple(read_back(value, record.get("times", {}).get(name)) for value in values)
                    for name, values in record["keys"].items()
                },
                answers=answers,
                confidence=record["confidence"],
                promise=promise_from_json(record["promise"]),
                receipt=Receipt.from_json(record["receipt"]),
                provenance=Provenance.from_json(record["provenance"]),
                notes=tuple(record["notes"]),
            )
            _refuse_misshapen(fitting(found))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise UnknownRecord(
                "this released answer lacks a field, or one holds something else than belongs there."
            ) from None
        return found

    @checked
    def save(self, path: str | Path) -> Path:
        """Write to `.json` (everything) or `.parquet` (the table, with everything else in its metadata), atomically."""
        return save_record(path, "an answer", self.to_json(), self.to_arrow)

    @classmethod
    @checked
    def load(cls, path: str | Path) -> ReleasedAnswer:
        """Read back what `save` wrote. Its `standing` says whether it is signed, or merely claims its promise."""
        record = load_record(path, "a released answer")
        return replace(cls.from_json(record), standing=file_standing(Path(path), record))

    def warnings(self) -> tuple[str, ...]:
        """The notes that stand wherever this is shown: what was made from stated seeds protects nobody."""
        return tuple(note for note in self.notes if note.startswith(NOT_PRIVATE))

    def __str__(self) -> str:
        header = [*self.keys, *(answer.name for answer in self.answers)]
        rows = [
            [
                *(_shown(values[i]) for values in self.keys.values()),
                *(answer.text(i) for answer in self.answers),
            ]
            for i in range(len(self))
        ]
        widths = [max(len(line[i]) for line in [header, *rows]) for i in range(len(header))]
        align = [str.ljust] * len(self.keys) + [str.rjust] * len(self.answers)
        lines = [
            "  ".join(a(cell, w) for a, cell, w in zip(align, line, widths, strict=True))
            for line in [header, *rows]
        ]
        lines.insert(1, "  ".join("-" * width for width in widths))
        cost, left = priced(self.receipt.cost), priced(self.receipt.remaining)
        budget = f"; left in the budget: {left}" if left else ""
        lines.append(f"± at {self.confidence:.0%} confidence; cost {cost or 'nothing'}{budget}")
        said = self.standing.sentence() if self.standing else ""
        return "\n".join([*lines, *filter(None, [self.receipt.note, said, *self.warnings()])])


def _refuse_misshapen(made: ReleasedAnswer) -> None:
    """One value and one interval of each answer in each row, and a weight of noise where weights differ."""
    columns = [*made.keys.values()]
    for answer in made.answers:
        columns += [answer.values, answer.low, answer.high]
        columns += [term.weights for term in answer.noise if isinstance(term.weights, tuple)]
        columns += [term.rows for term in answer.noise if term.rows is not None]
    plain_keys = all(
        one is None or isinstance(one, str | int | float | datetime.date)
        for values in made.keys.values()
        for one in values
    )
    numbers = [one for a in made.answers for part in (a.values, a.low, a.high) for one in part]
    if not all(one is None or math.isfinite(one) for one in numbers):
        raise ValueError
    if not plain_keys or not 0 < made.confidence < 1 or any(len(one) != len(made) for one in columns):
        raise ValueError


def _no_such(name: str, known: Iterable[str]) -> NoSuchEntry:
    return NoSuchEntry(f"there is no {name!r} in this answer.", did_you_mean(name, known))


def _place(value: Any) -> float | None:
    """Where a key stands on a line: numbers as they are, days and moments in days."""
    if isinstance(value, datetime.datetime):
        return value.timestamp() / 86_400
    if isinstance(value, datetime.date):
        return float(value.toordinal())
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return None if value is None else float(value)
    raise BadArithmetic("a trend runs along numbers, days or moments.", "Name a key that is one of these.")


def _shown(value: Any) -> str:
    return "(missing)" if value is None else str(value)
