"""The demonstration's policy: it can be read, holds a year, and its sums fit its budget."""

import datetime

import yaml

from privet.app._demo_policy import KEPT_APART, MAX_ROWS, MAX_WARDS, K, policy_text
from privet.pipeline import SCHEMA_NAME

TODAY = datetime.date(2024, 2, 29)
POLICY = yaml.safe_load(policy_text(2000, TODAY))


def test_purposes_end_in_a_year_and_are_looked_at_half_way() -> None:
    for purpose in POLICY["purposes"].values():
        assert purpose["expires"] == datetime.date(2025, 2, 28)
        assert purpose["review"] == datetime.date(2024, 8, 29)


def test_what_is_said_elsewhere_is_what_it_does() -> None:
    steps = {one["name"]: one for one in POLICY["steps"]}
    assert steps["safe"]["k"] == K
    assert steps["safe"]["holdout"] == steps["returns"]["holdout"] == KEPT_APART
    assert steps["returns"]["records"] == 2000
    assert POLICY["dataset"]["unit"] == {
        "column": "patient_id",
        "max_rows": MAX_ROWS,
        "max_groups": MAX_WARDS,
    }
    assert policy_text(1, TODAY).startswith(f"# yaml-language-server: $schema=./{SCHEMA_NAME}\n")


def test_steps_fit_the_budgets_of_their_purposes_and_those_the_whole() -> None:
    for step in POLICY["steps"]:
        if "epsilon" in step:
            assert step["epsilon"] <= POLICY["purposes"][step["purpose"]]["budget"]["epsilon"]
    caps = [one["budget"]["epsilon"] for one in POLICY["purposes"].values() if "budget" in one]
    assert sum(caps) <= POLICY["dataset"]["budget"]["epsilon"]


def test_purposes_name_columns_that_are_declared_and_special_ones_have_a_basis() -> None:
    columns = POLICY["columns"]
    for purpose in POLICY["purposes"].values():
        assert set(purpose["columns"]) <= set(columns)
        special = [name for name in purpose["columns"] if columns[name].get("special")]
        assert bool(special) == ("special_basis" in purpose)
