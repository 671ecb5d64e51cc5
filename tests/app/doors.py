"""Ways to come in by the command line: in this process, in another, and on a terminal."""

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

from privet.app._cli import main

PRIVET = [sys.executable, "-m", "privet"]


class Said(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def inside(
    *arguments: str, env: dict[str, str] | None = None, cwd: Path | None = None, typed: str = ""
) -> Said:
    """Run the command line in this process, with all streams piped: for what it says, not for how a process behaves."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(cwd or Path.cwd()),
        mock.patch.dict(os.environ, surroundings(env), clear=True),
        mock.patch.object(sys, "stdin", io.StringIO(typed)),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main(list(arguments))
        except SystemExit as stop:
            code = stop.code
    return Said(code, out.getvalue(), err.getvalue())


def say(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    """One command in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    said = capsys.readouterr()
    return Said(int(ended.value.code or 0), said.out, said.err)


def outside(*arguments: str, env: dict[str, str] | None = None, **options: Any) -> Said:
    """Run the command line in another process, with both streams piped."""
    done = subprocess.run(
        [*PRIVET, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=surroundings(env),
        timeout=300,
        check=False,
        **options,
    )
    return Said(done.returncode, done.stdout, done.stderr)


def on_terminal(
    *arguments: str, env: dict[str, str] | None = None, width: int = 100, typed: str = ""
) -> Said:
    """Run the command line on a terminal of its own; both streams arrive as one text, with what is typed in it."""
    settings = surroundings({"TERM": "xterm-256color", "COLUMNS": str(width), **(env or {})})
    child, terminal = pty.fork()
    if child == 0:
        os.execve(PRIVET[0], [*PRIVET, *arguments], settings)
    os.write(terminal, typed.encode())
    heard = b""
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:
            break
        if not more:
            break
        heard += more
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    return Said(os.waitstatus_to_exitcode(status), heard.decode(), "")


def surroundings(extra: dict[str, str] | None = None) -> dict[str, str]:
    """The environment without what would change colours, widths or error handling."""
    dropped = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM", "PRIVET_DEBUG", "TTY_COMPATIBLE"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PYTHONIOENCODING": "utf-8", **(extra or {})}


def listing(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())
