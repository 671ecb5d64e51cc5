"""The two reports of a run have one form."""

import json

import pytest
from tests.report.a_run import record

from privet.report._run_report import run_report


@pytest.mark.parametrize("public", [False, True])
def test_a_report_says_what_it_is_and_for_whom(public: bool) -> None:
    made = run_report(record(), public=public)
    assert (made["schema"], made["artifact"]) == (1, "run-report")
    assert made["audience"] == ("public" if public else "owner")
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def test_what_was_measured_is_in_the_owner_s_alone() -> None:
    owner, public = (run_report(record(), public=one) for one in (False, True))
    assert "as_it_stands" in owner
    assert "as_it_stands" not in public


def test_a_plan_to_come_moves_what_is_left() -> None:
    coming = {"steps": [{"name": "more", "purpose": "care", "cost": {"epsilon": "0.125"}}]}
    before, after = (run_report(record(), coming=one)["budgets"][0] for one in (None, coming))
    assert float(before["left"]) - float(after["left"]) == pytest.approx(0.125)
