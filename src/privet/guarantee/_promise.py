"""What is promised: frozen values that say what is guaranteed, against whom, and how to say it to a lawyer.

Parameters are exact rationals (`exact_amounts.exact`). Promises join with `&`; those that compose additively can
be scaled (`promise * 0.5`, `promise / 4`) and split. Each round-trips through JSON with a schema version.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from decimal import ROUND_CEILING, Context
from fractions import Fraction
from typing import Any, ClassVar, Self, cast

from privet.errors import UnknownRecord, UnsoundAlgebra, checked
from privet.guarantee._privacy_units import Unit
from privet.guarantee.exact_amounts import Number, positive, readable, units_down, whole, written

SCHEMA = 1
MOST_SHARES = 1_000_000
_KINDS: dict[str, type[Promise]] = {}


@dataclass(frozen=True)
class Promise(ABC):
    """One guarantee. Subclasses are frozen, validated and hashable."""

    kind: ClassVar[str] = ""
    # Names of the fields that add up under composition, each with the unit it is booked in.
    additive: ClassVar[dict[str, Fraction]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.kind:
            _KINDS[cls.kind] = cls

    @abstractmethod
    def sentence(self) -> str:
        """The promise in one plain sentence."""

    def sentence_about(self, unit: Unit | None) -> str:  # noqa: ARG002  most promises speak of no unit
        """The promise in one plain sentence, about whoever or whatever this unit hides; None where that is not known."""
        return self.sentence()

    def __and__(self, other: Promise) -> Promise:
        """Both promises at once."""
        if not isinstance(other, Promise):
            return NotImplemented
        return AllOf.of([*parts(self), *parts(other)])

    def __mul__(self, factor: Number) -> Self:
        """A share of this promise, by basic composition: shares that add up to 1 compose to the whole."""
        if not self.additive:
            raise UnsoundAlgebra(f"{type(self).__name__} does not add up over releases, so it has no shares.")
        share = positive(factor, "factor")
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name, unit in self.additive.items():
            # On the booking grid and never above the exact share, so that shares of a whole always fit in it.
            values[name] = units_down(values[name] * share, unit) * unit
        return type(self)(**values)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Number) -> Self:
        return self * (1 / positive(divisor, "divisor"))

    @checked
    def split(self, into: int | Sequence[Number]) -> tuple[Self, ...]:
        """Shares of this promise that together never exceed it: equal ones, or in proportion to weights."""
        shares = None if isinstance(into, Sequence) else whole(into, "into")
        if shares is not None and shares > MOST_SHARES:
            raise UnsoundAlgebra(f"a promise is split into at most {MOST_SHARES:,} shares.", "Give fewer.")
        if shares is not None:
            return (self * Fraction(1, shares),) * shares
        exact_weights = [positive(weight, "weight") for weight in cast("Sequence[Number]", into)]
        if not exact_weights:
            raise UnsoundAlgebra("a promise cannot be split into nothing.", "Give at least one weight.")
        total = sum(exact_weights)
        return tuple(self * (weight / total) for weight in exact_weights)

    def to_json(self) -> dict[str, Any]:
        """A stable record: schema version, kind, and exact parameters as text."""
        record: dict[str, Any] = {"schema": SCHEMA, "promise": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            record[field.name] = written(value) if isinstance(value, Fraction) else value
        return record


def promise_from_json(record: dict[str, Any]) -> Promise:
    """The promise a record describes; refuses versions, kinds and fields it does not know."""
    parameters = dict(record)
    if parameters.pop("schema", None) != SCHEMA:
        raise UnknownRecord(
            "this promise has an unknown schema version.", "Was it written by a newer version?"
        )
    cls = _KINDS.get(parameters.pop("promise", ""))
    if cls is None or set(parameters) - {field.name for field in fields(cls)}:
        raise UnknownRecord("this promise is of an unknown kind or has unknown fields.")
    if cls is AllOf:
        return AllOf(tuple(promise_from_json(part) for part in parameters["promises"]))
    try:
        return cls(**parameters)
    except TypeError:
        raise UnknownRecord("this promise lacks a field.") from None


def parts(promise: Promise) -> tuple[Promise, ...]:
    """The single promises inside a joint one, or the promise itself."""
    return promise.promises if isinstance(promise, AllOf) else (promise,)


def store(promise: Promise, **values: Any) -> None:
    """Set the fields of a frozen promise while it is being made."""
    for name, value in values.items():
        object.__setattr__(promise, name, value)


def times(epsilon: Fraction) -> str:
    """e^epsilon as a factor people can read, rounded up: "at most" must stay true."""
    if epsilon >= 500:
        return f"e^{readable(epsilon)}"
    factor = Context(prec=3, rounding=ROUND_CEILING).create_decimal_from_float(math.exp(float(epsilon)))
    return f"{factor:,f}" if factor < 10**6 else f"{float(factor):.3g}"


@dataclass(frozen=True)
class AllOf(Promise):
    """Several promises that all hold. Made with `&`; order and repetition do not matter."""

    promises: tuple[Promise, ...]
    kind: ClassVar[str] = "all-of"

    @classmethod
    def of(cls, promises: Sequence[Promise]) -> Promise:
        """The joint promise: a single one stays as it is."""
        unique = {repr(promise): promise for promise in promises}
        ordered = tuple(unique[name] for name in sorted(unique))
        return ordered[0] if len(ordered) == 1 else cls(ordered)

    def __iter__(self) -> Iterator[Promise]:
        return iter(self.promises)

    def sentence(self) -> str:
        """The promises, one sentence each."""
        return self.sentence_about(None)

    def sentence_about(self, unit: Unit | None) -> str:
        """The promises, one sentence each."""
        return " ".join(promise.sentence_about(unit) for promise in self.promises)

    def to_json(self) -> dict[str, Any]:
        """A stable record of all of them."""
        return {
            "schema": SCHEMA,
            "promise": self.kind,
            "promises": [promise.to_json() for promise in self.promises],
        }
