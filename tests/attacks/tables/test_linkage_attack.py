"""Linkage: the bundled roll finds patients, a k-anonymous table keeps to 1 / k, and cells are read as they are written."""

import json

import pyarrow as pa
import pytest

import privet as pv
from privet import examples
from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.tables._linkage_attack import exact, probable, weakest
from privet.engine import splink_linkage as record_linkage
from privet.errors import BadAttack, NoPower
from privet.guarantee._promise_registry import KAnonymity

QUASI = ["born", "zip", "sex"]


@pytest.fixture(scope="module")
def hospital():
    stays = examples.hospital(600, 7)
    table = pv.open_table(
        stays,
        unit=pv.Person("patient_id", max_rows=30),
        roles={"born": "quasi", "zip": "quasi", "sex": "quasi", "diagnosis": "sensitive"},
    )
    return stays, table, examples.voter_roll(stays), examples.linkage_truth(stays)


def test_the_roll_names_patients(hospital) -> None:
    stays, _, roll, truth = hospital
    plain = stays.drop_columns(["name", "ssn", "email", "phone"])
    case = Case(members=stays, auxiliary=roll, settings={"truth": truth, "quasi": QUASI})
    for attack in (exact, probable):
        found = attack(plain, case)
        assert found.success.value > 0.95
        assert found.details["precision"] > 0.97
        assert found.details["recall"] > 0.95
        assert found.details["people"] == truth.num_rows
        assert found.cost.cpu_seconds > 0
        assert roll["name"][0].as_py() not in json.dumps(found.to_json())
    assert weakest(plain, case).success.value == pytest.approx(1.0)


def test_splink_finds_them_too() -> None:
    if not record_linkage.available():
        pytest.skip("the extra privet[linkage] is not installed")
    stays = examples.hospital(250, 7)
    roll, truth = examples.voter_roll(stays), examples.linkage_truth(stays)
    plain = stays.drop_columns(["name", "ssn", "email", "phone"])
    settings = {"truth": truth, "quasi": QUASI, "linker": "splink"}
    found = probable(plain, Case(members=stays, auxiliary=roll, settings=settings))
    assert found.success.value > 0.9


@pytest.mark.parametrize("search", ["optimal", "local", "mondrian"])
def test_five_anonymity_leaves_one_in_five(hospital, search) -> None:
    _, table, roll, truth = hospital
    safe = pv.anonymize(table, KAnonymity(5), search=search, max_suppressed=0.05)
    for case in (Case(members=table, auxiliary=roll, settings={"truth": truth}), Case(members=table)):
        for attack in (exact, weakest):
            found = attack(safe, case)
            assert 0 < found.success.value <= 0.2
            assert found.bound == pytest.approx(0.2)
            assert found.verdict is Verdict.WITHIN
    if search == "optimal":
        assert probable(safe, Case(members=table)).success.value <= 0.2


def test_a_false_promise_is_contradicted() -> None:
    """Five claimed, one class of two: the mean hides it, the weakest does not."""
    rows = pa.table({"age": [*range(20, 26), 40, 41], "ill": ["x"] * 8})
    published = rows.set_column(0, "age", pa.array(["[20, 30["] * 6 + ["[40, 50["] * 2))
    case = Case(members=rows, promise=KAnonymity(5), settings={"quasi": ["age"]})
    assert weakest(published, case).success.value == pytest.approx(0.5)
    assert weakest(published, case).verdict is Verdict.CONTRADICTS
    assert weakest(published, case).details["people_above_the_bound"] == 2


def test_what_is_missing_is_said(hospital) -> None:
    stays, _, roll, _ = hospital
    with pytest.raises(BadAttack, match="who is who"):
        exact(stays, Case(members=stays, auxiliary=roll, settings={"quasi": QUASI}))
    with pytest.raises(BadAttack, match="quasi"):
        exact(stays, Case(members=stays))
    with pytest.raises(NoPower):
        exact(
            pa.table({"age": ["[90, 99["]}), Case(members=pa.table({"age": [3]}), settings={"quasi": ["age"]})
        )
