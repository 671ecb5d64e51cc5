"""Plans: what will be read and spent, bound to what they were made for; planned is booked, to the last digit."""

from pathlib import Path

import pytest
from tests.pipeline.hospital import ANONYMIZE, HEAD, LATER, RELEASE, TRAIN, project

from privet.errors import BudgetExceeded, LedgerMismatch, StalePlan, UnknownRecord
from privet.ledger import Ledger
from privet.pipeline._run import run
from privet.pipeline._run_plan import KEPT, NEW, STORED, RunPlan
from privet.pipeline._run_planner import make_plan


def test_a_plan_says_what_is_read_and_touches_nothing(tmp_path: Path) -> None:
    plan = make_plan(project(tmp_path, RELEASE + ANONYMIZE))
    beds, safe = plan.steps
    assert beds.read == ["patient_id", "ward"]
    assert set(beds.dropped) == {
        "name", "ssn", "email", "phone", "born", "zip", "sex", "diagnosis", "admitted", "days", "cost", "note",
        "readmitted",
    }  # fmt: skip
    assert beds.query == 'SELECT "t0"."patient_id", "t0"."ward" FROM "stays" AS "t0"'
    assert beds.cost == {"epsilon": "0.5", "delta": "0"}
    assert (beds.before["epsilon"], beds.after["epsilon"]) == ("5", "4.5")
    assert (beds.purpose_before["epsilon"], beds.purpose_after["epsilon"]) == ("4", "3.5")
    assert beds.errors
    assert beds.errors[0].startswith("n: ±")
    assert safe.cost == {}
    assert "name" in safe.dropped
    assert '"name"' not in safe.query
    assert sorted(file.name for file in tmp_path.iterdir()) == ["privet.yaml", "stays.csv"]


