"""The demonstration: one run without torch, what it says, what it spends, and whose files it leaves alone."""

import contextlib
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from tests.app.doors import Said, listing, surroundings
from typer.testing import CliRunner

from privet.app import _demo_command as demo
from privet.app._cli import app
from privet.app._demo_output import Figures
from privet.audits._phrases import percent
from privet.errors import BadUsage, InternalError
from privet.guarantee._privacy_units import Row
from privet.guarantee._promise_registry import PureDP
from privet.ledger import Ledger
from privet.pipeline._run_plan import RunPlan
from privet.pipeline._run_record import RunRecord

WITHOUT_TORCH = """
import sys

class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Nowhere())
from privet.app._cli import main

main(["demo", "--patients", "400", "-o", "demo"])
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Said]:
    """One demonstration, with few patients, where torch cannot be imported."""
    folder = tmp_path_factory.mktemp("demonstration")
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH],
        cwd=folder,
        env=surroundings(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    return folder, Said(done.returncode, done.stdout, done.stderr)


def test_it_runs_without_torch_and_ends_with_the_report(whole: tuple[Path, Said]) -> None:
    folder, said = whole
    assert said.code == 0, said.err
    report = folder / said.out.strip()
    assert report == folder / "demo" / "out" / "owner" / "report.html"
    assert report.stat().st_size > 10_000
    lines = said.err.strip().splitlines()
    assert 12 <= len(lines) <= 14
    assert lines[-1].split() == ["report", "demo/out/owner/report.html"]
    assert max(map(len, lines)) <= 120


def test_what_it_says_is_what_was_measured(whole: tuple[Path, Said]) -> None:
    folder, said = whole
    record = RunRecord.load(folder / "demo" / "out" / "owner" / "run.json")
    before = record.step("before").facts
    named = before["linkage"]["attempts"][0]["claimed"] / before["people"]
    assert 0.4 < named < 0.6
    assert f"linkage    {percent(named)} of the patients are found in the roll" in said.err
    assert ": 0 % of the patients are found" in said.err
    (linked,) = record.step("linked").risks
    assert linked.success.value <= 0.2
    auroc = re.search(r"AUROC (0\.\d{3})", said.err)
    assert auroc is not None
    assert 0.3 < float(auroc[1]) < 0.9
    told = [risk for risk in record.step("returns").risks if risk.measure == "AUC"]
    best = max(risk.success.value for risk in told)
    assert f"best of {len(told)} attacks: AUC {best:.3f} [" in said.err
    assert f"the promise allows {told[0].bound:.3f}" in said.err


def test_it_spends_what_it_planned_and_its_ledger_says_so(whole: tuple[Path, Said]) -> None:
    folder, said = whole
    record = RunRecord.load(folder / "demo" / "out" / "owner" / "run.json")
    plan = RunPlan.load(folder / "demo" / "plan.json")
    with Ledger(folder / "demo" / "patients.ledger") as ledger:
        checked = ledger.verify([step.receipt for step in record.steps if step.receipt is not None])
        booked = [entry.body["cost"] for entry in ledger.history() if entry.kind == "spend"]
        left = {name: str(value) for name, value in ledger.balance().to_json()["remaining"].items()}
    planned = [step.cost for step in plan.steps if step.cost]
    assert booked == planned == [step.spent for step in record.steps if step.spent]
    spent = sum(Decimal(cost["epsilon"]) for cost in booked)
    assert Decimal(left["epsilon"]) == 4 - spent
    words = (
        f"spent epsilon {float(spent):.4g} of 4, {float(left['epsilon']):.4g} left; {checked.entries} entries"
    )
    assert words in said.err


def test_what_it_leaves_can_be_run_again_by_hand(whole: tuple[Path, Said]) -> None:
    folder, _ = whole
    assert set(listing(folder)) == {"demo"}
    assert set(listing(folder / "demo")) <= demo._OWN
    text = (folder / "demo" / "privet.yaml").read_text(encoding="utf-8")
    assert text.startswith("# yaml-language-server: $schema=./privet.schema.json\n")


def test_its_trade_off_is_in_the_report_and_was_not_measured_on_the_patients(
    whole: tuple[Path, Said],
) -> None:
    folder, said = whole
    record = json.loads((folder / "demo" / "tradeoff.json").read_text(encoding="utf-8"))
    report = json.loads((folder / "demo" / "out" / "owner" / "report.json").read_text(encoding="utf-8"))
    assert record["standing"] == "surrogate"
    assert report["tradeoff"] == {name: value for name, value in record.items() if name != "signature"}
    assert {point["technique"] for point in record["points"]} >= {"anonymize", "train"}
    tuned = next(item for item in report["checklists"]["hazards"] if "tuned" in item["asks"])
    assert (tuned["standing"], "nothing in this run was tuned" in tuned["evidence"]) == (
        "open: for human review",
        True,
    )
    promised = sum(point["technique"] != "reference" for point in record["points"])
    assert f"tradeoff   {promised} strengths weighed" in said.err


def test_a_proposal_says_what_it_cannot_be_told_from() -> None:
    lines = dict(replace(FIGURES, proposed="train, epsilon = 1", alike=2).lines())
    assert lines["tradeoff"].endswith("proposed: train, epsilon = 1 (2 more may be as good)")


def test_the_readme_shows_these_lines(whole: tuple[Path, Said]) -> None:
    _, said = whole
    page = Path(__file__).resolve().parents[2] / "README.md"
    shown = re.search(
        r"^```text\n(data .*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert shown is not None

    def words(text: str) -> list[str]:
        """What stays when figures, wards and the folder's name are taken out."""
        plain = re.sub(
            r"stays at epsilon.*|mean stay in.*|proposed:.*|\b(over|under) |[\d.,]+|demo(-output)?/", "", text
        )
        return [" ".join(line.split()) for line in plain.strip().splitlines()]

    assert words(said.err) == words(shown[1])


