"""The guides of the verbs: every command on the page is carried out, on a few made-up patients."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from typer.testing import CliRunner

import privet as pv
from privet import examples
from privet.app._cli import app
from privet.errors import PrivetError
from privet.pipeline._run_planner import make_plan

GUIDE = Path(__file__).resolve().parent.parent / "docs" / "guide"
PAGES = ("audit", "anonymize", "private-queries", "train", "attack", "run")
FINDINGS = 6  # a limit was beaten or a promise contradicted: said, and no mistake


def blocks(page: str, kind: str) -> list[str]:
    text = (GUIDE / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def commands(page: str) -> list[list[str]]:
    """What stands behind the prompts, lines that go on joined, comments taken off."""
    found = []
    for block in blocks(page, "console"):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ privet "):
                found.append(shlex.split(line.removeprefix("$ privet "), comments=True))
    return found


def fewer(arguments: list[str]) -> list[str]:
    """Three hundred patients do for a test."""
    if arguments[0] != "example":
        return arguments
    return [*("300" if one == "3000" else one for one in arguments), "--overwrite"]


def parts(table: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Two thirds of the patients, and the others."""
    apart = pc.equal(pc.bit_wise_and(table["patient_id"], 3), 0)
    return table.filter(pc.invert(apart)), table.filter(apart)


def prepare(page: str) -> None:
    """The files that the page takes for granted."""
    # Groups that nobody named beforehand are shown only if they are large.
    stays = examples.hospital(2000 if page == "attack" else 300)
    used, other = parts(stays)
    for name in ("patients.csv", "stays.csv"):
        examples.write(name, used if page == "attack" else stays)
    for name in ("train.csv", "synthetic.csv"):
        examples.write(name, used)
    for name in ("test.csv", "holdout.csv"):
        examples.write(name, other)
    examples.write("newcomers.csv", examples.hospital(50, 8))
    if page == "attack":
        trained("train.csv", "model")


def trained(source: str, folder: str) -> None:
    with pv.Ledger("attacked.ledger", limit=pv.ApproxDP(2, 1e-6)) as ledger:
        patients = pv.open_table(
            source,
            unit=pv.Person("patient_id", max_rows=10),
            bounds={"days": (0, 60)},
            keys={"sex": ["F", "M", "X"], "readmitted": [True, False]},
        )
        model = pv.train(
            patients,
            pv.ApproxDP(2, 1e-6),
            target="readmitted",
            columns=["sex", "days"],
            records=1500,
            ledger=ledger,
            why="to be attacked",
        )
        model.save(folder)


def confirm() -> None:
    """What the page asks of people between two commands: to answer for the schema."""
    draft = Path("schema.yaml").read_text(encoding="utf-8")
    Path("schema.yaml").write_text(
        re.sub(r"^confirmed:.*$", "confirmed: the patients are made up", draft, flags=re.MULTILINE),
        encoding="utf-8",
    )


BETWEEN: dict[tuple[str, str], Callable[[], None]] = {("train", "schema"): confirm}


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_guide_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(page)
    listed = commands(page)
    assert listed
    for arguments in listed:
        done = CliRunner().invoke(app, fewer(arguments))
        refused = done.exception if isinstance(done.exception, PrivetError) else None
        code = refused.exit_code if refused else done.exit_code
        assert code in (0, FINDINGS), (arguments, done.exception, done.output[-2000:])
        BETWEEN.get((page, arguments[0]), lambda: None)()


def test_the_policy_of_the_guide_can_be_planned(tmp_path: Path) -> None:
    examples.write(tmp_path / "patients.csv", examples.hospital(50))
    (policy,) = blocks("run", "yaml")
    place = tmp_path / "privet.yaml"
    place.write_text(policy, encoding="utf-8")
    steps = make_plan(place).steps
    assert [step.kind for step in steps] == ["audit", "release", "anonymize", "train", "attack"]
    assert [bool(step.cost) for step in steps] == [False, True, False, True, False]
