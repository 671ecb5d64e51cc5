"""Hints are followed literally: what a refusal says to write is written, and leads on, until the command runs.

Each case is a command as somebody would first type it. Its refusal's hint names an option to add, a command to run first or
words to put instead; that is done as it stands, and the command is tried again. A hint that leads back to a refusal that was
seen before is a loop, and one from which nothing can be taken is no hint.
"""

import ast
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import typer

import privet
from privet.app import _cli as cli
from privet.examples import hospital, write

FINDINGS = 6  # the work was done, and what it found is worse than a limit: no mistake
MOST_STEPS = 8
SOURCE = Path(privet.__file__).parent
WORDS = {
    "to",
    "and",
    "or",
    "if",
    "with",
    "is",
    "for",
}  # what follows an option in a sentence, and is no value

# An option with what follows it, up to the end of the clause; a command in back quotes or after "Run"; a name after
# "Did you mean". Words in capitals stand for what only a person knows.
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-o)(?:[ =]((?:\"[^\"]*\"|'[^']*'|[^\s;()\"'`]+)))?")
COMMAND = re.compile(r"`(privet [^`]+)`|(?:^|[:.] )(privet [a-z][^`\n]*?)(?=[.;,](?: |$)|$)")
MEANT = re.compile(r"Did you mean '?([^'?\s]+)'?")
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|…")


@dataclass(frozen=True)
class Case:
    """A first try, and what a person would say for the words in capitals; `wrong` is what a correction replaces."""

    name: str
    command: str
    says: Mapping[str, str] = field(default_factory=dict)
    wrong: str = ""
    before: tuple[str, ...] = ()
    until: str = ""  # the refusal that only a person can answer, where hints lead to one


SQL = '"SELECT ward, COUNT(*) AS n FROM t GROUP BY ward"'
ASK = f"query patients.csv {SQL} --unit row --epsilon 1 --delta 1e-6"
WHO = {"COLUMN": "patient_id", "DATA": "patients.csv", "TARGET": "readmitted"}
CASES = (
    Case("query with nothing said", f"query patients.csv {SQL}", WHO),
    Case("query without a promise", f"query patients.csv {SQL} --unit row --budget 3,1e-5"),
    Case("query without a budget", ASK),
    Case("query without a question", "query patients.csv --unit row --epsilon 1 --budget 3"),
    Case("query of a column", f"{ASK} --budget 3,1e-5".replace("ward, C", "wrad, C"), wrong="wrad"),
    Case(
        "query of another file",
        f"{ASK} --budget 3,1e-5".replace("patients.", "patient."),
        wrong="patient.csv",
    ),
    Case("query with an option", f"{ASK} --budget 3,1e-5".replace("epsilon", "epsilom"), wrong="--epsilom"),
    Case(
        "train with nothing said",
        "train patients.csv",
        {**WHO, "COLUMN": "readmitted", "OUT": "model", "EPSILON": "1", "DELTA": "1e-6"},
        until="E-TRAIN-001",
    ),
    Case("anonymize with nothing said", "anonymize patients.csv -o out.parquet"),
    Case(
        "anonymize by a column",
        "anonymize patients.csv --k 3 --quasi zipp,sex --unit row -o out.parquet",
        wrong="zipp",
    ),
    Case("attack with nothing said", "attack"),
    Case("init twice", "init patients.csv --unit row --yes", before=("init patients.csv --unit row --yes",)),
    Case("init without a unit", "init patients.csv --yes", WHO),
    Case("plan without a policy", "plan", WHO, until="E-POLICY-003"),
    Case("report without a run", "report", WHO, until="E-POLICY-003"),
    Case("a ledger that is not there", "ledger show patients.ledger"),
    Case("a ledger that is not verified", "ledger verify patients.ledger"),
    Case("a ledger without a limit", "ledger open patients.ledger"),
    Case(
        "pseudonymize without keys", "pseudonymize patients.csv --column patient_id --dataset stays -o p.csv"
    ),
    Case("pseudonymize without a name", "pseudonymize patients.csv --column patient_id -o p.csv"),
    Case("an example that is there", "example hospital -o patients.csv"),
    Case("account with an epsilon", 'account "gaussian(?)" --delta 1e-6'),
    Case("account without a delta", 'account "gaussian(1)"'),
    Case("account by a name", 'account "laplase(1)"', wrong="laplase"),
    Case("schema of nothing", "schema"),
    Case("a limit that is not one", "ledger open patients.ledger --limit epsilon"),
    Case("a unit that is not one", "ledger open patients.ledger --epsilon 3 --unit nobody"),
    Case("a hierarchy that is there", "hierarchy suggest patients.csv --column zip -o patients.csv"),
    Case("audit by a column", "audit patients.csv --quasi zipp", wrong="zipp"),
    Case("explain-error with a slip", "explain-error E-LEDGR-001", wrong="E-LEDGR-001"),
)


@dataclass(frozen=True)
class Refusal:
    """Why a command did not run."""

    code: str
    fact: str
    hint: str


def run(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> Refusal | None:
    """Do it as the command line does, in this process; None where it was done."""
    capsys.readouterr()
    status = cli._run(arguments, as_json=True)
    said = capsys.readouterr()
    if status in (0, FINDINGS):
        return None
    error = json.loads(said.out)["error"]
    assert error["code"] != "E-GENERAL-001", (arguments, error)
    return Refusal(error["code"], error["message"], error["hint"])


def filled(text: str, says: Mapping[str, str]) -> str:
    """The words in capitals as a person would say them."""
    for word, meant in says.items():
        text = re.sub(rf"\b{re.escape(word)}\b", meant, text)
    return text


def options(hint: str) -> Iterator[tuple[str, str | None]]:
    """The options that a hint names with a value that can be used, the first of each."""
    seen: set[str] = set()
    for name, value in OPTION.findall(re.sub(r"`[^`]*`", "", hint)):
        meant = value.strip("\"'.,") or None
        if name not in seen and not (meant and PLACEHOLDER.search(meant)):
            seen.add(name)
            yield name, None if meant in WORDS else meant


def changed(case: Case, arguments: list[str], refusal: Refusal) -> list[str]:
    """The command with what the hint says to write instead or beside."""
    hint = filled(refusal.hint, case.says)
    wrong = [one for one in arguments if case.wrong and case.wrong in one]
    if wrong and (meant := MEANT.search(f"{hint} {refusal.fact}")):
        return [one.replace(case.wrong, meant[1]) for one in arguments]
    added = list(arguments)
    for name, value in options(hint):
        if name == "--help" or (name in added and value in (None, added[added.index(name) + 1])):
            continue
        if name in added:
            added[added.index(name) + 1] = str(value)
            break
        if added[-2:-1] == ["--epsilon"] and added != arguments and name != "--delta":
            break
        added += [name] if value is None else [name, value]
        if name != "--epsilon":  # a promise comes with its other half
            break
    return added


def first(case: Case, arguments: list[str], refusal: Refusal) -> list[str] | None:
    """Another command that the hint says to run before."""
    for spelled in COMMAND.findall(filled(refusal.hint, case.says)):
        other = shlex.split(next(filter(None, spelled)).removeprefix("privet "))
        if other[:1] != arguments[:1] or other[:2] == ["ledger", "open"]:
            assert not PLACEHOLDER.search(shlex.join(other)), f"nobody can run {other}"
            return other
    return None


def comes_first(hint: str) -> bool:
    """Whether a hint names a command to run before it names an option to add."""
    command, option = COMMAND.search(hint), OPTION.search(hint)
    return command is not None and (option is None or command.start() < option.start())


def follow(case: Case, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> list[Refusal]:
    """Do what each hint says until the command runs; the refusals on the way."""
    seen: list[Refusal] = []
    for _ in range(MOST_STEPS):
        refusal = run(arguments, capsys)
        if refusal is None:
            return seen
        assert refusal.hint, refusal
        assert refusal not in seen, f"a loop: {refusal}"
        seen.append(refusal)
        if refusal.code == case.until:
            return seen
        better, other = changed(case, arguments, refusal), first(case, arguments, refusal)
        if other and (better == arguments or comes_first(refusal.hint)):
            seen += follow(case, other, capsys)
            if seen[-1].code == case.until:
                return seen
            continue
        assert better != arguments, f"nothing to follow in: {refusal}"
        arguments = better
    pytest.fail(f"still refused after {MOST_STEPS} hints: {seen}")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PRIVET_KEYS", raising=False)
    monkeypatch.setenv("PRIVET_PASSPHRASE", "what a person would type")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    write("patients.csv", hospital(300))
    write("out.csv", hospital(100, 8))
    return tmp_path


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.usefixtures("desk")
def test_following_the_hints_ends_in_success(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    for earlier in case.before:
        assert run(shlex.split(earlier), capsys) is None
    assert follow(case, shlex.split(case.command), capsys), "the case is about a refusal"


# --- every hint in the source: what it names is there -------------------------------------------


def commands() -> dict[tuple[str, ...], set[str]]:
    """Every command of the command line with its options."""
    found: dict[tuple[str, ...], set[str]] = {}

    def walk(path: tuple[str, ...], command: Any) -> None:
        found[path] = {
            "--help",
            *(name for one in command.params for name in (*one.opts, *one.secondary_opts)),
        }
        names = command.list_commands(None) if hasattr(command, "list_commands") else []
        for name, inner in ((name, command.get_command(None, name)) for name in names):
            walk((*path, name), inner)

    walk((), typer.main.get_group(cli.app))
    return found


def texts() -> Iterator[tuple[str, str]]:
    """Every text in the source that is no documentation, with its place; what is filled in stands as FILLED."""
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts = {
            id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values
        }
        inside = parts | {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if id(node) in inside:
                continue
            if isinstance(node, ast.JoinedStr):
                text = "".join(
                    str(one.value) if isinstance(one, ast.Constant) else "FILLED" for one in node.values
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
            else:
                continue
            yield f"{path.relative_to(SOURCE)}:{node.lineno}", text


def test_every_command_and_option_that_a_text_names_is_there() -> None:
    known = commands()
    every = set().union(*known.values())
    wrong, looked_at = [], 0
    for place, text in texts():
        if re.search(r"var\(--|--\w+:", text) or place.startswith("report/"):
            continue  # style sheets
        for spelled in re.findall(
            r"`privet ([^`]+)`|(?:[:.] |next: )privet ([a-z][^`\n]*?)(?=[.;,](?: |$)|$)", text
        ):
            words = next(filter(None, spelled)).split()
            path = tuple(words[:2]) if tuple(words[:2]) in known else tuple(words[:1])
            looked_at += 1
            named = {word.partition("=")[0].rstrip(".,;)") for word in words if re.match(r"--?[a-z]", word)}
            if path not in known or not named <= known[path]:
                wrong.append((place, " ".join(words)))
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", text):
            looked_at += 1
            if option not in every:
                wrong.append((place, option))
    assert looked_at > 150
    assert wrong == []


@pytest.mark.parametrize("text", ["Run `privet verfy`.", "Add --epsilom 1.", "`privet audit --epsilon 1`"])
def test_a_command_or_option_that_is_not_there_would_be_seen(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sys.modules[__name__], "texts", lambda: [("a.py:1", text)] + [("b.py:1", "--help")] * 200
    )
    with pytest.raises(AssertionError, match=r"a\.py:1"):
        test_every_command_and_option_that_a_text_names_is_there()