FIGURES = Figures(
    stays=10, patients=4, voters=9, alone=4, claimed=2, right=1, rows=8, dropped=1, claimed_after=0, guess=0.1,
    guess_allowed=0.2, in_the_table=None, answer_epsilon=0.5, auroc=0.7, newcomers=5, model_epsilon=1, attacks=3, contradicted=0, on_the_model=2,
    wards=[{"ward": "A", "stays": {"value": 5, "low": 3, "high": 7}, "days": {"value": 2.0, "low": 1.0, "high": 3.0}}],
    membership={"value": 0.5, "low": 0.4, "high": 0.6}, membership_allowed=0.7, findings=[], limits=3, weighed=8, proposed=None, alike=0,
    spent={"epsilon": "1.5"}, budget={"epsilon": "4"}, left={"epsilon": "2.5"}, entries=7, head="0",
)  # fmt: skip


def quick(folder: Path, patients: int, say: object) -> tuple[Path, Figures]:
    """A loop that has nothing to do."""
    del patients, say
    (folder / "out" / "owner").mkdir(parents=True)
    (folder / "out" / "owner" / "report.html").write_text("page", encoding="utf-8")
    return folder / "out" / "owner" / "report.html", FIGURES


def failing(folder: Path, patients: int, say: object) -> tuple[Path, Figures]:
    """A loop that fails after having written something."""
    quick(folder, patients, say)
    raise InternalError("half-way.")


def planning(folder: Path, patients: int, say: object) -> tuple[Path, Figures]:
    """A loop that leaves a plan."""
    (folder / "plan.json").write_text("of the first", encoding="utf-8")
    return quick(folder, patients, say)


