"""Safe Harbor is not claimed over a column in which one of the 18 identifiers is recognised, whoever says so."""

import random

import pyarrow as pa
import pytest
from tests.audits.made_columns import NAMED, POSITIVE

import privet as pv
from privet.audits import classify
from privet.audits.columns import CATEGORIES
from privet.errors import BadRecipe
from privet.verbs._safe_harbor_kinds import safe_harbor_kinds

ROWS = 200


def table(**columns):
    return pv.open_table(pa.table(columns))


def made(name, make):
    draw = random.Random(3)
    return table(**{name: [make(draw) for _ in range(ROWS)]})


IDENTIFYING = [row for row in (*POSITIVE, *NAMED) if row[3] and CATEGORIES[row[3]].hipaa]


def test_the_made_columns_cover_the_kinds_of_the_rule() -> None:
    assert {CATEGORIES[row[3]].hipaa for row in IDENTIFYING} >= set("ABCDFGHJKLMNOR")


@pytest.mark.parametrize("row", IDENTIFYING, ids=[row[0] for row in IDENTIFYING])
def test_no_recognised_identifier_is_kept(row) -> None:
    _, name, _, _, make = row
    rows = made(name, make)
    with pytest.raises(BadRecipe, match="Safe Harbor does not keep"):
        safe_harbor_kinds(rows, {name: "keep"})
    assert safe_harbor_kinds(rows, {name: "remove"}) == {name: "remove"}


@pytest.mark.parametrize("name", ["id", "patient_id", "subject", "nr", "mrn", "case_no", "x7"])
@pytest.mark.parametrize("treated", ["keep", "age", "date", "zip", "birth-date"])
def test_numbers_of_people_are_removed_and_nothing_else(name: str, treated: str) -> None:
    with pytest.raises(BadRecipe) as refused:
        safe_harbor_kinds(table(**{name: list(range(1, ROWS + 1))}), {name: treated})
    assert f"--as {name}=remove" in str(refused.value)


def test_a_birth_date_is_not_treated_as_any_date() -> None:
    born = table(born=[f"19{20 + at % 70}-0{1 + at % 9}-1{at % 10}" for at in range(ROWS)])
    with pytest.raises(BadRecipe) as refused:
        safe_harbor_kinds(born, {"born": "date"})
    assert "--as born=birth-date" in str(refused.value)
    assert safe_harbor_kinds(born, {"born": "birth-date"}) == {"born": "birth date"}


def test_what_was_looked_at_and_is_no_identifier_may_be_kept() -> None:
    rows = table(outcome=["better", "worse"] * 100, grade=[1, 2, 3, 4] * 50)
    assert {finding.hipaa for finding in classify(rows).values()} == {None}
    assert safe_harbor_kinds(rows, {"outcome": "keep", "grade": "keep"}) == {
        "outcome": "keep",
        "grade": "keep",
    }
