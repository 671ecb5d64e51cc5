"""A PAC release in a report: the best possible success to the digits of the literature, what is not promised, its own coin."""

import copy

import pytest
from tests.report.a_run import record

import privet as pv
from privet.report._pac_promise import NOT_PROTECTED, best_success, is_pac, without_nats
from privet.report._run_artifacts import artifacts
from privet.report._run_budgets import burns
from privet.report._run_facts import loss, private

PROMISE = pv.PacPrivacy("1/16")


def with_pac() -> dict:
    """A run whose last step released something in nats."""
    run = copy.deepcopy(record())
    step = next(one for one in run["steps"] if one["receipt"] and one["receipt"]["cost"])
    step["made"]["promise"], step["made"]["kind"] = PROMISE.to_json(), "answer"
    step["receipt"]["cost"] = step["spent"] = {"nats": "0.0625"}
    return {**run, "step": step}


def test_the_best_success_is_said_for_membership_and_for_attributes() -> None:
    said = best_success(PROMISE.to_json())
    for figure in ("67.5%", "41.2%", "22.1%", "6.2%"):
        assert figure in said
    assert "never add to an epsilon" in said
    assert is_pac(PROMISE.to_json())
    assert not is_pac(pv.PureDP(1).to_json())
    assert not is_pac(None)


def test_presence_and_the_worst_case_are_said_not_to_be_promised() -> None:
    assert "presence in the universe" in NOT_PROTECTED[0]
    assert "worst case" in NOT_PROTECTED[1]


def test_a_report_tells_it_beside_the_promise() -> None:
    run = with_pac()
    found = next(one for one in artifacts(run) if one["step"] == run["step"]["name"])
    assert found["in_words"] == best_success(PROMISE.to_json())
    assert found["not_protected"] == list(NOT_PROTECTED)
    assert found["change"] is None  # two data sets are differential privacy's
    assert found["cost_words"] == "nats 0.0625"


def test_nats_are_no_epsilon() -> None:
    run = with_pac()
    assert not private(run["step"])
    assert without_nats({"nats": "1", "epsilon": "2"}) == {"epsilon": "2"}
    run["ledger"]["balances"] = [{"scope": "data set", "caps": {"nats": "1"}, "spent": {"nats": "0.5"}}]
    assert loss(run)[0] is None


@pytest.mark.parametrize("scope", ["data set", "mutual information"])
def test_what_a_run_spent_in_nats_is_seen_in_their_account(scope) -> None:
    run = {
        "ledger": {
            "balances": [{"scope": scope, "caps": {"nats": "1"}, "spent": {"nats": "0.5"}, "expires": None}]
        },
        "steps": [{"name": "a", "purpose": "care", "spent": {"nats": "0.25"}}],
        "plan": {"steps": []},
    }
    (found,) = burns(run)
    assert (found.coin, float(found.before), float(found.this_run)) == (
        "nats",
        0.25,
        0.25,
    )  # exact: as stated
