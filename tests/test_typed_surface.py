"""What a user's own type checker says about their code: right uses pass with the types named, wrong ones fail."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import privet

REPOSITORY = Path(__file__).resolve().parent.parent
STUB = REPOSITORY / "src" / "privet" / "__init__.pyi"

USER = """\
import privet as pv

table = pv.open_table("patients.csv", unit=pv.Person("patient_id", max_rows=20), bounds={"days": (0, 60)})
ledger = pv.Ledger("patients.ledger", limit=pv.ApproxDP(3, 1e-6))
stays = table.where(pv.col("days") > 0).group_by("ward", keys=["ICU"]).agg(n=pv.count(), days=pv.mean("days"))

reveal_type(table)  #: Table
reveal_type(stays)  #: Query
reveal_type(pv.KAnonymity(5) & pv.LDiversity("diagnosis", 3, variant="recursive", c=3))  #: Promise
reveal_type(pv.audit(table, unit=pv.Row()))  #: Audit
reveal_type(pv.anonymize(table, pv.KAnonymity(5), max_suppressed=0.02))  #: ReleasedTable
reveal_type(pv.explain(stays, pv.PureDP(0.5)))  #: Explanation
reveal_type(pv.release(stays, pv.PureDP(0.5), ledger=ledger, why="beds", weights={"n": 2}))  #: ReleasedAnswer
reveal_type(pv.release("SELECT COUNT(*)", pv.PureDP(1), ledger=ledger, why="beds", table=table))  #: ReleasedAnswer
reveal_type(pv.release([stays, stays], pv.PureDP(1), ledger=ledger, why="both"))  #: tuple[ReleasedAnswer, ...]
reveal_type(pv.release(pv.spine(table, ["ward"], ["sex"]), pv.ApproxDP(1, 1e-6), ledger=ledger, why="all"))  #: ReleasedHierarchy
reveal_type(pv.train(table, pv.ApproxDP(1, 1e-6), target="readmitted", ledger=ledger))  #: ReleasedModel
reveal_type(pv.attack(table, members=table, guesses=100))  #: AttackReport
reveal_type(pv.tradeoff(table, target="readmitted"))  #: Tradeoff
reveal_type(pv.Ledger.in_memory(limit=pv.PureDP(1)))  #: Ledger
reveal_type(pv.KMap(5, "poisson", sampling_fraction=0.01, significance=0.05))  #: KMap

pv.KAnonymity("five")  #! arg-type
pv.Person(5)  #! arg-type
pv.anonymize(table, 5)  #! arg-type
pv.anonymize("patients.csv", pv.KAnonymity(5))  #! arg-type
pv.anonymize(table, pv.KAnonymity(5), k=5)  #! call-arg
pv.anonymize(table)  #! call-arg
pv.audit(table, quasi=5)  #! arg-type
pv.release(stays, pv.PureDP(1), why="no ledger")  #! call-overload
pv.release(stays, pv.PureDP(1), ledger=ledger, why="beds", confidnce=0.9)  #! call-overload
pv.explain(stays, 0.5)  #! call-overload
pv.train(table, pv.ApproxDP(1, 1e-6), target=5, ledger=ledger)  #! arg-type
pv.train.plan(model=table, promise=pv.PureDP(1), records=1, batch=1)  #! arg-type
pv.attack(table, shadow=64)  #! call-arg
pv.attack(table, guesses="many")  #! arg-type
ledger.record(pv.KAnonymity(5), why="file", porpose="x")  #! call-arg
pv.open_table("patients.csv", unit="patient_id")  #! arg-type
pv.mean(5)  #! arg-type
pv.nothing  #! attr-defined
"""

CONFIG = """\
[mypy]
strict = True
[mypy-privet.*]
follow_imports = silent
"""


def found(tmp_path: Path) -> dict[int, list[str]]:
    """What mypy says, by line: `: Type` for a revealed type, `! code` for an error."""
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(CONFIG, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--no-pretty", "user.py"]
    # The project's own cache serves here too: what was checked once is not checked again.
    command += ["--cache-dir", str(REPOSITORY / ".mypy_cache" / "users")]
    env = {**os.environ, "MYPYPATH": str(REPOSITORY / "src")}
    result = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    said: dict[int, list[str]] = {}
    for line in result.stdout.splitlines():
        match = re.match(r"user\.py:(\d+): (note|error): (.*)", line)
        assert match, result.stdout + result.stderr
        kind = re.search(r'Revealed type is "(.*)"', match[3])
        if kind:
            said.setdefault(int(match[1]), []).append(": " + re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", kind[1]))
        elif match[2] == "error":
            code = re.search(r"\[([a-z-]+)\]$", match[3])
            said.setdefault(int(match[1]), []).append(f"! {code[1] if code else match[3]}")
    return said


def test_right_uses_pass_and_wrong_ones_fail_in_the_user_s_own_checker(tmp_path: Path) -> None:
    wanted = {
        number: mark.strip()
        for number, line in enumerate(USER.splitlines(), 1)
        for mark in re.findall(r"#([:!] .*)$", line)
    }
    said = found(tmp_path)
    assert {number: sorted(set(marks)) for number, marks in said.items()} == {
        number: [mark] for number, mark in wanted.items()
    }


def test_the_stub_names_what_is_loaded_at_run_time() -> None:
    """Out of step? Run python tools/write_public_types.py."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    named = {
        alias.asname: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == alias.asname
    }
    assert named == privet._HOME
    (listed,) = [node for node in tree.body if isinstance(node, ast.Assign)]
    assert ast.literal_eval(listed.value) == privet.__all__


def test_the_tool_writes_the_stub() -> None:
    result = subprocess.run(
        [sys.executable, "tools/write_public_types.py", "--check"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_the_package_says_that_it_is_typed() -> None:
    assert (STUB.parent / "py.typed").is_file()
