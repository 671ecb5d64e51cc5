"""The command line. Every command lives in a module of its own, named for its verb, and loads its libraries when run."""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import typer

from privet import errors
from privet.app import (
    _account_command as account,
)
from privet.app import (
    _approve_command as approve,
)
from privet.app import (
    _demo_command as demo,
)
from privet.app import (
    _erase_command as erase,
)
from privet.app import (
    _erase_subject_command as erase_subject,
)
from privet.app import (
    _example_command as example,
)
from privet.app import (
    _explain_error_command as explain_error,
)
from privet.app import (
    _gc_command as gc,
)
from privet.app import (
    _hierarchy_command as hierarchy,
)
from privet.app import (
    _init_command as init,
)
from privet.app import (
    _keys_command as keys,
)
from privet.app import _ledger_command as ledger_commands
from privet.app import (
    _plan_command as plan,
)
from privet.app import (
    _predict_command as predict,
)
from privet.app import (
    _report_command as report,
)
from privet.app import (
    _run_command as run,
)
from privet.app import (
    _schema_command as schema,
)
from privet.app import (
    _terminal as terminal,
)
from privet.app import (
    _verify_command as verify,
)
from privet.app._command_group import TRANSFORMS, VerbGroup
from privet.artifact import refuse_password
from privet.errors import did_you_mean, listening

INTERRUPTED = 130
# How a stream refuses what is written to it; commands say themselves what is wrong with a file they name.
_TAKES_NO_MORE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}

