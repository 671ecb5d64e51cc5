"""Linkage: the bundled roll finds patients, a k-anonymous table keeps to 1 / k, and cells are read as they are written."""

import datetime
import itertools
import json

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet import examples
from privet.artifact._risk_estimate import Verdict
from privet.attacks._attack_registry import Case
from privet.attacks.tables._generalized_cells import cover, members
from privet.attacks.tables._linkage_attack import exact, probable, weakest
from privet.attacks.tables._record_matching import matched
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


def test_cells_cover_what_they_say() -> None:
    def covered(label: str, values: pa.Array, tree=None) -> list:
        found = cover([label], values, tree)
        return [values[int(at)].as_py() for at in found.value]

    ages = pa.array([-5, 17, 20, 25])
    assert covered("[17, 25[", ages) == [17, 20]
    assert covered("[17, 25]", ages) == [17, 20, 25]
    assert covered("[-10, 0[", ages) == [-5]
    assert covered("]17, 25]", ages) == [20, 25]
    assert covered("*", ages) == ages.to_pylist()
    zips = pa.array(["02139", "02141", "1"])
    assert covered("0213*", zips) == ["02139"]
    assert covered("0****", zips) == ["02139", "02141"]
    assert covered("{02139, 1}", zips) == ["02139", "1"]
    days = pa.array([datetime.date(1994, 2, 3), datetime.date(1994, 11, 3), datetime.date(2001, 2, 3)])
    assert [len(covered(label, days)) for label in ("1994-02", "1994-Q4", "1994", "1990s", "2001-02-03")] == [
        1,
        1,
        2,
        2,
        1,
    ]
    assert covered("west", zips, {"west": frozenset(["1"])}) == ["1"]
    assert cover(["who knows"], zips).unread == 1
    assert members('a, "b, c", d') == {"a", "b, c", "d"}


def test_matching_agrees_with_looking_at_every_pair() -> None:
    draw = np.random.default_rng(4)
    known = pa.table(
        {
            "age": pa.array(draw.integers(0, 40, 150), mask=draw.random(150) < 0.1),
            "zip": draw.choice(["021", "022", "031"], 150),
            "sex": draw.choice(["f", "m"], 150),
        }
    )
    spans = ["[0, 10[", "[5, 40]", "[20, 30[", "*", None]
    published = pa.table(
        {
            "age": pa.array(draw.choice(np.array(spans, object), 60).tolist(), pa.string()),
            "zip": draw.choice(["02*", "0**", "031", "*"], 60),
            "sex": draw.choice(["f", "m"], 60),
        }
    )

    def age(cell: str | None, value: int | None) -> bool:
        if cell is None or value is None:
            return cell in (value, "*")
        low, high = {"[0, 10[": (0, 9), "[5, 40]": (5, 40), "[20, 30[": (20, 29), "*": (-99, 99)}[cell]
        return low <= value <= high

    def fits(row: dict, person: dict) -> bool:
        start = row["zip"].rstrip("*")
        return (
            age(row["age"], person["age"]) and person["zip"].startswith(start) and row["sex"] == person["sex"]
        )

    columns = [("age", "age"), ("zip", "zip"), ("sex", "sex")]
    for chosen in itertools.chain([columns], [columns[:2]]):
        found = matched(published, known, chosen)
        rows = (
            [dict(row, sex="f") for row in published.to_pylist()]
            if len(chosen) == 2
            else published.to_pylist()
        )
        people = [dict(one, sex="f") for one in known.to_pylist()] if len(chosen) == 2 else known.to_pylist()
        expected = [sum(fits(row, person) for row in rows) for person in people]
        assert found.candidates.tolist() == expected


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
