"""What checklists are told of a run."""

import copy

import pytest
from tests.report.a_run import record

from privet.report import _run_facts as facts


@pytest.fixture
def run() -> dict:
    return copy.deepcopy(record())


def test_columns_are_read_or_left_in_the_policy_s_order(run) -> None:
    assert facts.columns_read(run) == ["patient_id", "born", "zip", "ward", "diagnosis"]
    assert facts.columns_left(run) == ["note"]


def test_purposes_that_no_step_used_are_left_out(run) -> None:
    assert list(facts.purposes(run)) == ["care"]


def test_the_loss_is_that_of_the_whole_ledger(run) -> None:
    whole = next(one for one in run["ledger"]["balances"] if one["scope"] == "data set")
    assert facts.loss(run) == (
        pytest.approx(float(whole["spent"]["epsilon"])),
        pytest.approx(float(whole["spent"]["delta"])),
    )
    assert facts.loss({"ledger": None}) == (None, pytest.approx(0))


def test_rho_is_turned_into_epsilon_at_the_limit_s_delta() -> None:
    """Bun and Steinke 2016: at most rho + 2 sqrt(rho log(1 / delta))."""
    spent = {
        "ledger": {
            "balances": [{"scope": "data set", "spent": {"rho": "0.1"}}],
            "limit": {"delta": "0.00001"},
        }
    }
    epsilon, delta = facts.loss(spent)
    assert 0.5 < epsilon <= 0.1 + 2 * (0.1 * 11.512925465) ** 0.5
    assert delta == pytest.approx(1e-5)


def test_a_sweep_inside_the_run_is_a_look_at_the_rows(run) -> None:
    assert facts.sweep(run, {"standing": "public"}) == "public"
    assert facts.sweep(run, None) is None
    run["steps"][0]["kind"] = "tradeoff"
    assert facts.sweep(run, {"standing": "public"}) == "owner-only"


def test_special_categories_by_declaration_or_by_category(run) -> None:
    assert facts.special(run) == ["diagnosis"]
    run["policy"]["columns"]["diagnosis"]["special"] = False
    assert facts.special(run) == ["diagnosis"], "its category says so"
    run["policy"]["columns"]["ward"]["special"] = True
    assert facts.special(run) == ["ward", "diagnosis"]


def test_what_a_table_gives_away_is_a_share_of_its_records() -> None:
    after = {"rows": 200, "sensitive": {"ill": {"rows_of_one_value": 50}, "paid": {"rows_of_one_value": 0}}}
    run = {"steps": [{"name": "safe", "facts": {"after": after}}, {"name": "x", "facts": {}}]}
    assert facts.given_away(run) == ["safe: all who look alike share their ill in 25 % of records"]


def test_removed_columns_are_not_published(run) -> None:
    columns = [
        {"column": "zip", "done": "three digits"},
        {"column": "note", "done": "removed"},
        {"column": "ward", "done": "as it is"},
    ]
    assert facts.published(run, columns) == [
        {"column": "zip", "done": "three digits", "letter": "B"},
        {"column": "ward", "done": "as it is"},
    ]
