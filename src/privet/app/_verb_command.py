"""Commands made from declarations: names, types, help and limits of every option stand in its verb, and nowhere else."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from privet.app._terminal import JsonOption
from privet.verbs import Options, Spelled, read_words, spelled, validated

Model = TypeVar("Model", bound=Options)


class CommandInput:
    """What was said to a command: one object for each part of it."""

    def __init__(self, parts: dict[type[Options], Any], *, as_json: bool) -> None:
        self._parts, self.as_json = parts, as_json

    def of(self, part: type[Model]) -> Model:
        """What was said of one part."""
        found: Model = self._parts[part]
        return found


def command(
    *parts: type[Options],
    run: Callable[[CommandInput], None],
    instead: Mapping[str, Callable[[bool], None]] | None = None,
) -> Callable[..., None]:
    """A function as Typer takes it: one parameter for each option of each part, and `--json`.

    `instead` has flags that are about the command itself: what they call is told whether JSON is wanted.
    """
    options = {one.field: (part, one) for part in parts for one in spelled(part)}
    if len(options) < sum(len(part.model_fields) for part in parts):
        raise TypeError("two parts of a command have an option of the same name")

    def called(**given: Any) -> None:
        as_json = given.pop("as_json")
        for flag, act in (instead or {}).items():
            if given[flag]:
                act(as_json)
                return
        # All words are read before anything is checked, so that what cannot be read is said first.
        words = {part: read_words(part, given) for part in parts}
        run(CommandInput({part: validated(part, said) for part, said in words.items()}, as_json=as_json))

    parameters = [_parameter(one) for _, one in options.values()]
    parameters.append(
        inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=JsonOption)
    )
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called


def _parameter(one: Spelled) -> inspect.Parameter:
    kind = _kind(one)
    default = _default(one)
    help_ = _help(one)
    described: Any
    if one.argument:
        described = typer.Argument(metavar=one.field.upper(), help=help_)
    else:
        described = typer.Option(*one.names, help=help_)
    return inspect.Parameter(
        one.field, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, described]
    )


def _kind(one: Spelled) -> Any:
    if one.shape == "flag":
        return bool
    chosen = one.choices and one.shape not in ("pairs", "commas")
    inner: Any = Literal[one.choices] if chosen else Path if one.file else str
    return list[inner] | None if one.shape in ("list", "pairs") else inner | None


def _default(one: Spelled) -> Any:
    if one.shape == "flag":
        return bool(one.default)
    return str(one.default) if one.shape == "one" and one.default is not None else None


def _help(one: Spelled) -> str:
    said = one.help
    if one.shape in ("list", "pairs"):
        said += " Repeatable."
    return f"{said} [required]" if one.required and not one.argument else said
