"""The command line. Every command lives in a module of its own, named for its verb, and loads its libraries when run."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from privet import errors
from privet.app import account, output
from privet.app import ledger as ledger_commands

app = typer.Typer(
    name="privet",
    help="Use sensitive data without exposing the people in it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("account")(account.command)
app.add_typer(ledger_commands.app, name="ledger")


def _version(wanted: bool) -> None:  # noqa: FBT001  typer calls it
    if wanted:
        from privet import __version__

        sys.stdout.write(f"privet {__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run one command. Every failure ends in a code, a fact, a hint and an exit code, never in a bare traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    as_json = "--json" in given
    try:
        result = app(given, standalone_mode=False, prog_name="privet")
    except errors.PrivetError as error:
        output.fail(error, as_json=as_json)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        stopped = errors.Interrupted("stopped by the user.", "What was booked before stays booked.")
        output.fail(stopped, as_json=as_json)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(errors.FAILURE)
    except Exception as error:  # noqa: BLE001  the outermost door
        sys.exit(_unexpected(error, as_json=as_json))
    sys.exit(result if isinstance(result, int) else errors.OK)


def _unexpected(error: Exception, *, as_json: bool) -> int:
    """Usage mistakes found by typer, and our own bugs; the latter name the place, never the data."""
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{error}\n")
        return errors.USAGE
    if hasattr(error, "format_message"):
        said = str(error.format_message()).strip()
        usage = errors.BadUsage(
            said if said.endswith(".") else f"{said}.", "Add --help to see what the command takes."
        )
        output.fail(usage, as_json=as_json)
        return usage.exit_code
    if os.environ.get("PRIVET_DEBUG"):
        raise error
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = (
        f"{place.tb_frame.f_code.co_filename.rsplit('privet/', 1)[-1]}:{place.tb_lineno}"
        if place
        else "an unknown place"
    )
    internal = errors.InternalError(
        f"an unexpected {type(error).__name__} at {where}.",
        "This is a bug in Privet. Set PRIVET_DEBUG=1 to see the traceback (it may show data), and report it.",
    )
    output.fail(internal, as_json=as_json)
    return internal.exit_code
