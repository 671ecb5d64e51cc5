"""The command line as a whole: light to load, never a bare traceback, words and data each in their place."""

import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
import typer
from tests.app.doors import PRIVET, on_terminal, outside, surroundings

from privet import errors
from privet.app import _account_command as account
from privet.app import _cli as cli
from privet.app import _terminal as output

HEAVY = ["numpy", "scipy", "opendp", "dp_accounting", "ibis", "duckdb", "pyarrow", "torch", "pandas", "pyspark", "psycopg", "sqlglot"]  # fmt: skip
COLOUR = re.compile(r"\x1b\[[0-9;]*(?:3[0-7]|9[0-7]|4[0-7]|38;|48;)[0-9;]*m")


def ended(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(arguments)
    heard = capsys.readouterr()
    return end.value.code, heard.out, heard.err


# --- light ---


@pytest.mark.parametrize(
    "lines",
    [
        "import privet; privet.PureDP, privet.ApproxDP, privet.Person",
        "from privet.app._cli import main; main(['--help'])",
        "from privet.app._cli import main; main(['account', '--help'])",
        "from privet.app._cli import main; main(['--version'])",
        "from privet.app._cli import main; main(['account', 'laplase(1)'])",
    ],
)
def test_looking_around_loads_no_heavy_library(lines):
    program = textwrap.dedent(
        f"""
        import sys
        try:
            {lines}
        except SystemExit:
            pass
        print("LOADED", sorted(set({HEAVY}) & set(sys.modules)))
        """
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_help_and_version(capsys):
    code, out, _ = ended(["--help"], capsys)
    assert code == 0
    for command in ("account", "ledger"):
        assert command in out
    assert ended(["-h"], capsys)[0] == 0
    code, out, _ = ended(["--version"], capsys)
    assert (code, out) == (0, "privet 0.1.0\n")


def test_the_help_shows_commands_in_the_order_of_the_loop(capsys):
    _, out, _ = ended(["--help"], capsys)
    panels = re.findall(r"^╭─ (\w+)", out, re.MULTILINE)
    assert panels == ["Options", "Audit", "Protect", "Protect", "Attack", "Report", "Ledger", "Files"]
    shown = re.findall(r"^│ ([a-z][a-z-]+) ", out, re.MULTILINE)
    group = typer.main.get_group(cli.app)
    assert sorted(shown) == sorted(group.list_commands(None))
    loop = ["init", "audit", "anonymize", "query", "train", "attack", "run", "report", "ledger", "keys"]
    assert [name for name in shown if name in loop] == loop


def test_no_command_shows_the_help_and_is_a_usage_error(capsys):
    code, out, err = ended([], capsys)
    assert code == 2
    assert "Usage" in out + err
    assert "Traceback" not in out + err


# --- mistakes ---


@pytest.mark.parametrize(
    "arguments", [["acount"], ["account"], ["--nonsense"], ["account", "laplace(1)", "--delta"]]
)
def test_usage_errors_exit_2_and_speak_json_when_asked(arguments, capsys):
    code, out, err = ended(arguments, capsys)
    assert code == 2
    assert out == ""
    assert "error E-GENERAL-003" in err
    assert "hint: " in err
    code, out, err = ended([*arguments, "--json"], capsys)
    assert code == 2


def test_a_json_error_is_one_document_of_a_stable_shape():
    said = outside("account", "laplace(1)", "--frobnicate", "--json")
    assert said.code == 2
    assert said.err == ""
    (error,) = said.json().values()
    assert sorted(error) == ["code", "details", "hint", "message", "page"]
    assert error["code"] == "E-GENERAL-003"
    assert error["page"] == "docs/errors/E-GENERAL-003.md"
    assert "--frobnicate" in error["message"]


@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_our_own_bugs_name_the_place_and_never_the_data(capsys, monkeypatch, as_json):
    def stumble(*_arguments):
        raise ZeroDivisionError("patient 4711 is HIV positive")

    monkeypatch.setattr(account, "_request", stumble)
    monkeypatch.delenv("PRIVET_DEBUG", raising=False)
    code, out, err = ended(["account", "laplace(1)", *as_json], capsys)
    assert code == 1
    assert "E-GENERAL-001" in out + err
    assert "ZeroDivisionError at app/_account_command.py:" in (out + err).replace("\n", " ")
    assert "4711" not in out + err
    assert "Traceback" not in out + err
    assert bool(as_json) == (err == "")


def test_debugging_shows_the_traceback(monkeypatch):
    monkeypatch.setenv("PRIVET_DEBUG", "1")
    monkeypatch.setattr(account, "_request", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli.main(["account", "laplace(1)"])


@pytest.mark.parametrize("error", [RecursionError(), MemoryError(), UnicodeError()])
def test_every_exception_has_an_ending(capsys, monkeypatch, error):
    def stumble(*_arguments):
        raise error

    monkeypatch.setattr(account, "_request", stumble)
    code, _, err = ended(["account", "laplace(1)"], capsys)
    assert code == 1
    assert type(error).__name__ in err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.BudgetExceeded("over."), 8),
        (errors.LedgerTampered("changed."), 9),
        (errors.PermitSpent("twice."), 7),
        (errors.BadAmount("no."), 2),
        (errors.MissingExtra("none."), 1),
    ],
)
def test_the_kind_of_error_decides_the_exit_code(capsys, monkeypatch, error, code):
    def refuse(*_arguments):
        raise error

    monkeypatch.setattr(account, "_request", refuse)
    assert ended(["account", "laplace(1)"], capsys)[0] == code


