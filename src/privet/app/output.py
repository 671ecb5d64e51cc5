"""What a command says, and where: data for programs on stdout, words for people where people read.

On a terminal, people's text goes to stdout. When stdout is piped, the plain value goes there and people's
text goes to stderr; with `--json`, stdout holds one JSON document and nothing else. Colour follows the
terminal and `NO_COLOR`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from privet.errors import PrivetError

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]


def console(*, error: bool = False) -> Console:
    """A rich console on stdout or stderr; it drops colour by itself when piped or under NO_COLOR."""
    from rich.console import Console

    return Console(stderr=error, highlight=False, soft_wrap=not sys.stdout.isatty())


def emit(data: Mapping[str, Any], human: RenderableType, *, plain: str, as_json: bool) -> None:
    """Say one result: `data` as JSON, or `human` for people with `plain` for pipes."""
    if as_json:
        sys.stdout.write(json.dumps(data, default=_jsonable, ensure_ascii=False, indent=2) + "\n")
    elif sys.stdout.isatty():
        console().print(human)
    else:
        console(error=True).print(human)
        sys.stdout.write(plain + "\n")


def fail(error: PrivetError, *, as_json: bool) -> None:
    """Say what went wrong: on stderr for people, as JSON on stdout for programs."""
    if as_json:
        sys.stdout.write(
            json.dumps({"error": error.to_json()}, default=_jsonable, ensure_ascii=False, indent=2) + "\n"
        )
        return
    from rich.text import Text

    text = Text.assemble(("error ", "bold red"), (error.code, "bold"), f" {error.fact}")
    if error.hint:
        text.append("\n\nhint: ", "bold cyan").append(error.hint)
    text.append(f"\nsee   {error.page}", "dim")
    console(error=True).print(text)


def _jsonable(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    return str(value)
