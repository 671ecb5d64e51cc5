"""Correlation: the others' reports help, and one report about several questions still keeps to its epsilon."""

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.artifact import Verdict
from privet.errors import BadAttack
from privet.guarantee import most_guessed

NAMES, VALUES = ("a", "b", "c", "d"), ["x", "y"]
QUESTIONS = {name: pv.OneOf(VALUES) for name in NAMES}
ASKED = {"attacks": ["attribute-correlation"], "attribute": "a", "confidence": 1 - 1e-6}


def people(alike: float) -> pa.Table:
    draw = np.random.default_rng(3)
    first = draw.integers(0, 2, 2_000)
    columns = {name: np.where(draw.random(2_000) < alike, first, 1 - first) for name in NAMES[1:]}
    return pa.table({name: pa.array(VALUES).take(codes) for name, codes in {"a": first, **columns}.items()})


def test_reports_to_several_collections_add_up() -> None:
    each = [pv.Collection(name, question, pv.LocalDP(1)) for name, question in QUESTIONS.items()]
    found = pv.attack(each, members=people(0.99), **ASKED)[0]
    assert found.details["epsilon together"] == 4
    assert found.success.low > found.details["by its own report alone"]
    assert found.success.low > np.e / (1 + np.e)  # beyond what one of the collections promises
    assert found.verdict is not Verdict.CONTRADICTS


def test_one_report_keeps_its_epsilon_however_answers_go_together() -> None:
    made = pv.Collection("all", pv.Several(QUESTIONS), pv.LocalDP(1))
    found = pv.attack(made, members=people(1.0), **ASKED)[0]
    assert found.bound == pytest.approx(most_guessed(1, found.baseline))
    assert found.success.low <= found.bound
    assert found.success.value > found.details["by its own report alone"] + 0.05


def test_answers_that_have_nothing_to_do_with_each_other_do_not_help() -> None:
    made = pv.Collection("all", pv.Several(QUESTIONS), pv.LocalDP(1))
    found = pv.attack(made, members=people(0.5), **ASKED)[0]
    assert found.success.value == pytest.approx(found.details["by its own report alone"], abs=0.06)


def test_what_does_not_fit_is_refused() -> None:
    made = pv.Collection("all", pv.Several(QUESTIONS), pv.LocalDP(1))
    rows = people(0.9)
    for thing, members, more in (
        (pv.Collection("a", QUESTIONS["a"], pv.LocalDP(1)), rows, {}),
        (made, rows, {"attribute": "e"}),
        (made, rows.drop_columns(["b"]), {}),
        (made, pa.table({**{name: rows[name] for name in NAMES}, "b": ["?"] * len(rows)}), {}),
    ):
        with pytest.raises(BadAttack):
            pv.attack(thing, members=members, **{**ASKED, **more})
