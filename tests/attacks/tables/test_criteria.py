"""The three criteria: copies are caught, independent rows are not, and no figure comes out of nothing."""

import json

import pyarrow as pa
import pytest
from tests.attacks.tables.worlds import world

from privet.artifact._risk_estimate import RiskEstimate
from privet.attacks._attack_registry import Case, attacks
from privet.attacks.tables._closest_records import distance_to_closest, exact_match
from privet.attacks.tables._linkability import linkability
from privet.attacks.tables._membership_density import density
from privet.attacks.tables._nearest_inference import inference
from privet.attacks.tables._singling_out import multivariate, univariate
from privet.errors import BadAttack, NoPower

FAST = {"guesses": 400, "repeats": 3}
CRITERIA = (univariate, multivariate, linkability, inference, exact_match)


@pytest.fixture(scope="module")
def tables() -> tuple[pa.Table, pa.Table]:
    return world(1200, 1), world(1200, 2)


@pytest.mark.parametrize("attack", CRITERIA)
def test_a_copy_is_caught(tables, attack) -> None:
    members, control = tables
    found = attack(members, Case(members=members, control=control, settings=FAST))
    assert found.details["risk"]["low"] > 0.95
    assert found.beats_control
    assert found.beats_baseline
    assert found.cost.cpu_seconds > 0
    assert found.adversary.access


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("attack", CRITERIA)
def test_independent_rows_are_not_blamed(attack, seed) -> None:
    """Control is a third of the members, as in the setting where an unequal control gives 0.16 and more."""
    case = Case(
        members=world(1800, 100 + seed),
        control=world(600, 200 + seed),
        seed=seed,
        confidence=0.999,
        settings=FAST,
    )
    risk = attack(world(1800, 300 + seed), case).details["risk"]
    assert risk["low"] <= 0 <= risk["high"]
    assert abs(risk["value"]) < 0.1


def test_nothing_to_ask_is_no_safety() -> None:
    same = pa.table({"a": ["x"] * 50, "b": ["y"] * 50})
    with pytest.raises(NoPower):
        univariate(same, Case(members=same, control=same))
    with pytest.raises(NoPower):
        inference(same, Case(members=same, control=same, settings={"secret": "a"}))


def test_estimates_hold_no_values_and_come_back(tables) -> None:
    members, control = (
        table.set_column(4, "kind 0", pa.array(["secret-word"] * 600 + ["other"] * 600)) for table in tables
    )
    case = Case(members=members, control=control, settings={**FAST, "secret": "kind 0"})
    for attack in (*CRITERIA, distance_to_closest, density):
        record = attack(members, case).to_json()
        assert "secret-word" not in json.dumps(record)
        assert RiskEstimate.from_json(record).to_json() == record


def test_odd_input_is_refused_by_name(tables) -> None:
    members, control = tables
    with pytest.raises(BadAttack, match="no column 'nothing here'"):
        univariate(members, Case(members=members, control=control, settings={"columns": ["nothing here"]}))
    with pytest.raises(BadAttack, match="no rows"):
        univariate(members, Case(members=members.slice(0, 0), control=control))
    with pytest.raises(BadAttack, match="shares no column"):
        univariate(pa.table({"z": [1]}), Case(members=members, control=control))
    with pytest.raises(BadAttack, match="halves"):
        linkability(
            members, Case(members=members, control=control, settings={"halves": [["kind 0"], ["kind 0"]]})
        )


def test_all_attacks_on_tables_are_registered() -> None:
    names = {one.name for one in attacks("table")}
    assert names >= {
        "background-knowledge",
        "distance-to-closest",
        "downcoding",
        "exact-match",
        "homogeneity",
        "inference",
        "intersection",
        "linkability",
        "linkage-exact",
        "linkage-probable",
        "linkage-weakest",
        "membership-density",
        "minimality",
        "singling-out-multivariate",
        "singling-out-univariate",
        "skewness",
    }
