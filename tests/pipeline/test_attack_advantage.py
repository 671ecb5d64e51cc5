"""Attacks on one scale: 0 is guessing, 1 is always right; the worst of several with an interval that holds at once."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pipeline.small_ward import rows

from privet.artifact._fitted_weights import ModelTarget
from privet.artifact._risk_estimate import Adversary, AttackCost, IntervalEstimate, RiskEstimate
from privet.errors import BadSweep
from privet.pipeline import _attack_advantage as advantages
from privet.pipeline import _sweep, _sweep_bench


def risk(
    measure: str, success: IntervalEstimate, baseline: float, control: IntervalEstimate | None = None
) -> RiskEstimate:
    return RiskEstimate("one", measure, success, baseline, Adversary("x", (), "y"), AttackCost(0), control)


def test_an_area_becomes_twice_its_excess_over_one_half() -> None:
    found = advantages.advantage(
        risk("AUC", IntervalEstimate(0.8, 0.7, 0.9), 0.5, IntervalEstimate(0.55, 0.4, 0.7))
    )
    assert (found.value, found.low, found.high) == pytest.approx((0.6, 0.4, 0.8))


def test_a_share_is_held_against_others_who_were_not_used() -> None:
    found = advantages.advantage(
        risk("share", IntervalEstimate(0.6, 0.5, 0.7), 0.1, IntervalEstimate(0.2, 0.1, 0.3))
    )
    assert found.value == pytest.approx((0.6 - 0.2) / 0.8)
    assert found.low == pytest.approx((0.5 - 0.3) / 0.7)  # the control may be as high as 0.3
    assert found.high == pytest.approx((0.7 - 0.1) / 0.9)
    alone = advantages.advantage(risk("share", IntervalEstimate(0.6, 0.5, 0.7), 0.2))
    assert alone.value == pytest.approx(0.5)


def test_worse_than_guessing_is_guessing_and_a_certain_control_leaves_nothing() -> None:
    assert advantages.advantage(risk("AUC", IntervalEstimate(0.4, 0.3, 0.45), 0.5)).value == pytest.approx(0)
    sure = IntervalEstimate(1.0, 0.9, 1.0)
    assert advantages.advantage(risk("share", sure, 0.0, sure)).value == pytest.approx(0)


PARTS = st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted)


@given(PARTS, PARTS, st.floats(0, 0.99))
def test_an_advantage_lies_in_its_interval_between_0_and_1(
    success: list[float], control: list[float], baseline: float
) -> None:
    low, value, high = success
    other = IntervalEstimate(control[1], control[0], control[2])
    for measure in ("AUC", "share"):
        found = advantages.advantage(risk(measure, IntervalEstimate(value, low, high), baseline, other))
        assert 0 <= found.low <= found.value <= found.high <= 1


@given(st.dictionaries(st.text("abc", min_size=1), PARTS, min_size=1))
def test_the_worst_is_the_largest_and_its_interval_encloses_every_other_worst(
    parts: dict[str, list[float]],
) -> None:
    all_ = {name: IntervalEstimate(part[1], part[0], part[2]) for name, part in parts.items()}
    name, found = advantages.worst(all_)
    assert (
        found.value == max(one.value for one in all_.values()) == all_[name].value
    )  # exact: one of the figures, chosen
    assert found.low == max(one.low for one in all_.values())  # exact: one of the figures, chosen
    assert found.high == max(one.high for one in all_.values())  # exact: one of the figures, chosen


def test_what_could_be_anything_is_left_out_by_name_and_a_lucky_guess_is_not_the_worst() -> None:
    told, lucky = IntervalEstimate(0.2, 0.1, 0.3), IntervalEstimate(1.0, 0.0, 1.0)
    found = advantages.judged({"told": told, "lucky": lucky}, ("other: needs more.",))
    assert (found.attack, found.risk, list(found.attacks)) == ("told", told, ["told"])
    assert found.left_out == ("other: needs more.", "lucky: too few guesses to tell anything.")
    # An end that is not reached tells something.
    for one in (IntervalEstimate(1.0, 0.01, 1.0), IntervalEstimate(0.0, 0.0, 0.99)):
        assert advantages.judged({"one": one}).attack == "one"
    with pytest.raises(BadSweep, match="lucky: too few guesses"):
        advantages.judged({"lucky": lucky})


def test_tables_twins_and_models_are_judged_by_the_same_rule() -> None:
    """Nothing in the sweep takes the worst attack past the rule."""
    source = inspect.getsource(_sweep) + inspect.getsource(_sweep_bench)
    assert "advantages.worst(" not in source
    assert source.count("advantages.judged(") == len(("table", "no protection", "model", "twin", "pac"))


def test_intervals_that_hold_at_once_share_their_error() -> None:
    assert advantages.at_once(0.95, 4) == pytest.approx(0.9875)
    assert advantages.at_once(0.95, 1) == pytest.approx(0.95)


def test_averages_do_not_shrink_intervals() -> None:
    found = advantages.averaged([IntervalEstimate(0.1, 0.0, 0.2), IntervalEstimate(0.3, 0.2, 0.4)])
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.1, 0.3))


def test_a_copy_of_the_table_is_found_out_and_a_model_of_a_number_can_be_attacked() -> None:
    members, control = rows(120, 1).drop(["person"]), rows(120, 2).drop(["person"])
    found, untried = advantages.attacked_table(
        members, members, control, quasi=["age", "area", "dose", "illness"], confidence=0.95
    )
    assert found["exact-match"].value > 0.5
    assert set(found) | {one.partition(":")[0] for one in untried} == set(advantages.ON_TABLES)

    class Memory:
        target = ModelTarget("age", (), 18, 90)

        def predict(self, data: object) -> np.ndarray:
            ages = np.asarray(data.column("age"), float)  # type: ignore[attr-defined]
            return ages if data is members else ages + 5

    by_residual = advantages.attacked_model(Memory(), members, control, confidence=0.95)
    assert by_residual["membership-residual"].value == pytest.approx(1)