app = typer.Typer(
    name="privet",
    cls=VerbGroup,
    help="Use sensitive data without exposing the people in it.",
    no_args_is_help=True,
    rich_markup_mode="markdown",  # which leaves words in brackets alone
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
# The help shows commands in the order of the loop: what a table gives away, what protects it, whether that holds.
# Those without a function are made from the declarations of their verbs.
PANELS: dict[str, dict[str, Callable[..., None] | None]] = {
    "Audit: what a table would give away": {"init": init.command, "audit": None},
    "Protect: tables, answers and models that keep a promise": {
        "anonymize": None,
        "query": None,
        "pac": None,
        "synthesize": None,
        "tabulate": None,
        "train": None,
        "pseudonymize": None,
        "collect": None,
        "lm": None,
    },
    "Protect column by column, with no promise by itself": dict.fromkeys(TRANSFORMS),
    "Attack: does the promise hold": {"attack": None, "tradeoff": None},
    "Report: a policy carried out, promise beside evidence": {
        "plan": plan.command,
        "approve": approve.command,
        "run": run.command,
        "report": report.command,
        "verify": verify.command,
    },
    "Ledger: what was spent and what is left": {"account": account.command},
    "Files and tools": {
        "demo": demo.command,
        "example": example.command,
        "explain-error": explain_error.command,
        "predict": predict.command,
        "schema": schema.command,
        "reveal": None,
        "erase-subject": erase_subject.command,
        "erase": erase.command,
        "gc": gc.command,
    },
}
_LEDGER, _TOOLS = list(PANELS)[-2:]
_EPILOGS = {"account": account.EPILOG}
for _panel, _commands in PANELS.items():
    for _name, _command in _commands.items():
        if _command is None:
            VerbGroup.panels[_name] = _panel
        else:
            app.command(_name, rich_help_panel=_panel, epilog=_EPILOGS.get(_name))(_command)
VerbGroup.order = [_name for _commands in PANELS.values() for _name in _commands]
app.add_typer(ledger_commands.app, name="ledger", rich_help_panel=_LEDGER)
app.add_typer(hierarchy.app, name="hierarchy", rich_help_panel=_TOOLS)
app.add_typer(keys.app, name="keys", rich_help_panel=_TOOLS)


def _version(wanted: bool) -> None:
    if wanted:
        from privet import __version__

        terminal.write(f"privet {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


@cache
def built() -> Callable[..., Any]:
    """The commands with their options, made from the declarations once in a process."""
    return typer.main.get_command(app)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run one command. Every failure ends in a code, a fact, a hint and an exit code, never in a bare traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    _prepare_streams()
    try:
        with _libraries_quiet(), _stopped_politely():
            status = _run(given, as_json="--json" in given)
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        _fall_silent(sys.stdout, sys.stderr)
        status = errors.FAILURE
    except OSError as error:
        status = _unwritable(error)
    sys.exit(status)


def _prepare_streams() -> None:
    """A closed stream takes what is said to nowhere; a terminal that lacks a character gets a stand-in for it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, io.TextIOWrapper(io.FileIO(os.devnull, "w")))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


@contextlib.contextmanager
def _libraries_quiet() -> Iterator[None]:
    """What libraries log below an error is not for people; it shows with PRIVET_DEBUG."""
    before = logging.root.manager.disable
    if not os.environ.get("PRIVET_DEBUG"):
        logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


@contextlib.contextmanager
def _stopped_politely() -> Iterator[None]:
    """Whoever ends the process from outside gets the same tidying up as Ctrl-C: no unfinished file stays behind."""

    def stop(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    asked = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # Only the main thread may say so; and what was set to be ignored, as nohup does, stays ignored.
    mine = threading.current_thread() is threading.main_thread()
    before = {number: signal.getsignal(number) for number in asked if mine}
    for number, handler in before.items():
        if handler is signal.SIG_DFL:
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _run(given: list[str], *, as_json: bool) -> int:
    try:
        for argument in given:
            refuse_password(argument, "on the command line")
        with listening(terminal.remark):
            result = built()(given, standalone_mode=False, prog_name="privet")
    except errors.PrivetError as error:
        terminal.fail(error, as_json=as_json)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _TAKES_NO_MORE and error.filename is None:
            raise
        return _unexpected(error, as_json=as_json)
    # Typer turns the interrupt of a running command into its exit code.
    if result == INTERRUPTED:
        stopped = errors.Interrupted("stopped by the user.", "What was booked before stays booked.")
        terminal.fail(stopped, as_json=as_json)
    return result if isinstance(result, int) else errors.OK


def _unwritable(error: OSError) -> int:
    """Standard output takes no more, as on a full disk: say so where people read, if that still works."""
    _fall_silent(sys.stdout)
    problem = errors.FileProblem(
        f"the output could not be written: {(error.strerror or 'unknown reason').lower()}.",
        "Free some space, or send the output elsewhere. What was booked before stays booked.",
    )
    try:
        terminal.fail(problem, as_json=False)
        sys.stderr.flush()
    except OSError:
        _fall_silent(sys.stderr)
    return problem.exit_code


def _fall_silent(*streams: TextIO) -> None:
    """What is still buffered goes nowhere, without a word."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(nowhere, stream.fileno())


def _unexpected(error: Exception, *, as_json: bool) -> int:
    """Usage mistakes found by typer, and our own bugs; the latter name the place, never the data."""
    if type(error).__name__ == "NoArgsIsHelpError":
        terminal.write(f"{error}\n", error=True)
        return errors.USAGE
    if hasattr(error, "format_message"):
        said = str(error.format_message()).strip()
        known = getattr(error, "possibilities", None)
        meant = f"{did_you_mean(getattr(error, 'option_name', ''), known)} " if known else _missing(error)
        usage = errors.BadUsage(
            said if said.endswith((".", "?")) else f"{said}.",
            f"{meant}Add --help to see what the command takes.",
        )
        terminal.fail(usage, as_json=as_json)
        return usage.exit_code
    if os.environ.get("PRIVET_DEBUG"):
        raise error
    internal = errors.InternalError(
        f"an unexpected {type(error).__name__} at {_place(error)}.",
        "This is a bug in Privet. Set PRIVET_DEBUG=1 to see the traceback (it may show data), and report it.",
    )
    terminal.fail(internal, as_json=as_json)
    return internal.exit_code


def _missing(error: Exception) -> str:
    """What to add where an option is missing."""
    option: Any = getattr(error, "param", None)
    if type(error).__name__ != "MissingParameter" or getattr(option, "param_type_name", "") != "option":
        return ""
    return f"Add {option.opts[0]} {(option.metavar or option.name).upper()}. "


def _place(error: Exception) -> str:
    """The innermost line of our own that the error came through."""
    home = Path(errors.__file__).parents[1]
    found, trace = "an unknown place", error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.is_relative_to(home):
            found = f"{file.relative_to(home).as_posix()}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
