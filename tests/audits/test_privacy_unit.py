"""Whose rows they are: what is said now counts before what was said, and that before what the data propose."""

import pyarrow as pa
import pytest
from tests.audits import twins

import privet as pv
from privet.audits import audit
from privet.audits._person_key import ASK, PROPOSED, PersonKey, PersonKeys
from privet.audits._privacy_unit import WhoseRows, whose_rows
from privet.errors import BadAudit
from privet.source import open_table


@pytest.mark.parametrize("how", ["opened", "unit", "text", "sequence"])
def test_people_who_are_numbered_anew_in_each_centre(how: str) -> None:
    table = twins.centres()
    both = pv.Person("center,id", max_rows=4)
    said = {"unit": both, "text": "center,id", "sequence": ["center", "id"]}
    told = audit(open_table(table, unit=both)) if how == "opened" else audit(table, unit=said[how])
    assert (told.people, told.unit.kind, told.unit.option) == (112, "person", "center,id")
    assert "center,id" not in told.quasi
    commands = [step.command for step in told.advice if step.command]
    assert any("--unit center,id" in command for command in commands)
    assert all("--columns id " in command for command in commands if " suppress " in command)


ROWS = pa.table({"patient_id": [1, 1, 2], "household": [1, 2, 3], "ward": ["a", "b", "a"]})


def key(score: float, *columns: str, alone: bool = False) -> PersonKey:
    return PersonKey(
        columns, "person", score, "proposed" if score >= PROPOSED else "ask", 2, 3, ("counted",), alone
    )


def test_what_is_said_now_counts_first() -> None:
    table = open_table(ROWS, unit=pv.Person("household"))
    keys = PersonKeys((key(PROPOSED, "ward"),))
    assert whose_rows(table, keys, "patient_id").columns == ("patient_id",)
    assert whose_rows(table, keys, "row").columns == ()
    assert whose_rows(table, keys).columns == ("household",)
    assert {whose_rows(table, keys, said).origin for said in ("patient_id", "row", None)} == {"stated"}


def test_a_proposal_stands_until_somebody_speaks() -> None:
    found = whose_rows(open_table(ROWS), PersonKeys((key(PROPOSED, "ward"),)))
    assert (found.columns, found.origin, found.kind) == (("ward",), "proposed", "person")
    assert "for somebody to confirm" in found.why


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (PersonKeys((key(ASK, "ward"),)), "and ward may say it"),
        (PersonKeys((), unkeyed="blocks"), "rows seem to come in blocks"),
        (PersonKeys((key(ASK - 1, "ward", alone=True),)), "and ward hardly repeats"),
        (PersonKeys(), "no column was found"),
    ],
)
def test_without_an_answer_rows_are_counted_and_the_open_question_is_said(keys: PersonKeys, why: str) -> None:
    found = whose_rows(open_table(ROWS), keys)
    assert (found.columns, found.origin, found.kind, found.option) == ((), "assumed", "row", "row")
    assert why in found.why


def test_a_household_is_not_called_a_person() -> None:
    found = whose_rows(open_table(ROWS), PersonKeys(), "household")
    assert (found.one, found.many) == ("household", "households")
    assert whose_rows(open_table(ROWS), PersonKeys(), ["ward", "patient_id"]).kind == "person"


def test_unknown_columns_are_refused_with_a_near_name() -> None:
    with pytest.raises(BadAudit, match="'pateint_id'") as caught:
        whose_rows(open_table(ROWS), PersonKeys(), "pateint_id")
    assert "patient_id" in caught.value.hint
    with pytest.raises(BadAudit, match="names no column"):
        whose_rows(open_table(ROWS), PersonKeys(), [])


def test_numbers_of_units() -> None:
    people = WhoseRows(("id",), "stated", "")
    assert [people.number(many) for many in (0, 1, 1234)] == ["0 people", "1 person", "1,234 people"]
    both = WhoseRows(("center", "id"), "stated", "", "household")
    assert (both.column, both.option, both.number(2)) == (None, "center,id", "2 households")
