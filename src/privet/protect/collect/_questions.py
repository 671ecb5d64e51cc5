"""What people are asked: one of a list, a number within bounds, a text over an alphabet, or several of these.

A question is public and says everything that a report could be about. Values become numbers here, on the device; a value
that the question does not have is refused before anything is drawn.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privet.errors import BadCollection, OutsideQuestion, checked_class
from privet.guarantee.oracles import MOST_VALUES

LONGEST_TEXT, LARGEST_ALPHABET, MOST_QUESTIONS = 64, 4096, 256


class Question(ABC):
    """One question. `to_json` is its part of the specification."""

    kind: ClassVar[str]

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """A stable record."""

    @abstractmethod
    def coded(self, values: Iterable[Any]) -> Any:
        """The values as numbers; refuses one that the question does not have."""


@checked_class
@dataclass(frozen=True)
class OneOf(Question):
    """One of a list of categories: texts, or whole numbers. Their order is that of the estimates."""

    values: Sequence[str | int]
    kind: ClassVar[str] = "one-of"

    def __post_init__(self) -> None:
        given = tuple(self.values)
        if isinstance(self.values, str) or not 2 <= len(given) <= MOST_VALUES:
            raise BadCollection(
                f"a question has between 2 and {MOST_VALUES:,} categories.", 'Write OneOf(["yes", "no"]).'
            )
        kinds = {type(value) for value in given}
        if kinds not in ({str}, {int}) or len(set(given)) < len(given):
            raise BadCollection(
                "categories are texts or whole numbers, each named once.", 'Write OneOf(["yes", "no"]).'
            )
        if any(not _encodable(value) for value in given if isinstance(value, str)):
            raise BadCollection("a category is no text that can be written.", "Leave out lone surrogates.")
        object.__setattr__(self, "values", given)

    def to_json(self) -> dict[str, Any]:
        """The categories."""
        return {"kind": self.kind, "values": list(self.values)}

    def coded(self, values: Iterable[Any]) -> NDArray[np.int64]:
        """Their places in the list."""
        import pyarrow as pa
        import pyarrow.compute as pc

        known = pa.array(self.values)
        try:
            given = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(_listed(values))
            if pa.types.is_dictionary(given.type):
                given = given.cast(given.type.value_type)
            if pa.types.is_binary(given.type):
                raise _outside()
            found = pc.index_in(given.cast(known.type), value_set=known)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            raise _outside() from None
        if found.null_count:
            raise _outside()
        return np.asarray(found.to_numpy(zero_copy_only=False), np.int64)


@checked_class
@dataclass(frozen=True)
class NumberIn(Question):
    """A number within public bounds; what lies outside is reported as the nearest bound."""

    low: float
    high: float
    kind: ClassVar[str] = "number-in"

    def __post_init__(self) -> None:
        bounds = _number(self.low), _number(self.high)
        if not bounds[0] < bounds[1] or not math.isfinite(bounds[1] - bounds[0]):
            raise BadCollection("the low bound is below the high one.", "Write NumberIn(0, 60).")
        object.__setattr__(self, "low", bounds[0])
        object.__setattr__(self, "high", bounds[1])

    def to_json(self) -> dict[str, Any]:
        """The bounds."""
        return {"kind": self.kind, "low": self.low, "high": self.high}

    def coded(self, values: Iterable[Any]) -> NDArray[np.float64]:
        """Their shares of the bounds, from 0 to 1."""
        try:
            given = np.asarray(values if isinstance(values, np.ndarray) else _listed(values), np.float64)
        except (TypeError, ValueError, OverflowError):
            raise _outside() from None
        if given.ndim != 1 or np.isnan(given).any():
            raise _outside()
        return np.clip((given - self.low) / (self.high - self.low), 0.0, 1.0)


@checked_class
@dataclass(frozen=True)
class TextOf(Question):
    """A text of 1 to `length` characters of an alphabet, of which nobody has a list: for words that are not known yet."""

    length: int
    alphabet: str = "abcdefghijklmnopqrstuvwxyz"
    kind: ClassVar[str] = "text-of"

    def __post_init__(self) -> None:
        if isinstance(self.length, bool) or not 1 <= self.length <= LONGEST_TEXT:
            raise BadCollection(f"texts have up to {LONGEST_TEXT} characters.", "Write TextOf(8).")
        letters = self.alphabet
        if not 1 < len(letters) <= LARGEST_ALPHABET or len(set(letters)) < len(letters):
            raise BadCollection(
                f"an alphabet names 2 to {LARGEST_ALPHABET:,} characters once each.",
                'Write TextOf(8, "abc").',
            )
        if not _encodable(letters):
            raise BadCollection("the alphabet holds no writable text.", "Leave out lone surrogates.")

    def to_json(self) -> dict[str, Any]:
        """The length and the alphabet."""
        return {"kind": self.kind, "length": self.length, "alphabet": self.alphabet}

    def coded(self, values: Iterable[Any]) -> NDArray[np.int64]:
        """One row of character codes each; 0 pads texts that are shorter."""
        import pyarrow as pa

        try:
            texts = (
                values
                if isinstance(values, pa.Array | pa.ChunkedArray)
                else pa.array(_listed(values), pa.string())
            )
            listed = texts.cast(pa.string()).to_pylist()
        except (pa.ArrowException, TypeError, ValueError, UnicodeError):
            raise _outside() from None
        return self.coded_texts(listed)

    def coded_texts(self, texts: Sequence[str | None]) -> NDArray[np.int64]:
        """The same of a list of texts."""
        if any(not text or len(text) > self.length or "\0" in text for text in texts):
            raise _outside()
        places = {ord(letter): place for place, letter in enumerate(self.alphabet, 1)}
        table = np.full(max(places) + 1, -1)
        table[list(places)] = list(places.values())
        table[0] = 0
        wide = np.asarray(texts, f"<U{self.length}") if len(texts) else np.zeros(0, f"<U{self.length}")
        points = wide.view(np.uint32).reshape(len(texts), self.length).astype(np.int64)
        codes = np.where(points < len(table), table[np.minimum(points, len(table) - 1)], -1)
        if (codes < 0).any():
            raise _outside()
        return np.asarray(codes)

    def texts(self, codes: NDArray[np.int64]) -> list[str]:
        """Rows of character codes as texts; a 0 ends one."""
        letters = "\0" + self.alphabet
        return ["".join(letters[code] for code in row).partition("\0")[0] for row in codes.tolist()]


@dataclass(frozen=True, init=False)
class Several(Question):
    """Several questions at once, by name: a device answers some of them, drawn at random, with all of its epsilon."""

    questions: Mapping[str, OneOf | NumberIn]
    kind: ClassVar[str] = "several"

    def __init__(
        self, questions: Mapping[str, OneOf | NumberIn] | None = None, /, **named: OneOf | NumberIn
    ) -> None:
        given: Any = questions
        if given is not None and not isinstance(given, Mapping):
            raise BadCollection("several questions come with names.", "Write Several(age=NumberIn(0, 120)).")
        given = {**(given or {}), **named}
        if not 2 <= len(given) <= MOST_QUESTIONS or not all(
            _is_name(name) and isinstance(one, OneOf | NumberIn) for name, one in given.items()
        ):
            raise BadCollection(
                f"several questions are 2 to {MOST_QUESTIONS}, each a OneOf or a NumberIn under a name.",
                'Write Several(age=NumberIn(0, 120), browser=OneOf(["a", "b"])).',
            )
        object.__setattr__(self, "questions", given)

    def __hash__(self) -> int:
        return hash(tuple(self.questions.items()))

    def to_json(self) -> dict[str, Any]:
        """The questions in their order."""
        return {
            "kind": self.kind,
            "questions": [{"name": name, **one.to_json()} for name, one in self.questions.items()],
        }

    def coded(self, values: Any) -> dict[str, Any]:
        """The values of each question, from a table or a mapping of columns."""
        names = list(getattr(values, "column_names", None) or (values if isinstance(values, Mapping) else ()))
        if set(names) != set(self.questions):
            raise OutsideQuestion(
                "values of several questions come as columns, one for each question.",
                f"Give a table with the columns {', '.join(self.questions)}.",
            )
        found = {name: one.coded(values[name]) for name, one in self.questions.items()}
        if len({len(codes) for codes in found.values()}) > 1:
            raise OutsideQuestion(
                "the columns are not equally long.", "Give one value of each question per person."
            )
        return found


def _listed(values: Iterable[Any]) -> Any:
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise OutsideQuestion("values come as a list or a column.", 'Write randomize(["yes", "no"]).')
    return (
        values if isinstance(values, list | np.ndarray) else list(getattr(values, "tolist", lambda: values)())
    )


def _number(value: Any) -> float:
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if isinstance(value, bool) or not math.isfinite(found):
        raise BadCollection("a bound is a finite number.", "Write NumberIn(0, 60).")
    return found


def _is_name(name: object) -> bool:
    return isinstance(name, str) and bool(name) and _encodable(name)


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _outside() -> OutsideQuestion:
    return OutsideQuestion(
        "a value is none that the question has.", "Add a category such as 'other', or leave the value out."
    )