@pytest.mark.parametrize("change", ["edited", "put among the outputs", "copied", "only marked", "stopped"])
def test_what_somebody_changed_in_its_folder_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "_loop", planning)
    shown, precious = tmp_path / "demo-output", "years of work"
    demo.command(patients=300)
    if change == "edited":
        (shown / "plan.json").write_text(precious, encoding="utf-8")
    elif change == "put among the outputs":
        (shown / "out" / "owner" / "thesis.txt").write_text(precious, encoding="utf-8")
    elif change == "copied":
        shown.rename(tmp_path / "first")
        shutil.copytree(tmp_path / "first", shown)
    elif change == "only marked":
        (shown / demo.MARK).write_text("made by privet demo\n", encoding="utf-8")
    else:
        demo._mark(shown)  # as a kill leaves it
    before = {path: path.read_bytes() for path in shown.rglob("*") if path.is_file()}
    with pytest.raises(BadUsage, match="changed since"):
        demo.command(patients=300)
    assert {path: path.read_bytes() for path in shown.rglob("*") if path.is_file()} == before


def test_its_folder_is_the_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_loop", quick)
    demo.command(to=tmp_path / "shown", patients=300)
    assert (tmp_path / "shown").stat().st_mode & 0o077 == 0


def test_programs_get_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_loop", quick)
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path / "shown"), "--json"])
    said = Said(done.exit_code, done.stdout, "").json()
    assert said["report"] == str(tmp_path / "shown" / "out" / "owner" / "report.html")
    assert (said["claimed"], said["spent"], said["auroc"]) == (
        2,
        {"epsilon": "1.5"},
        0.7,
    )  # exact: read back as it was given


def test_it_replaces_its_own_folder_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_loop", quick)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        demo.command(patients=300)
    assert listing(tmp_path) == ["demo-output"]
    Path("demo-output/thesis.txt").write_text("years of work", encoding="utf-8")
    Path("mine").mkdir()
    Path("mine/data.csv").touch()
    Path("file").touch()
    Path("link").symlink_to("mine")
    for name in ("demo-output", "mine", "file", "link", "no/where"):
        with pytest.raises(BadUsage):
            demo.command(to=Path(name), patients=300)
    assert Path("demo-output/thesis.txt").read_text(encoding="utf-8") == "years of work"
    assert listing(tmp_path) == ["demo-output", "file", "link", "mine"]
    Path("empty").mkdir()
    demo.command(to=Path("empty"), patients=300)
    assert demo.MARK in listing(tmp_path / "empty")


def test_failing_half_way_leaves_what_was_there_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "_loop", failing)
    with pytest.raises(InternalError):
        demo.command(patients=300)
    assert listing(tmp_path) == []
    monkeypatch.setattr(demo, "_loop", planning)
    demo.command(patients=300)
    monkeypatch.setattr(demo, "_loop", failing)
    with pytest.raises(InternalError):
        demo.command(patients=300)
    assert listing(tmp_path) == ["demo-output"]
    assert Path("demo-output/plan.json").read_text(encoding="utf-8") == "of the first"


def test_ledgers_of_earlier_demonstrations_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A demonstration's folder is replaced, and so is one that failed; no ledger is ever deleted."""
    made: list[str] = []
    fails = iter((True, False, False, True, False))

    def booking(folder: Path, patients: int, say: object) -> tuple[Path, Figures]:
        with Ledger(folder / "patients.ledger", limit=PureDP(1), unit=Row()) as ledger:
            made.append(ledger.id)
        if next(fails):
            return failing(folder, patients, say)
        return quick(folder, patients, say)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "_loop", booking)
    for _ in range(5):
        with contextlib.suppress(InternalError):
            demo.command(patients=300)
    shown = tmp_path / "demo-output"
    found = [path for path in shown.rglob("*.ledger") if path.is_file()]
    assert sorted(Ledger(path).id for path in found) == sorted(made)
    with Ledger(shown / "patients.ledger") as ledger:
        assert ledger.id == made[-1]
    assert listing(tmp_path) == ["demo-output"]
