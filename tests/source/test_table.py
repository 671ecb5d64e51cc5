"""Tables: what is said about them is checked as a whole, and none of their rows is ever printed."""

import pyarrow as pa
import pytest

import privet as pv
from privet import errors

CANARY = "Canary Wharfinger"


@pytest.fixture
def frame():
    return pa.table(
        {
            "patient_id": [1, 1, 2],
            "name": [CANARY] * 3,
            "ward": ["A", "B", "A"],
            "days": [3, 4, 50],
            "cost": [1.0, 2.0, 3.0],
        }
    )


def test_printing_a_table_shows_no_row(frame):
    shown = repr(
        pv.open_table(frame, roles={"name": "direct"}, bounds={"days": (0, 60)}, keys={"ward": ["A"]})
    )
    assert CANARY not in shown
    assert "days: integer, in [0, 60] (stated by the caller)" in shown
    assert "name: text, direct" in shown


def test_all_faults_are_raised_at_once_with_what_was_meant(frame):
    with pytest.raises(errors.BadDeclaration) as caught:
        pv.open_table(
            frame,
            unit=pv.Person("patient"),
            roles={"nmae": "direct", "ward": "quazi"},
            bounds={"dais": (0, 1), "ward": (0, 1), "cost": (5, 2), "days": "0-60"},
            keys={"wrad": ["A"], "days": ["x"]},
        )
    faults = caught.value.details["faults"]
    assert len(faults) == 9
    for meant in ("'patient_id'", "'name'", "'quasi'", "'days'", "'ward'"):
        assert f"Did you mean {meant}" in str(caught.value)


@pytest.mark.parametrize("column", ["cost"])
def test_a_real_number_does_not_identify_a_person(frame, column):
    with pytest.raises(errors.BadDeclaration, match="do not identify persons: whole numbers and texts do"):
        pv.open_table(frame, unit=pv.Person(column))


@pytest.mark.parametrize("wrong", [{"unit": "patient_id"}, {"name": " "}, {"version": ""}, {"version": 3}])
def test_refuses_units_names_and_versions_of_the_wrong_sort(frame, wrong):
    with pytest.raises(errors.BadInput, match=next(iter(wrong))):
        pv.open_table(frame, **wrong)


def test_a_table_without_a_unit_hides_nobody_and_says_so(frame):
    table = pv.open_table(frame)
    assert "nobody yet" in repr(table)
    with pytest.raises(errors.BadUnit, match="whose presence"):
        table.unit_or_refuse()
