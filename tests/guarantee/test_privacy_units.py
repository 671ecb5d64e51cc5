"""A sentence about a unit names the unit as it is: a person only where its column says so."""

import pytest

from privet.errors import BadUnit
from privet.guarantee import (
    ApproxDP,
    Change,
    Person,
    PureDP,
    RenyiDP,
    Row,
    ZeroConcentratedDP,
    noun,
    unit_from_json,
    unit_in,
    unit_to_json,
)
from privet.guarantee._privacy_units import _says_person

PROMISES = [PureDP(1), ApproxDP(1, 1e-6), ZeroConcentratedDP("0.1"), RenyiDP(8, 1)]
OF_PEOPLE = (
    "id patient_id PatientID subject person customer_no user_id centre,patient 患者 participants NR Kunde pid"
)
OF_OTHERS = (
    "household household_id HouseholdID centre hospital_nr family firm_id patient,visit patient_household x7 school "
    "device_uuid account Haushalt district stay_id"
)


@pytest.mark.parametrize("column", OF_PEOPLE.split())
def test_a_person_is_called_a_person(column: str) -> None:
    assert noun(Person(column)) == "person"
    assert Person(column).sentence().startswith("everything one person contributes")


@pytest.mark.parametrize("promise", PROMISES, ids=lambda it: it.kind)
@pytest.mark.parametrize("column", OF_OTHERS.split())
def test_nothing_else_is(promise, column: str) -> None:
    said = promise.sentence_about(Person(column))
    assert "person" not in said
    assert f"a given {column!r} is in" in said
    assert "person" not in Person(column, max_rows=3).sentence()
    assert repr(column) in Person(column).sentence()
    assert "at most 3 rows" in Person(column, max_rows=3).sentence()


def test_a_row_is_a_row_and_nothing_known_is_said_to_be_either() -> None:
    assert "a given row is in" in PureDP(1).sentence_about(Row())
    assert "a given person or row is in" in PureDP(1).sentence()


@pytest.mark.parametrize(
    "unit",
    [Row(), Row(Change.REPLACE), Person("household"), Person("a,b", max_rows=6, max_groups=2)],
    ids=repr,
)
def test_a_record_gives_the_unit_back(unit) -> None:
    assert unit_from_json(unit_to_json(unit)) == unit


@pytest.mark.parametrize("promise", PROMISES, ids=lambda it: it.kind)
def test_what_is_no_unit_is_refused(promise) -> None:
    with pytest.raises(BadUnit):
        promise.sentence_about("household")


@pytest.mark.parametrize(
    ("column", "person"),
    [
        ("user_ids", True),
        ("users", True),
        ("visits_id", False),
        ("visitIds", False),
        ("id", True),
        ("centre,patient", True),
    ],
)
def test_plural_names_say_what_singular_ones_say(column: str, person: bool) -> None:
    assert _says_person(column) is person


def test_no_record_is_no_unit() -> None:
    assert unit_in(None) is None
    assert unit_in({}) is None
    assert unit_in(unit_to_json(Person("id", max_rows=3))) == Person("id", max_rows=3)
