"""One node of the tree of events, and its record: written as JSON, read back, and refused where it is not known.

The rules by which event classes may evolve stand in `privet.guarantee._events`, their home.
"""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, get_type_hints

from privet.errors import UnknownRecord
from privet.guarantee.exact_amounts import written

_KINDS: dict[str, type[Event]] = {}


@dataclass(frozen=True)
class Event:
    """One node of the tree. Equal events are equal values; all parameters are exact."""

    kind: ClassVar[str] = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.kind:
            # The first keeps the name: a subclass that inherits it must not be read back in its place.
            _KINDS.setdefault(cls.kind, cls)

    def to_json(self) -> dict[str, Any]:
        """A stable record; parameters equal to their default are left out, so old records stay canonical."""
        record: dict[str, Any] = {"kind": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.default is MISSING or value != field.default:
                record[field.name] = _value_to_json(value)
        return record

    def canonical(self) -> str:
        """The one text of this event: for digests, comparisons and ordering."""
        return json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)


def _value_to_json(value: Any) -> Any:
    if isinstance(value, Fraction):
        return written(value)
    if isinstance(value, Event):
        return value.to_json()
    if isinstance(value, tuple):
        return [_value_to_json(item) for item in value]
    return value


def event_kinds() -> dict[str, type[Event]]:
    """Every event class by its name in records: what the laws are tested over."""
    return dict(_KINDS)


def event_from_json(record: dict[str, Any]) -> Event:
    """The event a record describes; refuses kinds and parameters it does not know."""
    parameters = dict(record)
    cls = _KINDS.get(str(parameters.pop("kind", "")))
    if cls is None or set(parameters) - {field.name for field in fields(cls)}:
        raise UnknownRecord(
            "this event is of a kind, or has a parameter, that is not known here.",
            "Was it written by a newer version?",
        )
    hints = get_type_hints(cls)
    for name, value in parameters.items():
        if hints[name] is Event:
            parameters[name] = event_from_json(value)
        elif hints[name] == tuple[Event, ...]:
            parameters[name] = tuple(event_from_json(item) for item in value)
    try:
        return cls(**parameters)
    except TypeError:
        raise UnknownRecord(f"the record of a {cls.kind} event lacks a parameter.") from None
