"""Reading a specification back: every field is verified, and the whole must come out as it was written.

A specification is a file that anybody may have written. It is read within the limits of `privet.evidence`, built from its
parts by the same checks as in a program, and accepted only if the collection that comes out has exactly this record: so
a field more, a field less, a bound that does not follow from the oracle or a number in another form is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from privet.errors import BadCollection, FileProblem, PrivetError
from privet.evidence import canonical, given_text, read_json
from privet.guarantee import LocalDP, promise_from_json
from privet.protect.collect._questions import NumberIn, OneOf, Several, TextOf

SCHEMA, KIND = 1, "collection"
LARGEST = 64_000_000
_INSIDE = ("kind", "oracle", "oracles")


class Recorded(Protocol):
    """What has a record."""

    def to_json(self) -> dict[str, Any]:
        """The record."""


Made = TypeVar("Made", bound=Recorded)


def read_record(path: Path) -> Any:
    """What a file of a specification says."""
    try:
        return read_json(given_text(path), what=path.name, largest=LARGEST)
    except OSError as problem:
        raise FileProblem(
            f"{path.name} cannot be read ({(problem.strerror or 'unreadable').lower()}).", "Check the name."
        ) from None
    except ValueError:
        raise BadCollection(f"{path.name} is not the specification of a collection.") from None


def verified(record: Any, build: Callable[..., Made]) -> Made:
    """What `build` makes of the arguments in a record; refused where its own record is not the same."""
    if not isinstance(record, Mapping) or record.get("artifact") != KIND:
        raise BadCollection("this is not the specification of a collection.", "Is it the right file?")
    if record.get("schema") != SCHEMA or isinstance(record["schema"], bool):
        raise BadCollection(
            "this specification has an unknown schema version.", "Was it written by a newer version?"
        )
    try:
        found = build(**_arguments(record))
        same = canonical(found.to_json()) == canonical(dict(record))
    except PrivetError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        raise BadCollection("this specification lacks a field, or has one of another kind.") from None
    if not same:
        raise BadCollection(
            "this specification says something that does not follow from its question, promise and oracle.",
            "Find out who changed it; write it again with Collection.save.",
        )
    return found


def _arguments(record: Mapping[str, Any]) -> dict[str, Any]:
    promise = promise_from_json(record["promise"])
    if not isinstance(promise, LocalDP):
        raise BadCollection("a collection promises local differential privacy.", "Write LocalDP(2).")
    protocol = record["protocol"]
    inside = {name: value for name, value in protocol.items() if name not in _INSIDE}
    oracle = protocol.get("oracle", {})
    settings = {**inside, **{name: value for name, value in oracle.items() if name != "kind"}}
    if any(isinstance(value, bool) or not isinstance(value, int) for value in settings.values()):
        raise BadCollection("the settings of an oracle are whole numbers.")
    return {
        "name": record["name"],
        "question": _question(record["question"]),
        "promise": promise,
        "oracle": protocol["kind"],
        "per": record["per"],
        "most": record["most"],
        "seed": record["seed"],
        "settings": settings,
        "memory": record.get("memory", "none"),
        "shuffler": record.get("shuffler", 0),
    }


def _question(record: Mapping[str, Any]) -> OneOf | NumberIn | TextOf | Several:
    said = dict(record)
    kind = said.pop("kind")
    if kind == OneOf.kind:
        return OneOf(said["values"])
    if kind == NumberIn.kind:
        return NumberIn(said["low"], said["high"])
    if kind == TextOf.kind:
        return TextOf(said["length"], said["alphabet"])
    if kind == Several.kind:
        parts: dict[str, Any] = {}
        for one in said["questions"]:
            inner = dict(one)
            name = inner.pop("name")
            if name in parts:
                raise BadCollection("two questions have one name.")
            parts[name] = _question(inner)
        return Several(parts)
    raise BadCollection("the question is of an unknown kind.", "Was it written by a newer version?")
