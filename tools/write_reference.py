"""Writes the reference pages of the documentation from the code: library, events, command line, error codes.

python tools/write_reference.py            writes the pages
python tools/write_reference.py --check    names the pages that are out of date, and fails
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import privet
from privet import errors

DOCS = Path(__file__).resolve().parent.parent / "docs"
SECTION = re.compile(r"^(Args|Returns|Yields|Raises|Guarantee|Assumes|Example|Note):$")
ENTRY = re.compile(r"^\*{0,2}([A-Za-z_][\w, ]*): (.*)$")


# --- docstrings to Markdown --------------------------------------------------------------------


def prose(thing: object) -> str:
    """A docstring as Markdown: its sections become bold headings, their entries list items."""
    lines: list[str] = []
    inside = False
    for line in (inspect.getdoc(thing) or "").splitlines():
        if SECTION.match(line):
            inside = True
            lines += ["", f"**{line.rstrip(':')}**", ""]
        elif inside and line.startswith("    "):
            entry = ENTRY.match(line.strip())
            starts = entry is not None and not line.startswith("     ")
            lines.append(f"- `{entry[1]}`: {entry[2]}" if starts and entry else f"  {line.strip()}")
        else:
            inside = inside and not line
            lines.append(line)
    return "\n".join(lines).strip()


def first_sentence(thing: object) -> str:
    """What the first line of a docstring says, safe inside a table cell."""
    return (inspect.getdoc(thing) or "").split("\n", 1)[0].replace("|", "\\|")


def signature(name: str, thing: Callable[..., Any]) -> str:
    """The call as a caller writes it, without the annotations' module names."""
    try:
        shown = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return name
    shown = re.sub(r"(: |-> )'([^']*)'", r"\1\2", shown)
    shown = re.sub(r"\b(?:[a-z_]+\.)+([A-Z]\w*)", r"\1", shown)
    shown = re.sub(r"\(self(?:, )?", "(", shown)
    if inspect.isclass(thing):
        shown = shown.removesuffix(" -> None")
    return name + re.sub(r"<([A-Z]\w*\.\w+): [^>]*>", r"\1", shown)


# --- pages -------------------------------------------------------------------------------------


def _methods(cls: type) -> Iterator[str]:
    for name, member in inspect.getmembers(cls):
        if name.startswith("_") or name not in {key for base in cls.__mro__[:-1] for key in vars(base)}:
            continue
        if isinstance(member, property):
            yield f"| `.{name}` | {first_sentence(member)} |"
        elif inspect.isroutine(member) and inspect.getdoc(member):
            yield f"| `.{signature(name, member).replace('|', chr(92) + '|')}` | {first_sentence(member)} |"


def library() -> Iterator[str]:
    """Every name of `privet.__all__`."""
    yield "# The library\n"
    yield "Every public name of `import privet as pv`. Names not listed here may change without notice.\n"
    for name in privet.__all__:
        thing = getattr(privet, name)
        yield f"## {name}\n"
        if inspect.isclass(thing) and issubclass(thing, enum.Enum):
            yield f"{prose(thing)}\n"
            yield "".join(f"- `{name}.{member.name}`\n" for member in thing)
            continue
        yield f"```python\n{signature(f'pv.{name}', thing)}\n```\n"
        yield f"{prose(thing)}\n"
        rows = list(_methods(thing)) if inspect.isclass(thing) else []
        if rows:
            yield "| member | what it does |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def events() -> Iterator[str]:
    """Every event a ledger can hold."""
    from privet.guarantee._events import event_kinds

    yield "# Events\n"
    yield (
        "What a mechanism did, as accountants price it and ledgers keep it. Events live in "
        "`privet.guarantee._events`; [why they never change](../concept/events.md).\n"
    )
    for kind, cls in sorted(event_kinds().items()):
        yield f"## {cls.__name__}\n"
        yield f"```python\n{signature(cls.__name__, cls)}\n```\n"
        yield f"{prose(cls)}\n"
        names = ", ".join(f"`{field.name}`" for field in dataclasses.fields(cls)) or "none"
        yield f"In records: `{kind}`; parameters: {names}.\n"


