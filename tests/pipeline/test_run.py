"""Runs: killed anywhere they go on, spend nothing twice and leave nothing half-written; limits are held against attacks."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.app.doors import inside
from tests.pipeline.hospital import ANONYMIZE, HEAD, LATER, RELEASE, TRAIN, patients, project

from privet import examples
from privet.artifact import content_digest
from privet.artifact._released_answer import ReleasedAnswer
from privet.artifact._released_model import ReleasedModel
from privet.artifact._released_table import ReleasedTable
from privet.ledger import Ledger
from privet.pipeline import _run as running
from privet.pipeline._run import run
from privet.pipeline._run_journal import RunJournal
from privet.pipeline._run_planner import make_plan
from privet.pipeline._run_record import RunRecord
from privet.report import run_report, save_report


class Killed(BaseException):
    """The process is gone."""


def spent(folder: Path) -> list[dict[str, str]]:
    with Ledger(folder / "stays.ledger") as ledger:
        ledger.verify()
        return [entry.body["cost"] for entry in ledger.history() if entry.kind == "spend"]


def dying(patch: pytest.MonkeyPatch, owner: Any, name: str, at: int, *, after: bool = False) -> None:
    """Let the process die at the n-th call of something, before or after it."""
    real: Callable[..., Any] = getattr(owner, name)
    calls = 0

    def deadly(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == at and not after:
            raise Killed
        found = real(*arguments, **options)
        if calls == at:
            raise Killed
        return found

    patch.setattr(owner, name, deadly)


def test_a_run_writes_everything_it_says(tmp_path: Path) -> None:
    policy = project(tmp_path, ANONYMIZE + RELEASE)
    record = run(policy)
    out = tmp_path / "out"
    assert RunRecord.load(out / "owner" / "run.json") == record
    assert ReleasedTable.load(out / "public" / "safe.parquet").after.smallest_class >= 3
    assert ReleasedAnswer.load(out / "public" / "beds.json").keys["ward"] == ("Cardiology", "Surgery")
    for step in record.steps:
        assert step.made is not None
        assert content_digest(out / step.made.path) == step.made.digest
        assert step.made.expires == "2090-06-30"
    assert {risk.attack for risk in record.step("safe").risks} >= {"linkage-exact", "linkage-weakest"}
    assert record.ledger is not None
    assert record.ledger.head == record.ledger.entries[-1]["hash"]
    assert [balance["scope"] for balance in record.ledger.balances] == ["data set", "purpose planning"]


POINTS = [
    (RunJournal, "write", 1, True),
    (RunJournal, "write", 2, False),
    (RunJournal, "write", 2, True),
    (RunJournal, "write", 3, False),
    (RunJournal, "write", 4, False),
    (RunJournal, "write", 5, True),
    (Ledger, "open_budget", 1, False),
    (Ledger, "charge", 1, False),
    (Ledger, "remember", 1, True),
    (Ledger, "charge", 2, False),
    (running, "record_making", 1, True),
    (running, "replace_inside", 1, False),
    (running, "replace_inside", 1, True),
    (running, "attacked", 2, False),
]


@pytest.mark.parametrize("point", POINTS, ids=lambda point: f"{point[1]}-{point[2]}-{point[3]}")
def test_a_killed_run_goes_on_and_spends_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: tuple[Any, str, int, bool]
) -> None:
    owner, name, at, after = point
    policy = project(tmp_path, RELEASE + LATER)
    plan = make_plan(policy)
    with monkeypatch.context() as patch:
        dying(patch, owner, name, at, after=after)
        with pytest.raises(Killed):
            run(policy, plan)
    record = run(policy, plan)
    assert spent(tmp_path) == [step.cost for step in plan.steps] == [step.spent for step in record.steps]
    assert not list((tmp_path / "out").rglob("*.partial"))
    answers = [ReleasedAnswer.load(tmp_path / "out" / "public" / name) for name in ("beds.json", "long.json")]
    assert [answer.receipt for answer in answers] == [step.receipt for step in record.steps]


def test_models_learn_from_days_between_public_bounds(tmp_path: Path) -> None:
    head = HEAD.replace("born: {role: quasi}", "born: {role: quasi, bounds: [1900-01-01, 2026-12-31]}")
    head = head.replace(
        "columns: [ward, days, sex, readmitted]", "columns: [born, ward, days, sex, readmitted]"
    )
    policy = project(tmp_path, TRAIN.replace("[ward, sex]", "[born, ward]"), head=head)
    record = run(policy, make_plan(policy))
    assert record.steps[0].spent == record.steps[0].planned
    model = ReleasedModel.load(tmp_path / "out" / "public" / "risk")
    assert list(model.features.names) == ["born", "ward"]


@pytest.mark.parametrize("name", ["charge", "replace_inside"])
def test_a_killed_training_gives_the_model_it_would_have_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    policy = project(tmp_path, TRAIN)
    plan = make_plan(policy)
    with monkeypatch.context() as patch:
        dying(patch, Ledger if name == "charge" else running, name, 1, after=True)
        with pytest.raises(Killed):
            run(policy, plan)
    first = (
        ReleasedModel.load(tmp_path / "out" / "public" / "risk").fitted.weights
        if (tmp_path / "out" / "public" / "risk").exists()
        else None
    )
    assert list((tmp_path / "out").rglob("seed"))
    record = run(policy)
    assert spent(tmp_path) == [plan.steps[0].cost] == [record.steps[0].spent]
    model = ReleasedModel.load(tmp_path / "out" / "public" / "risk")
    assert model.receipt == record.steps[0].receipt
    if first is not None:
        assert all((first[part] == model.fitted.weights[part]).all() for part in first)
    assert not list((tmp_path / "out").rglob("seed"))


@pytest.mark.parametrize("by", ["the run itself", "a new plan"])
def test_an_answer_that_was_booked_and_not_kept_is_drawn_under_its_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    policy = project(tmp_path, RELEASE)
    with monkeypatch.context() as patch:
        dying(patch, Ledger, "charge", 1, after=True)
        with pytest.raises(Killed):
            run(policy)
    booked = spent(tmp_path)
    assert len(booked) == 1
    if by == "a new plan":
        plan = make_plan(policy)
        assert [(step.state, step.cost, step.before) for step in plan.steps] == [
            ("paid", {}, plan.steps[0].after)
        ]
        assert run(policy, plan).steps[0].spent == {}
    else:
        assert run(policy).steps[0].spent == booked[0]
    assert spent(tmp_path) == booked
    assert make_plan(policy).steps[0].state == "kept"
    with Ledger(tmp_path / "stays.ledger") as ledger:
        assert [one.code for one in ledger.incidents()] == ["drawn-again"]


def test_a_real_kill_leaves_nothing_half_written(tmp_path: Path) -> None:
    policy = project(tmp_path, ANONYMIZE + RELEASE)
    script = (
        "import os, signal, sys\n"
        "from privet.pipeline import _run as running\n"
        "real = running.content_digest\n"
        "def kill(path):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "running.content_digest = kill\n"
        "running.run(sys.argv[1])\n"
    )
    died = subprocess.run([sys.executable, "-c", script, str(policy)], check=False, env=os.environ)
    assert died.returncode == -signal.SIGKILL
    record = run(policy)
    assert [step.name for step in record.steps] == ["safe", "beds"]
    assert not list((tmp_path / "out").rglob("*.partial"))
    assert sorted(str(file.relative_to(tmp_path / "out")) for file in (tmp_path / "out").glob("*/*")) == [
        "owner/.privet", "owner/journal.jsonl", "owner/run.json", "public/beds.json", "public/safe.parquet",
    ]  # fmt: skip


def test_a_line_that_was_cut_short_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = project(tmp_path, RELEASE)
    with monkeypatch.context() as patch:
        dying(patch, RunJournal, "anchor", 1)
        with pytest.raises(Killed):
            run(policy)
    journal = tmp_path / "out" / "owner" / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-40])  # the end of the run
    assert [step.spent for step in run(policy).steps] == [{"epsilon": "0.5", "delta": "0"}]
    assert len(spent(tmp_path)) == 1
    assert all(json.loads(line) for line in journal.read_text().splitlines()[-1:])


def test_held_out_people_are_the_control(tmp_path: Path) -> None:
    record = run(project(tmp_path, ANONYMIZE.replace("columns", "holdout: 0.3, columns")))
    step = record.step("safe")
    assert "inference" in {risk.attack for risk in step.risks}
    assert all(risk.control is not None for risk in step.risks if risk.attack == "inference")
    assert "WHERE NOT" in step.query


def test_what_an_outsider_holds_is_linked_before_and_after(tmp_path: Path) -> None:
    held = "auxiliary: voters.csv, truth: truth.csv"
    head = HEAD.replace("columns: [zip, sex, ward, diagnosis]", "columns: [born, zip, sex, diagnosis]")
    head = head.replace("outputs: [table, report]", "outputs: [audit, table, report]")
    steps = (
        f"  - {{do: audit, purpose: research, name: before, {held}}}\n"
        + ANONYMIZE.replace("zip, sex, diagnosis", "born, zip, sex, diagnosis").replace("0.1", "0.3")
        + f"  - {{do: attack, purpose: research, name: linked, of: safe, {held}, attacks: [linkage-exact]}}\n"
    )
    policy = project(tmp_path, steps, head=head)
    examples.write(tmp_path / "voters.csv", examples.voter_roll(patients()))
    examples.write(tmp_path / "truth.csv", examples.linkage_truth(patients()))
    record = run(policy)
    exact = record.step("before").facts["linkage"]["attempts"][0]
    assert exact["score"]["right"] > 0.9 * exact["score"]["findable"]
    (risk,) = record.step("linked").risks
    assert risk.details["claims"] == 0
    assert risk.success.value <= 1 / 3


def test_two_runs_do_not_meet_in_one_folder(tmp_path: Path) -> None:
    from privet.errors import BadUsage
    from privet.pipeline._run_journal import alone

    policy = project(tmp_path, RELEASE)
    with alone(tmp_path / "out"), pytest.raises(BadUsage, match="another run"):
        run(policy)


def test_a_pac_step_is_planned_booked_attacked_and_reported(tmp_path: Path) -> None:
    """What is planned is booked, in nats alone; the promise and what attacks reached stand in the report."""
    step = "  - {do: pac, purpose: planning, name: typical, nats: 1/16, mean: [days], worlds: 16, to: typical.json}\n"
    head = HEAD.replace("  ledger: stays.ledger\n", "  ledger: stays.ledger\n  nats: 1\n")
    policy = project(tmp_path, step, head=head)
    (planned,) = make_plan(policy).to_json()["steps"]
    record = run(policy).to_json()
    (done,) = record["steps"]
    assert planned["cost"] == done["planned"] == done["spent"] == {"nats": "0.0625"}
    assert planned["after"] == done["receipt"]["remaining"] == {"nats": "0.9375"}
    save_report(run_report(record, public=False), tmp_path / "out")
    page = (tmp_path / "out" / "owner" / "report.html").read_text(encoding="utf-8")
    assert "world-membership" in page
    assert "at most 0.0625 nats" in page
    shown = inside("ledger", "show", str(tmp_path / "stays.ledger"), "--json").json()["balances"]
    spent = {account["scope"]: account["spent"] for account in shown}
    assert spent["mutual information"] == {"nats": "0.0625"}
    assert spent["data set"] == {"epsilon": "0", "delta": "0"}
