"""`privet query --repl`, through a pipe and on a real terminal."""

import json
import os
import pty
import select
import stat
import sys
import time

import pytest
from tests.app.doors import PRIVET, inside, surroundings

from privet.app._query_shell import _ended, _statements, history_of
from privet.examples import hospital, write

OPTIONS = [
    "--unit", "patient_id", "--max-rows", "6", "--max-groups", "2", "--bounds", "days=0:60",
    "--keys", "ward=Surgery,ICU", "--public", "sites=sites.csv",
]  # fmt: skip
SCRIPT = """\
.tables
SELECT ward, COUNT(*) AS n FROM patients GROUP BY ward;
.epsilon 0.5
SELECT ward, COUNT(*) AS n
FROM patients   -- all of them;
GROUP BY ward;
SELECT wrad FROM patients;
.explain SELECT AVG(days) FROM patients;
SELECT site, COUNT(*) AS n FROM patients JOIN sites USING (ward) GROUP BY site;
.save last.json
.budget
.quit
SELECT COUNT(*) FROM patients;
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("shell")
    write(place / "patients.csv", hospital(patients=300, seed=7))
    (place / "sites.csv").write_text("ward,site\nICU,north\nSurgery,south\n", encoding="utf-8")
    return place


@pytest.fixture
def folder(made):
    """The files as nobody has booked them yet: each test has ledgers of its own."""
    for link in [*made.glob("*.ledger.link"), *made.glob("*.csv.ledger*")]:
        link.unlink(missing_ok=True)
    return made


def test_statements_end_with_a_semicolon_outside_quotes_and_comments():
    lines = ["SELECT ';", "' ; ", ".help", "", "SELECT 1 -- no;", ";", ".explain SELECT", "2;", "SELECT 3"]
    assert list(_statements(iter(lines))) == [
        "SELECT ';\n'", ".help", "SELECT 1 -- no;", ".explain SELECT\n2", "SELECT 3",
    ]  # fmt: skip
    assert list(_statements(iter(["SELECT", None, "SELECT 2;"]))) == ["SELECT 2"]
    assert _ended("SELECT 'a'';' ;")
    assert not _ended("SELECT 'a;")


def test_a_pipe_is_answered_statement_by_statement(folder):
    done = inside("query", "patients.csv", "--repl", *OPTIONS, "--budget", "3", cwd=folder, typed=SCRIPT)
    assert done.code == 2  # of the last statement that failed
    assert "Traceback" not in done.err
    assert done.out.startswith("patients\nsites\n")
    assert "an answer needs a promise" in done.err
    assert "line 1, column 8" in done.err
    assert "ward\tn\tn_low\tn_high\nSurgery\t" in done.out
    assert "site\tn\tn_low\tn_high\nnorth\t" in done.out
    assert "epsilon: 2 left of 3" in done.out
    saved = json.loads((folder / "last.json").read_text(encoding="utf-8"))
    assert list(saved["keys"]) == ["site"]
    assert not list(folder.glob("*.history"))


def test_json_is_one_document_for_each_statement(folder):
    done = inside(
        "query", "patients.csv", "--repl", *OPTIONS, "--ledger", "json.ledger", "--budget", "3",
        "--epsilon", "0.1", "--json", cwd=folder, typed="SELECT COUNT(*) AS n FROM t;\nSELECT nope;\n.tables\n",
    )  # fmt: skip
    reader, documents, rest = json.JSONDecoder(), [], done.out
    while rest.strip():
        found, end = reader.raw_decode(rest.lstrip())
        documents.append(found)
        rest = rest.lstrip()[end:]
    assert [next(iter(one)) for one in documents] == ["schema", "error", "tables"]


def test_a_shell_and_a_question_exclude_each_other(folder):
    both = inside("query", "patients.csv", "SELECT COUNT(*) FROM t", "--repl", *OPTIONS, cwd=folder)
    neither = inside("query", "patients.csv", *OPTIONS, cwd=folder)
    assert (both.code, neither.code) == (2, 2)


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self, folder, *arguments):
        self.child, self.screen = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execve(PRIVET[0], [*PRIVET, *arguments], surroundings({"TERM": "xterm"}))
        self.heard, self.read_up_to = "", 0

    def wait_for(self, text, seconds=300):
        end = time.monotonic() + seconds
        while text not in self.heard[self.read_up_to :]:
            assert time.monotonic() < end, f"{text!r} did not come: {self.heard[-2000:]!r}"
            ready, _, _ = select.select([self.screen], [], [], 0.5)
            if ready:
                try:
                    self.heard += os.read(self.screen, 65536).decode(errors="replace")
                except OSError:
                    break
                # Whoever draws prompts asks where the cursor is, and waits for the answer.
                if self.heard.endswith("\x1b[6n"):
                    os.write(self.screen, b"\x1b[1;1R")
        assert text in self.heard[self.read_up_to :], self.heard[-2000:]
        self.read_up_to = self.heard.index(text, self.read_up_to) + len(text)

    def type(self, text):
        os.write(self.screen, text.encode())

    def end(self):
        _, status = os.waitpid(self.child, 0)
        os.close(self.screen)
        return os.waitstatus_to_exitcode(status)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_has_the_budget_in_its_prompt_completion_and_a_history_of_questions(folder):
    shell = Terminal(
        folder, "query", "patients.csv", "--repl", *OPTIONS, "--ledger", "tty.ledger", "--budget", "3",
        "--epsilon", "0.5",
    )  # fmt: skip
    shell.wait_for("privet (epsilon 3 left)>")
    shell.type(".tab\t")
    shell.wait_for("les")
    shell.type("\r")
    shell.wait_for("sites")
    shell.wait_for("left)>")
    shell.type("SELECT COUNT(*) AS n\r")
    shell.wait_for("...>")
    shell.type("FROM patients;\r")
    shell.wait_for("left in the budget")
    shell.wait_for("privet (epsilon 2.5 left)>")
    shell.type("SELECT wrong")
    shell.wait_for("wrong")
    shell.type("\x03")
    shell.wait_for("left)>")
    shell.type("SELECT nope FROM patients;\r")
    shell.wait_for("^")
    shell.wait_for("left)>")
    shell.type(".quit\r")
    assert shell.end() == 0
    assert "Traceback" not in shell.heard
    history = folder / "tty.ledger.history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    kept = [line for line in history.read_text(encoding="utf-8").splitlines() if line.startswith("+")]
    assert "+FROM patients;" in kept
    assert not any("±" in line for line in kept)


def test_a_history_beside_a_database_is_the_owners(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = history_of("postgresql://host/db")
    assert path is not None
    assert path.is_relative_to(tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    folder = tmp_path / "closed"
    folder.write_text("a file where a folder should be", encoding="utf-8")
    assert history_of(str(folder / "x.ledger")) is None
