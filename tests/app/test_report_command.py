"""privet report: where it finds a run, what it writes, and what it refuses without writing anything."""

import json
from pathlib import Path

import pytest
from tests.app.doors import listing
from tests.app.test_policies import say
from tests.pipeline.hospital import RELEASE, project
from tests.report.a_run import CANARY, record, tradeoff
from tests.test_guides import commands

from privet.pipeline._run_plan import PlannedStep, RunPlan
from privet.pipeline._run_record import RunRecord

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project that was run: only what is looked at is there."""
    for name in ("owner", "public"):
        (tmp_path / "out" / name).mkdir(parents=True)
    RunRecord.from_json(record()).save(tmp_path / "out" / "owner" / "run.json")
    (tmp_path / "privet.yaml").write_text("version: 1\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("where", ["privet.yaml", "out", "out/owner/run.json", "."])
def test_a_run_is_found_by_its_policy_folder_or_record(folder: Path, capsys: Capture, where: str) -> None:
    said = say(capsys, "report", str(folder / where), "--json")
    assert said.code == 0, said.out
    assert [Path(file).name for file in said.json()["files"]] == ["report.html", "report.json"]
    assert said.json()["findings"] == record()["findings"]
    assert listing(folder / "out" / "owner") == ["report.html", "report.json", "run.json"]


def test_the_policy_here_is_meant_where_none_is_named(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    assert say(capsys, "report").out == "out/owner/report.html\n"


def test_the_public_report_does_not_replace_the_owners(folder: Path, capsys: Capture) -> None:
    assert say(capsys, "report", str(folder)).code == 0
    said = say(capsys, "report", str(folder), "--public", "--json")
    assert said.json()["audience"] == "public"
    assert CANARY not in said.out
    written = [Path(file) for file in said.json()["files"]]
    assert [file.name for file in written] == ["report-public.html", "report-public.json"]
    assert not any(CANARY in file.read_text(encoding="utf-8") for file in written)
    assert "For the owner of the data only" in (folder / "out" / "owner" / "report.html").read_text(
        encoding="utf-8"
    )


def test_one_file_is_written_where_one_is_named(folder: Path, capsys: Capture) -> None:
    page, data = folder / "for the board.html", folder / "for programs.json"
    assert say(capsys, "report", str(folder), "-o", str(page)).out == f"{page}\n"
    assert say(capsys, "report", str(folder), "-o", str(data)).code == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert json.loads(data.read_text(encoding="utf-8"))["artifact"] == "run-report"
    assert listing(folder / "out" / "owner") == ["run.json"]


def test_a_trade_off_is_shown(folder: Path, capsys: Capture) -> None:
    file = folder / "tradeoff.json"
    file.write_text(json.dumps(tradeoff()), encoding="utf-8")
    assert say(capsys, "report", str(folder), "--tradeoff", str(file)).code == 0
    assert "Beyond it, little is gained." in (folder / "out" / "owner" / "report.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"knee": {"index": 99, "reason": "", "policy_lines": ""}},
        {"knee": "first"},
        {"notes": 3},
        {"points": [{**tradeoff()["points"][0], "risk": {"value": float("nan"), "low": 0.0, "high": 1.0}}]},
        {"points": [{**tradeoff()["points"][0], "label": None, "words": 7, "attacks": "?"}]},
    ],
)
def test_an_edited_trade_off_is_refused(folder: Path, capsys: Capture, change: dict) -> None:
    file = folder / "tradeoff.json"
    file.write_text(json.dumps({**tradeoff(), **change}), encoding="utf-8")
    said = say(capsys, "report", str(folder), "--tradeoff", str(file), "--json")
    assert said.json()["error"]["code"] == "E-GUARANTEE-004"
    assert listing(folder / "out" / "owner") == ["run.json"]


@pytest.mark.parametrize(
    ("at", "value"),
    [
        ("policy", {}),
        ("policy", None),
        ("plan", []),
        ("ledger", {"balances": []}),
        ("versions", None),
        ("findings", None),
    ],
)
@pytest.mark.parametrize("public", [False, True])
def test_an_edited_record_is_refused(
    folder: Path, capsys: Capture, at: str, value: object, public: bool
) -> None:
    (folder / "out" / "owner" / "run.json").write_text(json.dumps({**record(), at: value}), encoding="utf-8")
    said = say(capsys, "report", str(folder), "--json", *(["--public"] if public else []))
    if said.code:
        assert said.json()["error"]["code"] == "E-GUARANTEE-004"
        assert listing(folder / "out" / "owner") == ["run.json"]
    else:  # what others may see does not need what is not there
        assert public


def test_every_command_of_the_guide_runs(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "tradeoff.json").write_text(json.dumps(tradeoff()), encoding="utf-8")
    listed = commands("report")
    assert len(listed) == 4
    for arguments in listed:
        assert say(capsys, *arguments).code == 0, arguments
    assert {"board.html", "out", "privet.yaml", "tradeoff.json"} == set(listing(folder))


def test_the_trade_off_of_a_step_is_shown_unasked(folder: Path, capsys: Capture) -> None:
    given = record()
    given["steps"][0]["kind"] = "tradeoff"
    given["steps"][0]["made"]["path"] = "owner/weighed.json"
    RunRecord.from_json(given).save(folder / "out" / "owner" / "run.json")

    def shown(text: str) -> bool:
        (folder / "out" / "owner" / "weighed.json").write_text(text, encoding="utf-8")
        assert say(capsys, "report", str(folder)).code == 0
        return "Beyond it, little is gained." in (folder / "out" / "owner" / "report.html").read_text(
            encoding="utf-8"
        )

    assert shown(json.dumps(tradeoff("owner-only")))
    assert not shown("{")


def test_a_plan_made_since_the_run_is_shown_as_planned(folder: Path, capsys: Capture) -> None:
    step = PlannedStep(
        "more", "release", "care", [], [], "", "public/more.json", "internal", "2030-12-31", None, "new", "00" * 32,
        cost={"epsilon": "0.125", "delta": "0"},
    )  # fmt: skip

    def planned(head: str, **forged: str) -> str:
        plan = RunPlan("p", "d", head, "now", (step,)).to_json()
        plan["steps"][0].update(forged)
        (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        assert say(capsys, "report", str(folder)).code == 0
        content = json.loads((folder / "out" / "owner" / "report.json").read_text(encoding="utf-8"))
        return str(content["budgets"][0]["planned"])

    assert planned("ee" * 32) == "0.125"
    assert planned("ff" * 32) == "0"  # made for another state of the ledger
    assert planned("ee" * 32, key="..") == "0"  # not as it was written
    (folder / "plan.json").write_text("{", encoding="utf-8")
    assert say(capsys, "report", str(folder)).code == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nowhere",), "E-GENERAL-004"),
        (("privet.txt",), "E-GENERAL-004"),
        (("broken.json",), "E-GUARANTEE-004"),
        (("list.json",), "E-GUARANTEE-004"),
        (("other.json",), "E-GUARANTEE-004"),
        (("out", "-o", "report.pdf"), "E-GENERAL-003"),
        (("out", "-o", "report"), "E-GENERAL-003"),
        (("out", "-o", "out/owner/run.json"), "E-GENERAL-003"),
        (("out", "-o", "nowhere/report.html"), "E-GENERAL-004"),
        (("out", "--tradeoff", "nowhere.json"), "E-GENERAL-004"),
        (("out", "--tradeoff", "broken.json"), "E-GUARANTEE-004"),
        (("out", "--tradeoff", "out/owner/run.json"), "E-GUARANTEE-004"),
    ],
)
def test_what_cannot_be_reported_is_refused_and_nothing_is_written(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "broken.json").write_text("{", encoding="utf-8")
    (folder / "list.json").write_text("[]", encoding="utf-8")
    (folder / "other.json").write_text('{"schema": 1, "artifact": "audit"}', encoding="utf-8")
    before = sorted(path for path in folder.rglob("*"))
    kept = (folder / "out" / "owner" / "run.json").read_bytes()
    said = say(capsys, "report", *arguments, "--json")
    assert said.json()["error"]["code"] == code
    assert said.code != 0
    assert sorted(path for path in folder.rglob("*")) == before
    assert (folder / "out" / "owner" / "run.json").read_bytes() == kept


def test_a_run_writes_its_report_also_when_a_limit_is_beaten(tmp_path: Path, capsys: Capture) -> None:
    policy = project(tmp_path, RELEASE, "limits: {linkage-weakest: 0.01}\n")
    ended = say(capsys, "run", "-p", str(policy), "--json")
    assert ended.code == 6
    page = Path(ended.json()["error"]["details"]["report"])
    assert page == tmp_path / "out" / "owner" / "report.html"
    assert "One limit of the policy was not kept." in page.read_text(encoding="utf-8")
    policy.write_text(policy.read_text(encoding="utf-8").split("limits:")[0], encoding="utf-8")
    ran = say(capsys, "run", "-p", str(policy))
    assert (ran.code, ran.out) == (0, f"{page}\n")
    assert "The policy sets no limit" in page.read_text(encoding="utf-8")
    assert json.loads((page.parent / "report.json").read_text(encoding="utf-8"))["audience"] == "owner"
