"""Hints are followed literally: what a refusal says to write is written, and leads on, until the command runs.

Each case is a command as somebody would first type it. Its refusal's hint names an option to add, a command to run first or
words to put instead; that is done as it stands, and the command is tried again. A hint that leads back to a refusal that was
seen before is a loop, and one from which nothing can be taken is no hint.
"""

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from privet.app.cli import app
from privet.errors import PrivetError
from privet.examples import hospital, write

FINDINGS = 6  # the work was done, and what it found is worse than a limit: no mistake
MOST_STEPS = 8

# An option with what follows it, up to the end of the clause; a command in back quotes or after "Run"; a name after
# "Did you mean". Words in capitals stand for what only a person knows.
OPTION = re.compile(r"(?<![\w-])(--?[a-z][a-z-]*)(?:[ =]((?:\"[^\"]*\"|'[^']*'|[^\s,;()\"'`]+)))?")
COMMAND = re.compile(r"`(privet [^`]+)`|(?:^|[:.] )(privet [a-z][^`\n]*?)(?=[.;](?: |$)|$)")
MEANT = re.compile(r"Did you mean '([^']+)'")
QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"")
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|…")


@dataclass(frozen=True)
class Case:
    """A first try, and what a person would say for the words in capitals; `wrong` is what a correction replaces."""

    name: str
    command: str
    says: Mapping[str, str] = field(default_factory=dict)
    wrong: str = ""
    before: tuple[str, ...] = ()


SQL = '"SELECT ward, COUNT(*) AS n FROM t GROUP BY ward"'
CASES = (
    Case("query with nothing said", f"query patients.csv {SQL}", {"COLUMN": "patient_id"}),
    Case(
        "query without a unit",
        f"query patients.csv {SQL} --epsilon 1 --delta 1e-6 --budget 3,1e-5",
        {"COLUMN": "patient_id"},
    ),
    Case("query without a promise", f"query patients.csv {SQL} --unit row --budget 3,1e-5"),
    Case("query without a budget", f"query patients.csv {SQL} --unit row --epsilon 1 --delta 1e-6"),
    Case("query without a question", "query patients.csv --unit row --epsilon 1 --budget 3"),
    Case(
        "query of an unknown column",
        'query patients.csv "SELECT COUNT(*) AS n FROM t WHERE wrad = 1" --unit row --epsilon 1 --budget 3',
        wrong="wrad",
    ),
    Case(
        "query of a file that is not there",
        f"query patient.csv {SQL} --unit row --epsilon 1 --budget 3",
        wrong="patient.csv",
    ),
    Case("query with a misspelt option", f"query patients.csv {SQL} --unit row --epsilom 1 --budget 3"),
    Case("train with nothing said", "train patients.csv", {"COLUMN": "readmitted", "TARGET": "readmitted"}),
    Case(
        "train without a target",
        "train patients.csv --unit row --epsilon 1 --delta 1e-6 --budget 3,1e-5 -o model",
        {"COLUMN": "readmitted", "TARGET": "readmitted"},
    ),
    Case(
        "train on an unknown column",
        "train patients.csv --target readmited --unit row --epsilon 1 --delta 1e-6 --budget 3,1e-5 -o model",
        wrong="readmited",
    ),
    Case("anonymize with nothing said", "anonymize patients.csv -o out.parquet"),
    Case("anonymize without roles", "anonymize patients.csv --k 3 -o out.parquet"),
    Case(
        "anonymize by an unknown column",
        "anonymize patients.csv --k 3 --quasi zipp,sex --unit row -o out.parquet",
        wrong="zipp",
    ),
    Case("attack with nothing said", "attack out.csv", before=("",)),
    Case("init twice", "init patients.csv --unit row --yes", before=("init patients.csv --unit row --yes",)),
    Case("init without a unit", "init patients.csv --yes", {"COLUMN": "patient_id"}),
    Case("plan without a policy", "plan", {"DATA": "patients.csv", "COLUMN": "patient_id"}),
    Case("run without a policy", "run", {"DATA": "patients.csv", "COLUMN": "patient_id"}),
    Case("a ledger that is not there", "ledger show patients.ledger"),
    Case(
        "pseudonymize without keys", "pseudonymize patients.csv --columns patient_id --dataset stays -o p.csv"
    ),
    Case("explain-error with a slip", "explain-error E-LEDGR-001", wrong="E-LEDGR-001"),
)