def _help(command: Any) -> str:
    """What a command says of itself; lines that call it become a block of examples."""
    blocks = []
    for paragraph in inspect.cleandoc(command.help or "").replace("\b", "").strip().split("\n\n"):
        lines = paragraph.strip().splitlines()
        if lines and all(line.startswith("privet ") for line in lines):
            lines = ["```console", *(f"$ {line}" for line in lines), "```"]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _command(path: str, command: Any) -> Iterator[str]:
    children = (
        {name: command.get_command(None, name) for name in command.list_commands(None)}
        if hasattr(command, "list_commands")
        else None
    )
    yield f"## {path}\n"
    yield f"{_help(command)}\n"
    rows = []
    for parameter in command.params:
        if "completion" in (parameter.name or ""):
            continue
        names = ", ".join(f"`{name}`" for name in parameter.opts)
        if parameter.param_type_name == "argument":
            names = f"`{(parameter.metavar or parameter.name).upper()}`"
        said = " ".join((getattr(parameter, "help", None) or "").split()).replace("|", "\\|")
        rows.append(f"| {names} | {said}{' (required)' if parameter.required else ''} |")
    if rows:
        yield "| argument or option | meaning |\n| --- | --- |\n" + "\n".join(rows) + "\n"
    for name, child in sorted((children or {}).items()):
        yield from _command(f"{path} {name}", child)


def command_line() -> Iterator[str]:
    """Every command, with its arguments and options."""
    import typer

    from privet.app._cli import app

    yield "# The command line\n"
    yield (
        "Results go to stdout, words for people to stderr when stdout is piped; `--json` prints one document. "
        "[Exit codes and errors](../errors/index.md).\n"
    )
    yield from _command("privet", typer.main.get_command(app))


GROUPS: dict[type[errors.PrivetError], str] = {
    errors.Failure: "Something outside the request went wrong",
    errors.BadInput: "The request is malformed; nothing was read, written or spent",
    errors.FindingsExceeded: "The work was done, and what it found is worse than the limit",
    errors.PolicyViolation: "The request is well-formed and not allowed",
    errors.NotSaid: "The request is well-formed, and nobody has said whether it is allowed; nothing was read, written or spent",
    errors.BudgetError: "The ledger does not cover it; nothing was spent",
    errors.Tampering: "A record that must never change has changed",
}


def error_index() -> Iterator[str]:
    """Every error code, grouped by what the caller can do about it."""
    yield "# Errors\n"
    yield (
        "Every refusal has a code, a fact (what is wrong), a hint (what to do) and a page. The group decides the "
        "exit code of the command line; success is 0, and 130 means that the user stopped the command.\n"
    )
    for group, meaning in GROUPS.items():
        found = {code: cls for code, cls in errors.catalogue().items() if group in cls.__mro__}
        if not found:
            continue
        yield f"## {group.__name__}: exit code {group.exit_code}\n"
        yield f"{meaning}.\n"
        yield "| code | class | meaning |\n| --- | --- | --- |"
        for code, cls in found.items():
            yield f"| [{code}]({code}.md) | `{cls.__name__}` | {first_sentence(cls)} |"
        yield ""


def schema_of_policies() -> Iterator[str]:
    """The JSON schema of the policy file."""
    from privet.pipeline._policy_schema import policy_schema

    yield policy_schema()


PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "reference/library.md": library,
    "reference/events.md": events,
    "reference/command-line.md": command_line,
    "reference/privet.schema.json": schema_of_policies,
    "errors/index.md": error_index,
}


def render(page: str) -> str:
    """The text of one page."""
    text = "\n".join(PAGES[page]())
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def stale() -> list[str]:
    """The pages that differ from what the code says."""
    return [
        page
        for page in PAGES
        if not (DOCS / page).is_file() or (DOCS / page).read_text(encoding="utf-8") != render(page)
    ]


def main(arguments: list[str] | None = None) -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description="Write the reference pages from the code.")
    parser.add_argument("--check", action="store_true", help="fail when a page is out of date")
    old = stale()
    if parser.parse_args(arguments).check:
        if old:
            print(f"out of date: {', '.join(old)}. Run python tools/write_reference.py", file=sys.stderr)
        return 1 if old else 0
    for page in old:
        (DOCS / page).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / page).write_text(render(page), encoding="utf-8")
        print(f"wrote docs/{page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
