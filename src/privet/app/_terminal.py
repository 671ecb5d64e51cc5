"""What a command says, and where: data for programs on stdout, words for people where people read.

On a terminal, people's text goes to stdout. When stdout is piped, the plain value goes there and people's
text goes to stderr; with `--json`, stdout holds one JSON document and nothing else. Colour follows the
terminal and `NO_COLOR`; progress shows on terminals only, and only when work takes long.
"""

from __future__ import annotations

import contextlib
import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet._address_secrets import redacted
from privet._outgoing_text import for_terminal
from privet.artifact import For, written_whole
from privet.errors import PrivetError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

# Work that ends sooner shows no progress.
PATIENCE = 2.0


def console(*, error: bool = False) -> Console:
    """A rich console on stdout or stderr; it drops colour by itself when piped or under NO_COLOR.

    Whatever is printed on it, the only controls that reach the terminal are its own: texts are shown, and no word in
    brackets is taken for markup.
    """
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class Harmless(Console):
        def render(
            self, renderable: RenderableType, options: ConsoleOptions | None = None
        ) -> Iterator[Segment]:
            for one in super().render(renderable, options):
                yield one if one.control else Segment(for_terminal(redacted(one.text)), one.style)

    stream = sys.stderr if error else sys.stdout
    return Harmless(stderr=error, highlight=False, markup=False, emoji=False, soft_wrap=not stream.isatty())


def write(text: str, *, error: bool = False) -> None:
    """Write lines as they are, for pipes, but for what a terminal would act on."""
    (sys.stderr if error else sys.stdout).write(for_terminal(redacted(text)))


def emit(data: Mapping[str, Any], human: RenderableType, *, plain: str, as_json: bool) -> None:
    """Say one result once: `data` as JSON, or `human` for people with `plain` for pipes."""
    shown = redacted(human) if isinstance(human, str) else human
    if as_json:
        write(_json(data))
    elif sys.stdout.isatty():
        console().print(shown)
    else:
        if shown != redacted(plain):  # where a pipe gets the same words, they are said once
            console(error=True).print(shown)
        write(plain + "\n")


def fail(error: PrivetError, *, as_json: bool) -> None:
    """Say what went wrong: on stderr for people, as JSON on stdout for programs."""
    if as_json:
        write(_json({"error": error.to_json()}))
        return
    from rich.text import Text

    text = Text.assemble(("error ", "bold red"), (error.code, "bold"), f" {error.fact.rstrip()}")
    if error.hint:
        text.append("\n\nhint: ", "bold cyan").append(error.hint)
    text.append(f"\nmore  privet explain-error {error.code}", "dim")
    console(error=True).print(text)


def say(text: str) -> None:
    """Say a line on stderr to whoever sits there."""
    write(text + "\n", error=True)


def prompt(question: str, *, default: str | None = None, show_default: bool = True) -> str:
    """Ask on stderr for a line of text."""
    shown = f"{question} [{default}]" if show_default and default else question
    return str(typer.prompt(for_terminal(shown), default=default, show_default=False, err=True))


def confirm(question: str, *, default: bool) -> bool:
    """Ask on stderr for yes or no."""
    return typer.confirm(for_terminal(question), default=default, err=True)


def remark(text: str) -> None:
    """Say on stderr what was done to read a source: no fault, and nothing to decide."""
    from rich.text import Text

    console(error=True).print(Text.assemble(("remark: ", "bold cyan"), text))


@contextlib.contextmanager
def progress(doing: str, *, total: int | None = None) -> Iterator[Callable[..., None]]:
    """Show on a terminal that work goes on, once it has taken two seconds.

    Yields what to call at each step, with what begins if that is worth saying.
    """
    if not sys.stderr.isatty():
        yield lambda _="": None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    shown = TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn()
    bar = Progress(*shown, console=console(error=True), transient=True)
    task = bar.add_task(doing, total=total)
    wait = threading.Timer(PATIENCE, bar.start)
    wait.daemon = True
    wait.start()
    try:
        yield lambda said="": bar.update(task, advance=1, description=said or doing)
    finally:
        wait.cancel()
        wait.join()
        bar.stop()


def write_file(path: Path, text: For[str]) -> None:
    """Write a file whole or not at all, for those it is for."""
    written_whole(path, text)


def _json(data: Mapping[str, Any]) -> str:
    # Plain ASCII survives every terminal and pipe; NaN and infinity are not JSON.
    text = json.dumps(data, default=_jsonable, indent=2, allow_nan=False) + "\n"
    return text.replace("\x7f", "\\u007f")


def _jsonable(value: Any) -> Any:
    if isinstance(value, Fraction):
        return float(value)
    return str(value)
