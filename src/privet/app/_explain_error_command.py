"""`privet explain-error`: what a code means, why it is raised and what to do about it, without a network."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from privet.app._terminal import JsonOption, emit, write
from privet.errors import BadUsage, catalogue, did_you_mean, page_of


def command(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code of an error, such as E-LEDGER-001.")],
    *,
    as_json: JsonOption = False,
) -> None:
    """Say what an error's code means, why it is raised and what to do about it.

    privet explain-error E-LEDGER-001
    """
    known = catalogue()
    wanted = code.strip().upper()
    if wanted not in known:
        raise BadUsage(f"there is no error with the code {code!r}.", did_you_mean(wanted, known))
    kind, text = known[wanted], page_of(wanted)
    record = {
        "code": wanted,
        "name": kind.__name__,
        "meaning": (kind.__doc__ or "").strip().split("\n")[0],
        "exit_code": kind.exit_code,
        "page": text,
    }
    if not as_json and not sys.stdout.isatty():
        write(text)
        return
    from rich.markdown import Markdown

    emit(record, Markdown(text), plain="", as_json=as_json)