def test_libraries_do_not_chatter(capsys, monkeypatch):
    import logging

    before = logging.root.manager.disable
    monkeypatch.setattr(
        account, "_request", lambda *_: logging.getLogger("absl").warning("did not converge") or 1 / 0
    )
    assert "converge" not in ended(["account", "laplace(1)"], capsys)[2]
    assert logging.root.manager.disable == before


# --- stopping ---


def test_an_interrupt_says_so_and_exits_130(capsys, monkeypatch):
    def wait(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(account, "_request", wait)
    code, out, err = ended(["account", "laplace(1)"], capsys)
    assert code == 130
    assert out == ""
    assert "E-GENERAL-005" in err
    code, out, _ = ended(["account", "laplace(1)", "--json"], capsys)
    assert code == 130
    assert "E-GENERAL-005" in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_real_interrupt_signal(number):
    # A test run under nohup, or behind `&`, hands ignored signals down; a terminal does not.
    program = f"""
        import signal, sys, time
        signal.signal({int(number)}, signal.default_int_handler if {int(number)} == signal.SIGINT else signal.SIG_DFL)
        from privet.app import _account_command as account, _cli as cli
        def wait(*arguments):
            print("waiting", flush=True)
            time.sleep(600)
        account._request = wait
        cli.main(["account", "laplace(1)"])
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "waiting\n"
        process.send_signal(number)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "stopped by the user" in err
    assert "Traceback" not in err


def test_being_ended_from_outside_leaves_no_unfinished_file(tmp_path):
    program = """
        import sys, time
        from pathlib import Path
        from privet.app import _account_command as account, _cli as cli
        from privet.artifact import OwnerOnly, written_whole
        def write(path):
            path.write_text("unfinished")
            print("waiting", flush=True)
            time.sleep(600)
        account._request = lambda *arguments: written_whole(Path(sys.argv[1]) / "rows.csv", OwnerOnly(write))
        cli.main(["account", "laplace(1)"])
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "waiting\n"
        assert len(list(tmp_path.iterdir())) == 1
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=300)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [["account", "laplace(1)"], ["account", "laplase(1)"], ["--help"]])
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_reader_who_left_is_not_complained_about(arguments, as_json):
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*PRIVET, *arguments, *as_json],
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=300,
        )
    finally:
        os.close(write)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr
    assert "Exception ignored" not in done.stderr
    if as_json and arguments != ["--help"]:
        assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
