"""What may stand in a declaration: budgets, units, columns and how long things are kept."""

import datetime
from decimal import Decimal

import pytest
from pydantic import ValidationError

from privet.dataset._declaration import (
    Budget,
    Declaration,
    DeclaredColumn,
    KeptVault,
    Purpose,
    Source,
    Unit,
)
from privet.guarantee import ApproxDP, Person, PureDP, Row, ZeroConcentratedDP

# --- budgets ---


def test_a_budget_is_one_kind_of_promise():
    assert Budget(epsilon=Decimal("0.5")).promise() == PureDP("0.5")
    assert Budget(epsilon=3, delta=Decimal("1e-6")).promise() == ApproxDP(3, "1e-6")
    assert Budget(rho=Decimal("0.1")).promise() == ZeroConcentratedDP("0.1")


@pytest.mark.parametrize(
    "wrong",
    [{}, {"epsilon": 1, "rho": 1}, {"rho": 1, "delta": "1e-6"}, {"delta": "1e-6"}, {"epsilon": 0}, {"epsilon": -1},
     {"rho": 0}, {"epsilon": 1, "delta": 1}, {"epsilon": 1, "delta": -1}, {"epsilon": 1, "more": 1}],
)  # fmt: skip
def test_anything_else_is_no_budget(wrong):
    with pytest.raises(ValidationError):
        Budget(**wrong)


@pytest.mark.parametrize(
    ("part", "whole", "exceeds"),
    [
        ({"epsilon": 1}, {"epsilon": 1}, False),
        ({"epsilon": "1.1"}, {"epsilon": 1}, True),
        ({"epsilon": 1, "delta": "1e-6"}, {"epsilon": 2}, True),
        ({"epsilon": 1, "delta": "1e-6"}, {"epsilon": 1, "delta": "1e-6"}, False),
        ({"rho": 1}, {"rho": 1}, False),
        ({"rho": "1.1"}, {"rho": 1}, True),
        ({"rho": "0.1"}, {"epsilon": 9}, True),
        ({"epsilon": "0.1"}, {"rho": 9}, True),
    ],
)
def test_a_part_never_exceeds_the_whole(part, whole, exceeds):
    assert Budget(**part).exceeds(Budget(**whole)) is exceeds


# --- units ---


def test_a_unit_is_a_row_or_a_capped_person():
    assert Unit(column="row").value() == Row()
    assert Unit(column="id", max_rows=3, max_groups=2).value() == Person("id", 3, 2)
    for wrong in ({"max_rows": 0}, {"max_groups": 0}, {"max_rows": -1}):
        with pytest.raises(ValidationError):
            Unit(column="id", **wrong)


# --- columns ---


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [
        ((0, 60), (Decimal(0), Decimal(60))),
        (("0", "60.5"), (Decimal(0), Decimal("60.5"))),
        (("1900-01-01", datetime.date(2000, 1, 1)), (datetime.date(1900, 1, 1), datetime.date(2000, 1, 1))),
        ((0.1, Decimal("0.2")), (Decimal("0.1"), Decimal("0.2"))),
    ],
)
def test_bounds_are_exact_numbers_or_days(bounds, kept):
    assert DeclaredColumn(bounds=bounds).bounds == kept


@pytest.mark.parametrize(
    "bounds",
    [(60, 0), (5, 5), (0, "2000-01-01"), (0, "many"), (0, float("inf")), (0, float("nan")), (False, 1), (0, None),
     (0, datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)), (0,)],
)  # fmt: skip
def test_other_bounds_are_refused(bounds):
    with pytest.raises(ValidationError):
        DeclaredColumn(bounds=bounds)


def test_a_column_nobody_has_spoken_of_is_unknown():
    assert DeclaredColumn().role == "unknown"
    assert DeclaredColumn().special is False
    with pytest.raises(ValidationError):
        DeclaredColumn(role="harmless")
    with pytest.raises(ValidationError):
        DeclaredColumn(colour="red")


# --- the whole ---


def declaration(**more):
    source = Source(source="a.csv", unit=Unit(column="row"), ledger="a.ledger", budget=Budget(epsilon=1))
    columns = {
        name: DeclaredColumn(role=role)
        for name, role in [
            ("name", "direct"), ("zip", "quasi"), ("ill", "sensitive"), ("ward", "insensitive"), ("note", "free text"),
            ("more", "unknown"),
        ]
    }  # fmt: skip
    purpose = Purpose(
        use="beds",
        basis="law",
        columns=["ward"],
        outputs=["answer"],
        recipients=["us"],
        expires=datetime.date(2030, 1, 1),
    )
    return Declaration(dataset=source, columns=columns, purposes={"beds": purpose}, **more)


def test_rows_that_leave_hold_columns_somebody_has_spoken_of():
    names = ["more", "name", "zip", "ill", "ward", "note", "undeclared"]
    assert declaration().published(names) == ["zip", "ill", "ward"]


def test_a_vault_ends_with_its_purpose_or_sooner():
    day = datetime.date
    kept = declaration(
        vaults={
            "a": KeptVault(purpose="beds"),
            "b": KeptVault(purpose="beds", expires=day(2029, 1, 1)),
            "c": KeptVault(purpose="beds", expires=day(2031, 1, 1)),
            "d": KeptVault(expires=day(2040, 1, 1)),
            "e": KeptVault(),
        }
    )
    ends = {place: kept.vault_ends(place) for place in kept.vaults}
    assert ends == {
        "a": day(2030, 1, 1),
        "b": day(2029, 1, 1),
        "c": day(2030, 1, 1),
        "d": day(2040, 1, 1),
        "e": None,
    }


def test_nothing_is_changed_afterwards():
    made = declaration()
    with pytest.raises(ValidationError):
        made.dataset.source = "b.csv"
