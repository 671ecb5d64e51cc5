"""How far values were made coarse, by paragraph of 45 CFR 164.514(b)(2)(i)."""

import pyarrow as pa
import pytest

from privet.audits._safe_harbor_findings import _coarse, identifiers_in
from privet.source import open_table

POSTAL, AGE, DATE = "user.contact.address.postal_code", "user.demographic.age", "user.date"


@pytest.mark.parametrize(
    ("letter", "category", "values", "coarse"),
    [
        ("B", POSTAL, ["021**", "101"], "three digits at most"), ("B", POSTAL, ["021", "1015"], None),
        ("C", AGE, ["89", "90+", "12"], "no single age over 89 seen"), ("C", AGE, ["89", "90"], None), ("C", AGE, ["89.5"], None),
        ("C", DATE, ["1990", "1985"], "nothing finer than a year seen"), ("C", DATE, ["1990", "1985-03"], None),
        ("C", DATE, ["Mar 1990"], None), ("C", DATE, ["1990年3"], None),
        ("A", "user.name", ["*", "** *", ""], "no value is left"), ("A", "user.name", ["*", "Anna"], None),
    ],
)  # fmt: skip
def test_what_is_coarse(letter: str, category: str, values: list[str], coarse: str | None) -> None:
    assert _coarse(letter, category, values) == coarse


def test_identifiers_are_found_with_their_letters_and_nothing_else() -> None:
    found = identifiers_in(
        open_table(
            pa.table(
                {
                    "email": [f"p{n}@example.org" for n in range(30)],
                    "zip": [f"{10_000 + 371 * (n % 7)}" for n in range(30)],
                    "colour": ["red", "blue", "green"] * 10,
                }
            )
        )
    )
    assert [(one["column"], one["letter"], one["coarse"]) for one in found] == [
        ("email", "F", None),
        ("zip", "B", None),
    ]


def test_text_that_names_nobody_in_particular_still_counts_as_any_other_characteristic() -> None:
    texts = [f"it went rather well on the day {n}" for n in range(30)]
    assert [
        (one["column"], one["letter"]) for one in identifiers_in(open_table(pa.table({"x7": texts})))
    ] == [("x7", "R")]
