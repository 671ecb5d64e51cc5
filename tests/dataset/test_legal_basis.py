"""Points of GDPR Art. 6(1) and 9(2) as people write them; what is not named is not read in."""

import datetime

import pytest

from privet.dataset._declaration import Budget, Declaration, DeclaredColumn, Purpose, Source, Unit
from privet.dataset._legal_basis import (
    EXAMPLE,
    claims_none,
    is_special,
    lawful_point,
    special_columns,
    special_gap,
    special_point,
)


@pytest.mark.parametrize(
    "text",
    ["Art. 6(1)(e)", "Article 6 (1) e", "Art. 6 Abs. 1 lit. e DSGVO", "art. 6.1.e", "GDPR Art. 6(1)(E), public task",
     "Art. 6, para. 1, point e"],
)  # fmt: skip
def test_ways_to_write_a_point(text):
    assert lawful_point(text) == "Art. 6(1)(e), public task"
    assert special_point(text) is None


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "consent",
        "Art. 6",
        "Art. 6(1)",
        "Art. 6(1)(z)",
        "Art. 16(1)(e)",
        "Art. 6(2)(e)",
        "§ 6",
        "Art. 9(2)(a)",
    ],
)
def test_what_names_no_point_of_article_6(text):
    assert lawful_point(text) is None


def test_points_of_article_9():
    assert special_point(EXAMPLE) == "Art. 9(2)(j), archiving, research or statistics"
    assert special_point("Art. 9(2)(a)") == "Art. 9(2)(a), explicit consent"
    assert special_point("Art. 9(2)(k)") is None
    assert special_point("Art. 9(1)(a)") is None
    assert special_point("Art. 19(2)(a)") is None


def test_special_categories_are_declared_or_known():
    assert is_special(DeclaredColumn(special=True))
    assert is_special(DeclaredColumn(category="user.health_and_medical"))
    assert not is_special(DeclaredColumn(category="user.name"))
    assert not is_special(DeclaredColumn(category="nothing known"))
    assert not is_special(DeclaredColumn())


def declared(basis, special_basis=None, columns=("ill", "ward")):
    purpose = Purpose(
        use="care", basis=basis, special_basis=special_basis, columns=[*columns], outputs=["answer"], recipients=["us"],
        expires=datetime.date(2030, 1, 1),
    )  # fmt: skip
    source = Source(source="a.csv", unit=Unit(column="row"), ledger="a.ledger", budget=Budget(epsilon=1))
    known = {
        "ill": DeclaredColumn(special=True),
        "origin": DeclaredColumn(special=True),
        "ward": DeclaredColumn(),
    }
    return Declaration(dataset=source, columns=known, purposes={"care": purpose})


def test_special_columns_of_a_purpose():
    assert special_columns(declared("law"), "care") == ["ill"]
    assert special_columns(declared("law", columns=("ward", "undeclared")), "care") == []


def test_a_gap_is_what_nobody_has_said():
    assert special_gap(declared("law", columns=("ward",)), "care") is None
    assert special_gap(declared("law", special_basis="Art. 9(2)(h)"), "care") is None
    assert special_gap(declared("Art. 6(1)(e) and Art. 9(2)(h)"), "care") is None
    gap = special_gap(declared("Art. 6(1)(e)", special_basis="we asked"), "care")
    assert gap is not None
    assert gap.startswith("'ill' is of a special category")
    two = special_gap(declared("law", columns=("ill", "origin")), "care")
    assert two is not None
    assert two.startswith("'ill', 'origin' are of")


def test_none_is_claimed_where_it_says_so():
    assert claims_none(" None: a trial on made-up data")
    assert not claims_none("Art. 6(1)(e), none other")
