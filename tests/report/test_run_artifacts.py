"""Promise beside evidence: whose is what, and risks in the same measure."""

import copy

import pytest
from tests.report.a_run import record

from privet.report._run_artifacts import amounts, artifacts, audited, before_and_after


def test_amounts_in_one_line() -> None:
    assert amounts({"delta": "0.000001", "epsilon": "0.5"}) == "epsilon 0.5, delta 1e-06"
    assert amounts({}) == ""


def test_everything_that_was_made_has_its_promise_and_what_it_does_not_protect() -> None:
    run = record()
    found = artifacts(run)
    assert [one["step"] for one in found] == [step["name"] for step in run["steps"]]
    for one, step in zip(found, run["steps"], strict=True):
        assert (one["sentence"] is None) == (step["made"]["promise"] is None)
        assert one["not_protected"]
        assert len(one["evidence"]) == len(step["risks"])


def test_what_a_step_of_attacks_found_stands_with_what_it_attacked() -> None:
    run = copy.deepcopy(record())
    first, second = run["steps"][1], run["steps"][3]
    second["kind"], second["options"] = "attack", {"of": first["name"]}
    found = {one["step"]: one for one in artifacts(run)}
    assert second["name"] not in found
    assert len(found[first["name"]]["evidence"]) == len(first["risks"]) + len(second["risks"])


def step(before: dict, after: dict, risks: tuple = ()) -> dict:
    return {"name": "safe", "facts": {"before": before, "after": after}, "risks": list(risks)}


def test_risks_before_and_after_by_hand() -> None:
    before = {
        "rows": 10,
        "highest_risk": 1.0,
        "mean_risk": 0.5,
        "unique_rows": 4,
        "rows_above": {"0.2": 0.9, "0.5": 0.4},
    }
    after = {
        "rows": 8,
        "highest_risk": 0.25,
        "mean_risk": 0.2,
        "unique_rows": 0,
        "rows_above": {"0.2": 0.5, "0.5": 0.0},
    }
    found = before_and_after(step(before, after, ({"attack": "linkage-weakest", "bound": 0.2},)))
    assert [(one["before"], one["after"], one["allowed"]) for one in found] == [  # exact: figures as given
        (1.0, 0.25, 0.2), (0.5, 0.2, None), (0.4, 0.0, None), (0.9, 0.5, None)
    ]  # fmt: skip


def test_what_only_one_side_states_is_left_out() -> None:
    found = before_and_after(
        step({"rows": 10, "mean_risk": 0.5}, {"rows": 8, "highest_risk": 0.2, "rows_above": {}})
    )
    assert found == []
    assert before_and_after({"name": "x", "facts": {}, "risks": []}) == []


def test_an_audit_has_figures_and_no_after() -> None:
    facts = {"risk": {"prosecutor": {"mean": 0.5, "highest": 1.0}}, "sample_uniques": 30, "people": 120}
    found = audited({"name": "look", "kind": "audit", "facts": facts})
    assert [one["value"] for one in found] == pytest.approx([0.25, 0.5, 1.0])
    assert audited({"name": "look", "kind": "release", "facts": facts}) == []
