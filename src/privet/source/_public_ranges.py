"""Public ranges of columns, and where they come from.

A bound decides how far one person can move a sum, so it must be known without looking at the data. Whoever
states it says so; one that was read off the data is marked, and no query takes it until somebody confirms in
words that it may be public.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from privet.errors import BadAmount, BadBounds, NotPublic, checked
from privet.guarantee import Number, exact, readable, written

if TYPE_CHECKING:
    from privet.engine import Relation

Fact = TypeVar("Fact", bound=Any)


class Holder(Protocol):
    """What has a relation: a table."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def relation(self) -> Relation:
        """The lazy table on its engine."""


class Origin(enum.Enum):
    """Where a public fact about the data comes from."""

    STATED = "stated"  # by the caller, who knows it without this data
    SCHEMA = "schema"  # the type of the column admits nothing else
    DATA = "read off the data"  # the owner's eyes only
    CONFIRMED = "confirmed"  # read off the data, and made public by somebody's decision


@dataclass(frozen=True, slots=True)
class Bounds:
    """The public range [lower, upper] of a column; values outside count as the nearest end.

    `why` may cite the reason: a rule, a form, a publication.
    """

    lower: Fraction
    upper: Fraction
    origin: Origin
    why: str

    def __init__(
        self, lower: Number, upper: Number, origin: Origin | str = Origin.STATED, why: str = ""
    ) -> None:
        try:
            low, high = exact(lower, "lower"), exact(upper, "upper")
        except BadAmount:
            raise BadBounds("a bound is not a finite number.", "Write bounds=(0, 60).") from None
        if low >= high:
            raise BadBounds("the lower bound must lie below the upper bound.", "Write bounds=(0, 60).")
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        object.__setattr__(self, "origin", origin_of(origin))
        object.__setattr__(self, "why", why)

    @classmethod
    def of(cls, given: Any) -> Bounds:
        """Bounds as they are, or a pair (lower, upper) stated by the caller."""
        if isinstance(given, Bounds):
            return given
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise BadBounds("bounds are a pair: lower and upper.", "Write bounds=(0, 60).")
        return cls(given[0], given[1])

    @classmethod
    @checked
    def read_off(cls, table: Holder, column: str) -> Bounds:
        """The smallest and largest value in the data: for the owner's eyes, and refused by every query.

        One person's extreme value decides such a bound, so publishing it, or anything scaled by it, gives that
        value away. `confirmed` makes it usable where somebody answers for it.
        """
        from privet.engine import extent

        found = extent(table.relation, column)
        if found is None:
            raise BadBounds(
                f"column {column!r} holds no number to read bounds off.", "State them: bounds=(0, 60)."
            )
        low, high = found
        return cls(low, high if high > low else low + 1, Origin.DATA)

    @property
    def is_public(self) -> bool:
        """Whether a query may use them."""
        return self.origin is not Origin.DATA

    def confirmed(self, why: str) -> Bounds:
        """The same bounds, made public by a person's decision; `why` is kept beside them."""
        return replace_origin(self, why)

    def origin_sentence(self) -> str:
        """Where they come from, in plain words."""
        return origin_sentence(self.origin, self.why)

    def __str__(self) -> str:
        """The range for people."""
        return f"[{readable(self.lower)}, {readable(self.upper)}]"

    def exactly(self) -> str:
        """The range without rounding."""
        return f"[{written(self.lower)}, {written(self.upper)}]"


def origin_of(word: Origin | str) -> Origin:
    """Where a fact comes from, as it was said."""
    try:
        return Origin(word)
    except ValueError:
        known = ", ".join(repr(one.value) for one in Origin)
        raise BadBounds("there is no such origin of a public fact.", f"Use one of {known}.") from None


def replace_origin(fact: Fact, why: object) -> Fact:
    """A fact read off the data, confirmed by a person; others need no confirmation and stay as they are."""
    if not isinstance(why, str) or not why.strip():
        raise NotPublic(
            "a confirmation needs a reason.",
            'Say why it may be public: .confirmed("published on the admission form").',
        )
    if fact.origin is not Origin.DATA:
        return fact
    return replace(fact, origin=Origin.CONFIRMED, why=why.strip())


def origin_sentence(origin: Origin, why: str) -> str:
    """Where a public fact comes from, in plain words."""
    words = {
        Origin.STATED: "stated by the caller",
        Origin.SCHEMA: "given by the column's type",
        Origin.DATA: "read off the data, not public",
        Origin.CONFIRMED: "read off the data and made public by decision",
    }
    return words[origin] + (f": {why}" if why else "")
