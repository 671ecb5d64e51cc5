"""What classes of look-alikes give away, what two releases do together, and what the search itself says."""

import json

import pyarrow as pa
import pytest

import privet as pv
from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.tables._downcoding import downcoding
from privet.attacks.tables._homogeneity import background, homogeneity, skewness
from privet.attacks.tables._intersection_attack import intersection
from privet.attacks.tables._minimality_attack import minimality
from privet.errors import BadAttack, NoPower
from privet.guarantee._promise_registry import AlphaK, KAnonymity, LDiversity, TCloseness

ROLES = {"quasi": ["age"], "sensitive": "ill"}
ORIGINAL = pa.table({"age": [21, 22, 23, 31, 32, 33], "ill": ["flu", "flu", "flu", "flu", "gout", "mumps"]})
PUBLISHED = ORIGINAL.set_column(0, "age", pa.array(["[20, 30["] * 3 + ["[30, 40["] * 3))


def case(**more) -> Case:
    settings = {**ROLES, **more.pop("settings", {})}
    return Case(members=more.pop("members", ORIGINAL), settings=settings, **more)


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


def test_two_releases_isolate_people() -> None:
    """Both are 3-anonymous; each class of one meets each class of the other in one person."""
    ills = ["flu", "gout", "mumps", "ague", "rash", "burn", "cold", "cough", "fever"]
    people = pa.table(
        {"age": [20 + i for i in range(9)], "zip": [f"021{i % 3}{i}" for i in range(9)], "ill": ills}
    )
    first = pa.table({"age": ["[20, 23["] * 3 + ["[23, 26["] * 3 + ["[26, 29["] * 3, "ill": ills})
    order = sorted(range(9), key=lambda i: i % 3)
    second = pa.table({"zip": [f"021{i % 3}*" for i in order], "ill": [ills[i] for i in order]})
    given = Case(
        members=people,
        promise=KAnonymity(3),
        settings={"quasi": ["age"], "sensitive": "ill", "other": second, "other_quasi": ["zip"]},
    )
    found = intersection(first, given)
    assert found.baseline == 0
    assert found.success.value == pytest.approx(1.0)
    assert found.details["fewest_rows_in_one_release"] == 3
    assert found.details["fewest_rows_left"] == 1
    assert found.verdict is Verdict.NOT_PROMISED
    assert "flu" not in json.dumps(found.to_json())


def test_releases_of_different_people_are_refused() -> None:
    other = pa.table({"age": ["[80, 90["] * 3, "ill": ["flu"] * 3})
    with pytest.raises(NoPower):
        intersection(PUBLISHED, case(settings={"other": other}))


TREE = [("21", "young", "*"), ("22", "young", "*"), ("31", "old", "*"), ("32", "old", "*")]


def test_two_rows_of_a_minimal_cell_are_told_apart() -> None:
    """k = 2 and two rows under a cell of two halves: had they been in one half, it would have been published."""
    original = pa.table({"age": ["21", "31"]})
    published = pa.table({"age": ["*", "*"]})
    settings = {"quasi": ["age"], "hierarchies": {"age": TREE}, "k": 2}
    found = downcoding(published, Case(members=original, settings=settings))
    assert [found.success.value, found.details["certain"]] == pytest.approx([1, 1])
    assert found.baseline == pytest.approx(
        1.0
    )  # one each is the likeliest split anyway; certainty is what is gained
    four = Case(members=pa.table({"age": ["21", "22", "31", "21"]}), settings=settings)
    wide = downcoding(pa.table({"age": ["*"] * 4}), four)
    assert wide.details["certain"] == 0
    assert wide.success.value == pytest.approx(0.5)  # three and one, or one and three
    assert wide.baseline == 0  # two and two is likeliest before, and would have been published


def test_a_whole_table_judged_at_once_says_less() -> None:
    original = pa.table({"sex": ["f"] * 4 + ["m"] * 4 + ["x"] * 4, "age": ["21", "22", "31", "21"] * 3})
    published = original.set_column(1, "age", pa.array(["*"] * 12))
    settings = {"quasi": ["sex", "age"], "hierarchies": {"age": TREE}, "k": 2}
    local = downcoding(published, Case(members=original, settings=settings))
    together = downcoding(published, Case(members=original, settings={**settings, "recoding": "global"}))
    assert together.success.value < local.success.value


def test_minimality_breaks_diversity() -> None:
    """Wong et al. 2007: the two in the small group must both be ill, or nothing would have been joined."""
    original = pa.table(
        {"age": ["21", "21", "22", "22", "22", "22"], "ill": ["hiv", "hiv", "flu", "gout", "ague", "flu"]}
    )
    published = original.set_column(0, "age", pa.array(["young"] * 6))
    settings = {**ROLES, "sensitive": "ill", "hierarchies": {"age": TREE}}
    found = minimality(published, Case(members=original, promise=LDiversity("ill", 2), settings=settings))
    # Two of six values to the pair: alike are hiv-hiv and flu-flu, each one of fifteen; both are as likely.
    assert found.success.value > found.baseline
    assert found.details["largest_gain"] == pytest.approx(0.5 - 2 / 6)
    one_pair = original.set_column(1, "ill", pa.array(["hiv", "hiv", "flu", "gout", "ague", "mumps"]))
    sure = minimality(
        one_pair.set_column(0, "age", pa.array(["young"] * 6)),
        Case(members=one_pair, promise=LDiversity("ill", 2), settings=settings),
    )
    assert sure.details["certain"] == pytest.approx(2 / 6)
    assert sure.details["certain_without"] == 0
    assert "hiv" not in json.dumps(sure.to_json())


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
