"""Runs in forked children: the heavy libraries are imported once, the code under test anew for each mutant."""

from __future__ import annotations

import importlib
import importlib.machinery
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType

import pytest
from tools.mutation.impact import Chosen, Tracing

# What is under test, or imports it, is never imported before the fork.
_FRESH = ("privet", "tests", "tools", "bench", "examples", "conftest", "test_", "__main__")
_MOST_MEMORY = 16 * 2**30
KILLED, SURVIVED, TIMEOUT, UNTESTED = "killed", "survived", "timeout", "untested"


def started(work: Callable[[], int], log: Path, *, seconds: int = 3600) -> int:
    """The process id of a child that does the work, in so many seconds of computing, and exits with what it returns."""
    child = os.fork()
    if child:
        return child
    code = 99
    try:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
        out = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        code = work()
    except BaseException as error:  # noqa: BLE001  a child must not return into its parent's code
        print(type(error).__name__, error, flush=True)
    finally:
        sys.stdout.flush()
        os._exit(code)


def ended(child: int, *, late: bool) -> int | None:
    """The exit code of a child that has ended; one that is late is ended, with everything it started, and gives -1."""
    if late:
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return -1
    done, status = os.waitpid(child, os.WNOHANG)
    if not done:
        return None
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # servers that its tests left behind
    return os.waitstatus_to_exitcode(status)


def waited(child: int) -> int:
    """The exit code of a child, however long it takes."""
    while (code := ended(child, late=False)) is None:
        time.sleep(0.05)
    return code


def traced(copy: Path, files: Sequence[str], skip: Sequence[str], found: Path) -> int:
    """Run whole test files on the code as it is, and write down what each test calls."""
    tracing = Tracing(copy / "src", skip)
    _pytest(copy, files, tracing, stop=False)
    modules = [name for name in sys.modules if not name.startswith(_FRESH)]
    content = {"tests": tracing.to_json(), "failed": tracing.failed, "modules": modules}
    found.write_text(json.dumps(content), encoding="utf-8")
    return 0


def met(copy: Path, module: str, code: CodeType, tests: Sequence[str]) -> int:
    """Run tests with one module replaced by a mutant."""
    original = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: importlib.machinery.SourceFileLoader, fullname: str) -> CodeType | None:
        return code if fullname == module else original(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    files = list(dict.fromkeys(name.partition("::")[0] for name in tests))
    return _pytest(copy, files, Chosen(tests), stop=True)


def _pytest(copy: Path, files: Sequence[str], plugin: object, *, stop: bool) -> int:
    os.chdir(copy)
    folder = copy.parent / f"tmp-{os.getpid()}"
    arguments = ["-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", f"--basetemp={folder}", *files]
    try:
        return int(pytest.main([*(["-x"] if stop else []), *arguments], plugins=[plugin]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def verdict(code: int) -> str:
    """What an exit code of pytest says of a mutant."""
    return {0: SURVIVED, 5: UNTESTED, -1: TIMEOUT, -signal.SIGXCPU: TIMEOUT}.get(code, KILLED)


def preload(modules: Sequence[str]) -> None:
    """Import what the tests import beside the code under test."""
    for name in modules:
        if name not in sys.modules and not name.startswith(_FRESH):
            with suppress(Exception):
                importlib.import_module(name)
