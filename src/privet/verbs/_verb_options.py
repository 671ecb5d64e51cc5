"""What a verb takes: names, types, help and limits, said once for every door.

An option is a field of a frozen model. Its description is the help of the command line and of the reference; its limits are
checked in one place, whichever door it comes through. `Flag` says how it is spelled on the command line where the name of
the field does not say it.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from privet.errors import BadUsage


class Options(BaseModel):
    """What is said to a verb: nothing unknown, nothing changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    hint: ClassVar[str] = "Add --help to see what the command takes."  # where no single option is at fault


@dataclass(frozen=True)
class Flag:
    """How an option is written on the command line.

    Attributes:
        names: its spellings, where they are not `--name-of-field`.
        argument: that it is an argument, not an option.
        example: what a hint shows after the name.
        commas: that a list is written a,b,c instead of by repeating the option.
        file: that it is a file or folder to read ("in") or to write ("out").
    """

    names: tuple[str, ...] = ()
    argument: bool = False
    example: str = ""
    commas: bool = False
    file: Literal["in", "out"] | None = None


@dataclass(frozen=True)
class Spelled:
    """A field as the command line has it."""

    field: str
    names: tuple[str, ...]
    help: str
    shape: Literal["flag", "list", "pairs", "commas", "one"]
    required: bool
    default: Any
    choices: tuple[str, ...]
    argument: bool
    example: str
    file: str | None

    @property
    def shown(self) -> str:
        """What messages call it."""
        return self.field.upper() if self.argument else self.names[-1]


def spelled(model: type[BaseModel], *, only: tuple[str, ...] | None = None) -> list[Spelled]:
    """The fields of a model, in order, as the command line has them."""
    return [
        _spelled(name, field) for name, field in model.model_fields.items() if only is None or name in only
    ]


def _spelled(name: str, field: FieldInfo) -> Spelled:
    flag = next((one for one in field.metadata if isinstance(one, Flag)), Flag())
    inner = _bare(field.annotation)
    origin = get_origin(inner)
    shape: Literal["flag", "list", "pairs", "commas", "one"] = "one"
    if inner is bool:
        shape = "flag"
    elif origin is dict or inner is dict:
        shape = "pairs"
    elif origin in (list, tuple):
        shape = "commas" if flag.commas else "list"
    return Spelled(
        name,
        flag.names or (f"--{name.replace('_', '-')}",),
        field.description or "",
        shape,
        field.is_required(),
        None if field.is_required() else field.get_default(call_default_factory=True),
        _choices(inner),
        flag.argument,
        flag.example,
        flag.file,
    )


def _bare(annotation: Any) -> Any:
    """A type without None and without its limits; of several, the last."""
    while True:
        if get_origin(annotation) in (Union, UnionType):
            inner = [one for one in get_args(annotation) if one is not NoneType]
            annotation = inner[-1]
        elif hasattr(annotation, "__metadata__"):
            annotation = get_args(annotation)[0]
        else:
            return annotation


def _choices(inner: Any) -> tuple[str, ...]:
    if get_origin(inner) in (list, tuple):
        inner = _bare(get_args(inner)[0])
    return tuple(map(str, get_args(inner))) if get_origin(inner) is Literal else ()


def read_words(
    model: type[BaseModel], given: Mapping[str, Any], *, only: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """What the words of a command line mean, as the fields of a model take them; left out is what was not said."""
    found: dict[str, Any] = {}
    for one in spelled(model, only=only):
        said = given.get(one.field)
        if said is None or said == [] or (one.shape == "flag" and said is False and one.default is False):
            continue
        match one.shape:
            case "pairs":
                found[one.field] = _pairs(one, said)
            case "commas":
                found[one.field] = _listed(one, said)
            case _:
                found[one.field] = str(said) if isinstance(said, PurePath) else said
    return found


def validated(model: type[Any], given: Mapping[str, Any]) -> Any:
    """The options, or one error that names every option that is wrong, as it is written."""
    try:
        return model.model_validate(given)
    except ValidationError as problem:
        raise _refusal(model, problem) from None


def _refusal(model: type[BaseModel], problem: ValidationError) -> BadUsage:
    known = {
        name: one
        for one in spelled(model)
        for name in (one.field, model.model_fields[one.field].alias)
        if name
    }
    said: dict[str, list[str]] = {}
    hints: list[str] = []
    for error in problem.errors(include_url=False, include_context=False, include_input=False):
        one = known.get(str(error["loc"][0])) if error["loc"] else None
        if one is None:
            said.setdefault("", []).append(_plain(error["msg"]))
            continue
        words = "is missing" if error["type"] == "missing" else _plain(error["msg"])
        said.setdefault(one.shown, []).append(words)
        if one.example:
            hints.append(f"{one.shown} {one.example}" if not one.argument else one.example)
    facts = [f"{name} {' or '.join(dict.fromkeys(words))}.".strip() for name, words in said.items()]
    hint = f"Write {', '.join(dict.fromkeys(hints))}." if hints else _hint(model)
    return BadUsage(" ".join(facts), hint)


def _hint(model: type[BaseModel]) -> str:
    return model.hint if issubclass(model, Options) else Options.hint


def _plain(message: str) -> str:
    text = message.removeprefix("Value error, ").removeprefix("Input ")
    return text[:1].lower() + text[1:]


def _pairs(one: Spelled, said: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in said:
        name, sign, value = (
            text.partition("=")
            if one.field in ("bounds", "exact", "keys", "values")
            else text.rpartition("=")
        )
        if not (name and sign and value):
            raise BadUsage(f"{one.shown} could not be read.", f"Write {one.shown} {one.example}.")
        if name in found:
            raise BadUsage(f"{one.shown} names {name!r} twice.", "Name each one once.")
        found[name] = value
    return found


def _listed(one: Spelled, said: str) -> list[str]:
    # As in a CSV file, a name that holds a comma is written in quotation marks.
    names = [name.strip() for name in next(csv.reader([said], skipinitialspace=True), [])]
    if not all(names) or not names or len(set(names)) < len(names):
        raise BadUsage(
            f"{one.shown} could not be read.", f"Write {one.shown} {one.example or 'a,b,c'}: each once."
        )
    return names