DAYS = "  - {do: release, purpose: planning, name: days, epsilon: 0.3, sql: 'SELECT ward, AVG(days) AS d FROM stays GROUP BY ward'}\n"
UNKNOWN = "  - {do: release, purpose: planning, name: keys, epsilon: 0.7, delta: 3e-7, sql: 'SELECT days, COUNT(*) AS n FROM stays GROUP BY days'}\n"
BATCH = (
    "  - {do: release, purpose: planning, name: several, epsilon: 0.123456789, "
    "sql: ['SELECT COUNT(*) AS n FROM stays', 'SELECT sex, SUM(days) AS d FROM stays GROUP BY sex', "
    "'SELECT ward, COUNT(*) AS n FROM stays GROUP BY ward']}\n"
)
STEPS = {
    "anonymize": ANONYMIZE,
    "release": RELEASE,
    "where": LATER,
    "mean": DAYS,
    "unknown keys": UNKNOWN,
    "batch": BATCH,
    "train": TRAIN,
    "audit": "  - {do: audit, purpose: planning, name: look}\n",
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_planned_spend_is_booked_spend(tmp_path: Path, step: str) -> None:
    policy = project(tmp_path, step)
    plan = make_plan(policy)
    record = run(policy, RunPlan.load(plan.save(tmp_path / "plan.json")))
    with Ledger(tmp_path / "stays.ledger") as ledger:
        booked = [entry.body["cost"] for entry in ledger.history() if entry.kind in ("spend", "promise")]
        left = ledger.balance()
    assert booked == [plan.steps[0].cost] * len(booked)
    assert [plan.steps[0].cost] == [record.steps[0].spent]
    assert len(booked) == (plan.steps[0].kind != "audit")
    assert {coin: float(value) for coin, value in plan.steps[0].after.items()} == {
        coin: float(value) for coin, value in left.remaining.items()
    }


@pytest.mark.parametrize("model", ["linear", "objective", "ebm"])
def test_every_learner_books_what_was_planned(tmp_path: Path, model: str) -> None:
    if model == "ebm":
        pytest.importorskip("interpret", reason="the extra for additive models is not installed")
    rows = HEAD.replace("{column: patient_id, max_rows: 6, max_groups: 2}", "{column: row}")
    policy = project(tmp_path, TRAIN.replace("records", f"model: {model}, holdout: 0.2, records"), head=rows)
    plan = make_plan(policy)
    record = run(policy, plan)
    with Ledger(tmp_path / "stays.ledger") as ledger:
        booked = [entry.body["cost"] for entry in ledger.history() if entry.kind == "spend"]
    assert booked == [plan.steps[0].cost] == [record.steps[0].spent]
    assert any(name.startswith("membership-") for name in (risk.attack for risk in record.steps[0].risks))


def test_what_is_done_or_kept_costs_nothing_again(tmp_path: Path) -> None:
    policy = project(tmp_path, RELEASE)
    run(policy)
    (again,) = make_plan(policy).steps
    assert (again.state, again.cost) == (KEPT, {})
    (tmp_path / "out" / "public" / "beds.json").unlink()
    (again,) = make_plan(policy).steps
    assert (again.state, again.cost) == (STORED, {})
    record = run(policy)
    assert record.steps[0].spent == {}
    assert (tmp_path / "out" / "public" / "beds.json").exists()
    with Ledger(tmp_path / "stays.ledger") as ledger:
        assert ledger.balance().spends == 1


def test_steps_share_the_budget_in_order(tmp_path: Path) -> None:
    first, second = make_plan(project(tmp_path, RELEASE + LATER)).steps
    assert (first.after, first.purpose_after) == (second.before, second.purpose_before)
    assert second.after["epsilon"] == "4.25"


def test_what_the_budget_does_not_cover_is_refused_before_anything_is_spent(tmp_path: Path) -> None:
    policy = project(tmp_path, RELEASE + LATER.replace("0.25", "3.6"))
    for attempt in (make_plan, run):
        with pytest.raises(BudgetExceeded, match="purpose planning"):
            attempt(policy)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["privet.yaml", "stays.csv"]


@pytest.mark.parametrize("change", ["policy", "data", "ledger"])
def test_a_stale_plan_is_refused(tmp_path: Path, change: str) -> None:
    policy = project(tmp_path, RELEASE)
    plan = make_plan(policy)
    if change == "policy":
        policy.write_text(policy.read_text().replace("bed planning", "bed plans"))
    elif change == "data":
        (tmp_path / "stays.csv").write_bytes((tmp_path / "stays.csv").read_bytes())
    else:
        from privet.guarantee._promise_registry import ApproxDP

        Ledger(tmp_path / "stays.ledger", limit=ApproxDP(5, "1e-5")).close()
    with pytest.raises(StalePlan, match=change):
        run(policy, plan)
    assert not (tmp_path / "out").exists()


def test_a_plan_is_stale_once_it_was_run_and_others_have_spent(tmp_path: Path) -> None:
    policy = project(tmp_path, RELEASE)
    plan = make_plan(policy)
    run(policy, plan)
    with pytest.raises(StalePlan, match="ledger"):
        run(policy, plan)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 1, "artifact": "run-plan"}'])
def test_what_is_no_plan_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "plan.json").write_text(text)
    with pytest.raises(UnknownRecord):
        RunPlan.load(tmp_path / "plan.json")


def test_a_purpose_that_changes_makes_new_work(tmp_path: Path) -> None:
    policy = project(tmp_path, ANONYMIZE)
    run(policy)
    project(tmp_path, ANONYMIZE.replace("k: 3", "k: 4"), head=HEAD)
    assert make_plan(policy).steps[0].state == NEW


@pytest.mark.parametrize(("old", "new"), [("epsilon: 4", "epsilon: 3"), ("2090-06-30", "2091-06-30")])
def test_terms_that_differ_from_the_ledgers_are_seen_by_the_plan(tmp_path: Path, old: str, new: str) -> None:
    policy = project(tmp_path, RELEASE)
    run(policy)
    project(tmp_path, RELEASE + LATER, head=HEAD.replace(old, new, 1))
    for attempt in (make_plan, run):
        with pytest.raises(LedgerMismatch, match="of other terms"):
            attempt(policy)