@dataclass(frozen=True)
class Refusal:
    """Why a command did not run."""

    code: str
    fact: str
    hint: str


def run(arguments: list[str]) -> Refusal | None:
    """Do it in this process; None where it was done."""
    done = CliRunner().invoke(app, arguments)
    error = done.exception
    if isinstance(error, PrivetError):
        return None if error.exit_code == FINDINGS else Refusal(error.code, error.fact, error.hint)
    if hasattr(error, "format_message"):  # found by the parser of the command line
        return Refusal("E-GENERAL-003", error.format_message(), "Add --help to see what the command takes.")
    if done.exit_code in (0, FINDINGS):
        return None
    if done.exit_code == 2 and not isinstance(error, Exception):
        return Refusal("E-GENERAL-003", done.output[-300:], "Add --help to see what the command takes.")
    raise AssertionError((arguments, error, done.output[-500:]))


def filled(text: str, says: Mapping[str, str]) -> str:
    """The words in capitals as a person would say them."""
    for word, meant in says.items():
        text = re.sub(rf"\b{re.escape(word)}\b", meant, text)
    return text


def options(hint: str) -> Iterable[tuple[str, str | None]]:
    """The options that a hint names with a value that can be used, the first of each."""
    seen: set[str] = set()
    for name, value in OPTION.findall(hint):
        value = value.strip("\"'.") or None
        if name in seen or (value and PLACEHOLDER.search(value)):
            continue
        seen.add(name)
        yield name, value


def followed(case: Case, arguments: list[str], refusal: Refusal) -> list[str]:
    """The command with what the hint says to write; a command that it names is run first."""
    hint = filled(refusal.hint, case.says)
    if (
        case.wrong
        and case.wrong in shlex.join(arguments)
        and (meant := MEANT.search(f"{refusal.fact} {hint}"))
    ):
        return [one.replace(case.wrong, meant[1]) for one in arguments]
    for spelled in COMMAND.findall(hint):
        first = shlex.split(next(filter(None, spelled)).removeprefix("privet "))
        if first[:1] != arguments[:1] and not PLACEHOLDER.search(shlex.join(first)):
            other = run(first)
            assert other is None, f"{shlex.join(first)}: {other}"
            return arguments
    added = list(arguments)
    for name, value in options(hint):
        if name in added:
            continue
        added += [name] if value is None else [name, value]
        if name != "--epsilon":  # promises come with their other half
            break
    return added


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRIVET_KEYS", raising=False)
    write("patients.csv", hospital(300))
    write("out.csv", hospital(100, 8))
    return tmp_path


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_following_the_hints_ends_in_success(case: Case, desk: Path) -> None:
    for earlier in filter(None, case.before):
        assert run(shlex.split(earlier)) is None
    arguments, seen = shlex.split(case.command), []
    for _ in range(MOST_STEPS):
        refusal = run(arguments)
        if refusal is None:
            assert seen, "the case is about a refusal"
            return
        assert refusal.hint, refusal
        assert (refusal.code, refusal.fact) not in [(one.code, one.fact) for one in seen], (
            f"a loop: {refusal}"
        )
        seen.append(refusal)
        changed = followed(case, arguments, refusal)
        assert changed != arguments or COMMAND.search(refusal.hint), f"nothing to follow in: {refusal}"
        arguments = changed
    pytest.fail(f"still refused after {MOST_STEPS} hints: {seen}")
