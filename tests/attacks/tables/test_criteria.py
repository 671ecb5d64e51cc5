"""The three criteria: copies are caught, independent rows are not, and no figure comes out of nothing."""

import json

import numpy as np
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
from privet.attacks.tables._wp29_scores import excess
from privet.errors import BadAttack, NoPower
from privet.guarantee._promise_registry import PureDP

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


def test_closest_rows_tell_a_copy_from_fresh_rows(tables) -> None:
    members, control = tables
    case = Case(members=members, control=control, settings=FAST)
    copied, fresh = distance_to_closest(members, case), distance_to_closest(world(1200, 3), case)
    assert copied.success.low > 0.95
    assert fresh.success.low < 0.5 < fresh.success.high
    assert any("no evidence of privacy" in note for note in copied.notes)


@pytest.mark.parametrize("how", ["neighbours", "classifier"])
def test_density_tells_members_of_a_copy(tables, how) -> None:
    members, control = tables
    case = Case(members=members, control=control, promise=PureDP(1), settings={"density": how})
    copied = density(members, case)
    assert copied.success.low > (0.9 if how == "neighbours" else 0.55)
    if how == "neighbours":
        assert copied.verdict.value == "contradicts the promise"
    fresh = density(
        world(1200, 3), Case(members=members, control=control, confidence=0.999, settings={"density": how})
    )
    assert fresh.success.low < 0.5 < fresh.success.high


def test_a_reference_of_its_own_leaves_the_control_whole(tables) -> None:
    members, control = tables
    found = density(members, Case(members=members, control=control, auxiliary=world(1200, 4)))
    assert found.success.low > 0.95
    assert not found.notes


def test_nothing_to_ask_is_no_safety() -> None:
    same = pa.table({"a": ["x"] * 50, "b": ["y"] * 50})
    with pytest.raises(NoPower):
        univariate(same, Case(members=same, control=same))
    with pytest.raises(NoPower):
        inference(same, Case(members=same, control=same, settings={"secret": "a"}))


def test_too_few_statements_are_said(tables) -> None:
    members, control = tables
    found = univariate(
        members, Case(members=members, control=control, settings={"guesses": 10**6, "repeats": 1})
    )
    assert found.details["guesses"] < found.details["guesses_wanted"] == 10**6
    assert any("could be made" in note for note in found.notes)


def test_one_telling_column_does_not_crowd_out_the_others() -> None:
    draw = np.random.default_rng(5)

    def with_numbers(seed: int) -> pa.Table:
        names = pa.array([f"id{int(x)}" for x in draw.integers(0, 10**9, 800)])
        return world(800, seed).append_column("account", names)

    case = Case(members=with_numbers(1), control=with_numbers(2), settings=FAST)
    found = multivariate(with_numbers(3), case)
    assert found.details["columns"] == 8
    assert found.details["risk"]["low"] <= 0 <= found.details["risk"]["high"]


def test_ambiguous_halves_do_not_hide_a_copy() -> None:
    draw = np.random.default_rng(6)
    make = lambda: pa.table({f"k{j}": draw.choice(list("abc"), 900) for j in range(8)})  # noqa: E731
    members, control = make(), make()
    found = linkability(
        members, Case(members=members, control=control, settings={"guesses": 900, "repeats": 1})
    )
    assert found.success.value == pytest.approx(1.0)
    assert found.details["risk"]["low"] > 0


def test_inference_of_one_column_by_some() -> None:
    draw = np.random.default_rng(7)
    known = draw.integers(0, 10**6, 600)
    members = pa.table(
        {"who": known, "noise": draw.integers(0, 5, 600), "ill": draw.choice(["yes", "no"], 600)}
    )
    control = pa.table(
        {
            "who": draw.integers(0, 10**6, 600),
            "noise": draw.integers(0, 5, 600),
            "ill": draw.choice(["yes", "no"], 600),
        }
    )
    found = inference(
        members,
        Case(members=members, control=control, settings={"secret": "ill", "known": ["who"], "guesses": 600}),
    )
    assert found.details["risk"]["low"] > 0.9
    assert found.details["secret"] == "ill"


def test_excess_over_control() -> None:
    found = excess(0.75, 0.5, 1000, 0.95)
    assert found.value == pytest.approx(0.5)
    assert 0.43 < found.low < 0.5 < found.high < 0.56
    assert excess(1.0, 0.25, 1000, 0.95).value == pytest.approx(1.0)
    assert excess(0.25, 0.5, 400, 0.95).value == pytest.approx(-0.5)
    with pytest.raises(NoPower):
        excess(1.0, 1.0, 10, 0.95)


def test_the_excess_interval_covers() -> None:
    """2,000 draws at 90 %: at least 88.5 % cover (a true 90 % falls below with a chance of 1e-2; the draws are fixed)."""
    draw = np.random.default_rng(8)
    a, b, n = 0.4, 0.3, 300
    truth = 1 - (1 - a) / (1 - b)
    hits = sum(
        (one := excess(draw.binomial(n, a) / n, draw.binomial(n, b) / n, n, 0.9)).low <= truth <= one.high
        for _ in range(2000)
    )
    assert hits > 1770


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


def test_pandas_and_paths_are_tables_too(tables, tmp_path) -> None:
    import pyarrow.parquet as pq

    members, control = tables
    pq.write_table(members, tmp_path / "synthetic.parquet")
    found = exact_match(
        str(tmp_path / "synthetic.parquet"), Case(members=members.to_pandas(), control=control)
    )
    assert found.success.value == pytest.approx(1.0)


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