@pytest.mark.parametrize("arguments", [["account", "laplace(1)"], ["account", "laplase(1)"], ["--help"]])
@pytest.mark.parametrize("as_json", [[], ["--json"]])
@pytest.mark.parametrize("buffered", ["", "1"])
def test_a_full_disk_behind_stdout_is_said(arguments, as_json, buffered):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PRIVET, *arguments, *as_json],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=300,
            env={**os.environ, "PYTHONUNBUFFERED": buffered},
        )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    if arguments[-1] == "laplase(1)" and not as_json:
        # The complaint goes to stderr alone, so stdout is not missed.
        assert done.returncode == 2
    else:
        assert done.returncode == 1
        assert "E-GENERAL-004" in done.stderr


def test_both_readers_may_leave():
    read, write = os.pipe()
    os.close(read)
    try:
        done = subprocess.run(
            [*PRIVET, "account", "laplace(1)"], stdout=write, stderr=write, check=False, timeout=300
        )
    finally:
        os.close(write)
    assert done.returncode == 1


def test_closed_streams_are_no_failure():
    shell = shutil.which("sh")
    command = f"'{sys.executable}' -m privet account 'laplace(1)' >&- 2>&-"
    assert subprocess.run([shell, "-c", command], check=False, timeout=300).returncode == 0


def test_a_terminal_without_the_characters_gets_stand_ins():
    said = outside("account", "laplace(1)", "--delta", "1e-6", env={"PYTHONIOENCODING": "ascii"})
    assert said.code == 0
    assert "R\\xe9nyi" in said.err


# --- words, data and colour ---


def test_words_for_people_go_to_stderr_when_stdout_is_piped():
    said = outside("account", "laplace(1)")
    assert said.code == 0
    assert said.out == "1.0\n"
    assert "Laplace noise of scale 1" in said.err
    assert "\x1b" not in said.err


def test_on_a_terminal_words_come_alone_and_in_colour():
    said = on_terminal("account", "laplace(1)")
    assert said.code == 0
    assert "epsilon = 1" in said.out
    assert "\n1.0" not in said.out
    assert COLOUR.search(said.out)


@pytest.mark.parametrize("arguments", [["account", "laplace(1)"], ["account", "laplase(1)"], ["--help"]])
def test_no_color_is_respected(arguments):
    said = on_terminal(*arguments, env={"NO_COLOR": "1"})
    assert said.out
    assert not COLOUR.search(said.out)


def test_json_on_a_terminal_is_json_alone():
    said = on_terminal("account", "laplace(1)", "--json")
    assert said.json()["epsilon"] == pytest.approx(1.0)


def test_long_errors_are_not_broken_when_piped():
    said = outside("account", "gaussian(1)")
    assert max(len(line) for line in said.err.splitlines()) > 80


# --- progress ---


def test_progress_shows_on_terminals_after_a_while_and_nowhere_else(capsys, monkeypatch):
    with output.progress("thinking") as step:
        step()
    assert capsys.readouterr().err == ""

    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with output.progress("thinking", total=2) as step:
        step()
        until, said = time.monotonic() + 120, ""
        while "thinking" not in said and time.monotonic() < until:
            time.sleep(0.01)
            said += capsys.readouterr().err
    assert "thinking" in said

    capsys.readouterr()  # what it said while it was taken away
    monkeypatch.setattr(output, "PATIENCE", 60.0)
    with output.progress("thinking") as step:
        step()
    assert "thinking" not in capsys.readouterr().err


# --- completion ---


def test_the_shell_completes_commands_and_choices():
    def completed(words, place):
        env = {"_PRIVET_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(place)}
        return outside(env=env).out.split()

    assert "account" in completed("privet acc", 1)
    assert "--delta" in completed("privet account --d", 2)
    assert set(completed("privet account --accountant ", 3)) >= {"pld", "rdp", "zcdp", "pure"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_the_completion_script_can_be_shown():
    command = f"'{sys.executable}' -m privet --show-completion; true"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, env=surroundings(), check=False, timeout=300
    )
    assert "_PRIVET_COMPLETE=complete_bash" in done.stdout
