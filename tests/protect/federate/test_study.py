"""A study is public, complete, and stands for itself by its digest."""

from fractions import Fraction

import pytest
from tests.protect.federate.hospitals import QUESTION, study

from privet.errors import BadCohort, BadStudy
from privet.guarantee import Person, Row, ZeroConcentratedDP
from privet.protect.federate import Study


def test_everything_that_matters_is_in_its_digest() -> None:
    one = study()
    columns = {"age": (0, 90), "ward": ["heart", "lung", "skin"]}
    others = [
        study("SELECT COUNT(*) AS n FROM patients"),
        study(rho="3"),
        study(colluders=0),
        study(threshold=4),
        study(sites=5, threshold=4),
        Study("others", QUESTION, one.promise, Row(), one.columns, 4, 3, 1),
        Study("patients", QUESTION, one.promise, Row(), columns, 4, 3, 1),
        Study("patients", QUESTION, one.promise, Person("id", max_rows=1), one.columns, 4, 3, 1),
    ]
    assert len({each.digest for each in (one, *others)}) == 9
    assert study().digest == one.digest


def test_its_table_has_no_rows_and_what_is_publicly_known() -> None:
    schema = study().schema
    assert set(schema.relation.columns) == {"age", "ward"}
    assert schema.name == "patients"
    assert schema.unit == Row()


def test_a_cohort_that_would_hide_nobody_is_refused() -> None:
    with pytest.raises(BadStudy, match="at most 1000 sites"):
        study(sites=10**12)
    for terms in ({"sites": 2, "threshold": 2}, {"threshold": 2}, {"colluders": 2}):
        with pytest.raises(BadCohort):
            study(**terms)


@pytest.mark.parametrize("said", [None, 5, [], (1, 2, 3), ("a", "b"), (True, False)])
def test_what_is_said_of_a_column_is_a_range_or_keys(said: object) -> None:
    with pytest.raises(BadStudy, match="column 'age'"):
        Study("patients", QUESTION, ZeroConcentratedDP(1), Row(), {"age": said}, 4, 3, 1)


def test_a_person_column_is_part_of_the_table() -> None:
    one = Study(
        "patients", QUESTION, ZeroConcentratedDP(1), Person("id", max_rows=2), study().columns, 4, 3, 1
    )
    assert "id" in one.schema.relation.columns


def test_its_exposures_are_those_of_its_promise() -> None:
    found = study(rho="0.1").exposures("1e-6")
    assert found[-1].rho == Fraction(1, 10)
