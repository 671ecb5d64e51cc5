"""Poisoning: the gains of the literature's formulas (Cao, Jia and Gong 2021, table 1), and the estimate really moves so."""

import math

import numpy as np
import pytest
from tests.attacks.local.clients import TWELVE, asking

import privet as pv
from privet.artifact import Verdict
from privet.errors import BadAttack

ASKED = {"attacks": ["poisoning"], "values": TWELVE[:3], "confidence": 1 - 1e-6}
SHARE, TRUE = 0.01, 3 / 12


@pytest.mark.parametrize(
    ("kind", "gain"),
    [
        ("grr", SHARE * (1 - TRUE) + SHARE * (12 - 3) / (math.e - 1)),
        ("oue", SHARE * (2 * 3 - TRUE) + 2 * SHARE * 3 / (math.e - 1)),
    ],
)
def test_the_gain_is_that_of_the_formula(kind: str, gain: float) -> None:
    found = pv.attack(asking(kind, 1), **ASKED)[0]
    assert found.details["most by the oracle"] == pytest.approx(gain, rel=0.01)
    assert found.success.value == pytest.approx(gain, rel=0.03)
    assert found.baseline < found.success.low
    assert found.verdict is Verdict.NOT_PROMISED


def test_the_estimate_moves_as_the_attack_says() -> None:
    """By reports that are really sent: the estimate of a promoted value, with forged reports and without."""
    import pyarrow as pa

    made, honest, fakes = asking("oue", 1), 9_900, 100
    table = made.randomize(np.array(TWELVE)[np.arange(honest) % 12].tolist(), seed=4)
    forged = table.slice(0, fakes).set_column(
        1, "ones", pa.array([[0, 1, 2]] * fakes, table.schema.field("ones").type)
    )
    moved = [
        sum(pv.estimate(given, made).answers[0].values[:3]) / len(given)
        for given in (table, pa.concat_tables([table, forged]))
    ]
    found = pv.attack(made, draws=honest + fakes, **ASKED)[0]
    assert moved[1] - moved[0] == pytest.approx(found.success.value, rel=0.05)


@pytest.mark.parametrize(("kind", "epsilon"), [("hadamard", 1), ("hadamard", 3), ("dbitflip", 1)])
def test_oracles_whose_reports_add_by_sign_move_as_the_attack_says(kind: str, epsilon: float) -> None:
    """Reports that are really sent: the first entry of a promoted value's block, or all bits of promoted values."""
    import pyarrow as pa

    made, honest, fakes = asking(kind, epsilon), 9_900, 100
    oracle = made.protocol.oracle
    table = made.randomize(np.array(TWELVE)[np.arange(honest) % 12].tolist(), seed=4)
    column = table.schema.field(1)
    if kind == "hadamard":
        blocks = np.bincount(np.arange(3) % oracle.blocks, minlength=oracle.blocks)
        one = int(blocks.argmax()) * oracle.width
    else:
        one = [2 * place + 1 for place in range(oracle.chosen)]
    forged = table.slice(0, fakes).set_column(1, column, pa.array([one] * fakes, column.type))
    moved = [
        sum(pv.estimate(given, made).answers[0].values[:3]) / len(given)
        for given in (table, pa.concat_tables([table, forged]))
    ]
    found = pv.attack(made, draws=honest + fakes, **ASKED)[0]
    assert moved[1] - moved[0] == pytest.approx(found.success.value, rel=0.05)
    assert found.success.value == pytest.approx(found.details["most by the oracle"], rel=0.05)


def test_filters_are_refused_with_the_reason() -> None:
    with pytest.raises(BadAttack, match="a regression over all filters"):
        pv.attack(asking("rappor"), **ASKED)


def test_bad_settings_are_refused() -> None:
    for wrong in ({"share": 1.0}, {"share": 0}, {"values": ["?"]}, {"values": ["v0", "v0"]}):
        with pytest.raises(BadAttack):
            pv.attack(asking("grr"), **{**ASKED, **wrong})
