"""What classes of look-alikes give away, what two releases do together, and what the search itself says."""

import pyarrow as pa
import pytest
from tests.attacks.tables.classes import ORIGINAL, PUBLISHED, TREE, case

import privet as pv
from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.tables._downcoding import downcoding
from privet.attacks.tables._homogeneity import background, homogeneity, skewness
from privet.attacks.tables._minimality_attack import minimality
from privet.errors import BadAttack, NoPower
from privet.guarantee._promise_registry import AlphaK, KAnonymity, LDiversity, TCloseness


def test_a_class_of_one_value_is_found() -> None:
    found = homogeneity(PUBLISHED, case(promise=KAnonymity(3)))
    assert found.success.value == pytest.approx(0.5)
    assert found.baseline == 0
    assert found.verdict is Verdict.NOT_PROMISED  # k-anonymity says nothing about values
    broken = homogeneity(PUBLISHED, case(promise=KAnonymity(3) & LDiversity("ill", 2)))
    assert broken.verdict is Verdict.CONTRADICTS


def test_diversity_leaves_no_class_of_one_value() -> None:
    mixed = ORIGINAL.set_column(1, "ill", pa.array(["flu", "gout", "mumps", "flu", "gout", "flu"]))
    published = mixed.set_column(0, "age", PUBLISHED["age"])
    promise = KAnonymity(3) & LDiversity("ill", 2)
    found = homogeneity(published, case(members=mixed, promise=promise))
    assert found.success.value == pytest.approx(0)
    assert found.verdict is Verdict.WITHIN
    # With two values in a class, ruling out one leaves the other: l = 2 does not cover that.
    known = background(published, case(members=mixed, promise=promise))
    assert known.success.value == pytest.approx(0.5)
    assert known.bound is None
    assert background(published, case(members=mixed, promise=LDiversity("ill", 3))).bound == pytest.approx(0)


def test_skewness_is_the_gain_in_belief() -> None:
    found = skewness(PUBLISHED, case(promise=TCloseness("ill", 0.2)))
    assert found.success.value == pytest.approx(1 - 4 / 6)
    assert found.bound == pytest.approx(0.2)
    assert found.verdict is Verdict.CONTRADICTS
    assert skewness(PUBLISHED, case(promise=TCloseness("ill", 0.5))).verdict is Verdict.WITHIN
    assert skewness(PUBLISHED, case(promise=AlphaK("ill", 0.5, 3))).bound == pytest.approx(0.5 - 1 / 6)
    assert found.details["guessed_right"] == pytest.approx(4 / 6)


def test_an_anonymized_table_keeps_its_promise() -> None:
    import numpy as np

    draw = np.random.default_rng(3)
    rows = pa.table(
        {
            "age": draw.integers(20, 70, 400),
            "zip": [f"0{z}" for z in draw.integers(2100, 2150, 400)],
            "ill": draw.choice(["flu", "gout", "mumps", "ague"], 400),
        }
    )
    table = pv.open_table(rows, roles={"age": "quasi", "zip": "quasi", "ill": "sensitive"})
    safe = pv.anonymize(table, KAnonymity(4) & LDiversity("ill", 3), max_suppressed=0.05)
    for attack in (homogeneity, background):
        found = attack(safe, Case(members=table))
        assert [found.success.value, found.bound] == pytest.approx([0, 0])
        assert found.verdict is Verdict.WITHIN
    assert skewness(safe, Case(members=table)).success.value > 0


def test_what_is_missing_is_said() -> None:
    with pytest.raises(BadAttack, match="which columns are quasi"):
        homogeneity(PUBLISHED, Case(members=ORIGINAL))
    with pytest.raises(BadAttack, match="what diversity"):
        minimality(PUBLISHED, case(settings={"hierarchies": {"age": TREE}}))
    with pytest.raises(BadAttack, match="what k is"):
        downcoding(PUBLISHED, case(settings={"hierarchies": {"age": TREE}}))
    with pytest.raises(NoPower):
        homogeneity(PUBLISHED, case(members=pa.table({"age": [70], "ill": ["flu"]})))


def test_of_several_sensitive_columns_the_one_given_away_most_is_reported() -> None:
    published = pa.table(
        {
            "age": ["[20, 30)"] * 4 + ["[30, 40)"] * 4,
            "ill": ["flu", "flu", "cold", "cold"] * 2,
            "paid": [1] * 4 + [2] * 4,
        }
    )
    original = published.set_column(0, "age", pa.array([21, 22, 23, 24, 31, 32, 33, 34]))
    wanted = Case(members=original, settings={"quasi": ["age"], "sensitive": ["ill", "paid"]})
    found = homogeneity(published, wanted)
    assert found.success.value == pytest.approx(1)
    assert "'paid' is given away most" in found.notes[-1]
    assert skewness(published, wanted).success.value == pytest.approx(0.5)
    assert homogeneity(
        published, Case(members=original, settings={"quasi": ["age"], "sensitive": "ill"})
    ).success.value == pytest.approx(0)
