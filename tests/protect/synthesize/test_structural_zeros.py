"""What cannot be is in no model and no row, by every method; whatever the noise says, and whatever lies in one bin with it."""

import datetime

import numpy as np
import pytest
from tests.protect.synthesize.people import rows, table

import privet as pv
from privet.engine import ColumnKind
from privet.errors import BadSynthesis
from privet.protect.synthesize._column_domain import ColumnDomain, date_domain, number_domain
from privet.protect.synthesize._structural_zeros import impossible, zero_cells, zeros_of

KINDS = {
    "sex": ColumnKind.TEXT,
    "age": ColumnKind.INTEGER,
    "weight": ColumnKind.REAL,
    "ends": ColumnKind.INTEGER,
    "day": ColumnKind.DATE,
}
SEX = ColumnDomain("sex", "category", ColumnKind.TEXT, values=("f", "m"))
AGE = number_domain("age", ColumnKind.INTEGER, 0, 99, bins=10, origin="")
ENDS = number_domain("ends", ColumnKind.INTEGER, 0, 99, bins=10, origin="")
WEIGHT = number_domain("weight", ColumnKind.REAL, 0, 100, bins=4, origin="")
DAY = date_domain("day", ColumnKind.DATE, 0, 39, bins=4, origin="")
COLUMNS = (SEX, AGE, ENDS, WEIGHT, DAY)


def cells(said, *columns):
    (found,) = zeros_of([said], KINDS)
    return found.cells(columns)


def test_a_cell_cannot_be_where_all_its_values_cannot() -> None:
    assert cells("age < 20", AGE).tolist() == [True] * 2 + [False] * 9
    assert cells("age < 25", AGE).tolist() == [True] * 2 + [False] * 9  # the third bin holds 20 to 29
    assert cells("age <= 19", AGE).tolist() == [True] * 2 + [False] * 9
    assert cells("age >= 80", AGE).tolist() == [False] * 8 + [True] * 2 + [False]
    assert cells("age != 5", AGE).tolist() == [False] + [True] * 9 + [False]
    assert cells("sex == m", SEX).tolist() == [False, True, False]
    assert cells("weight < 25", WEIGHT).tolist() == [False] * 5  # 25 itself may be drawn from the first bin
    assert cells("weight <= 25", WEIGHT).tolist() == [True] + [False] * 4
    assert cells("day < 1970-01-11", DAY).tolist() == [True] + [False] * 4


def test_comparisons_are_joined_and_columns_compared() -> None:
    both = cells("sex == m and age < 10", SEX, AGE)
    assert np.argwhere(both).tolist() == [[1, 0]]
    assert [len(one.parts) for one in zeros_of(["sex == 'm and m' AND age < 3"], KINDS)] == [2]
    later = cells("ends < age", AGE, ENDS)
    assert later[:10, :10].tolist() == np.tri(10, k=-1, dtype=bool).tolist()
    assert not later[10].any()
    assert not later[:, 10].any()


def test_rows_of_codes_are_found() -> None:
    never = zero_cells(zeros_of(["sex == m and age < 10", "day > 1970-02-01"], KINDS), COLUMNS, 10_000)
    assert set(never) == {(0, 1), (4,)}
    codes = np.array([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0], [1, 10, 0, 0, 0], [0, 3, 0, 0, 4]])
    assert impossible(codes, never, [one.size for one in COLUMNS]).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("sexx == m", "sex"),
        ("sex = m", "could not be read"),
        ("sex == m and", "could not be read"),
        ("age < x", "neither a column"),
        ("sex == m and age < 1 and ends < 1 and weight < 1 and day < 1970-01-02", "more than 4"),
    ],
)
def test_what_cannot_be_read_is_refused(said, hint) -> None:
    with pytest.raises(BadSynthesis, match=hint):
        zeros_of([said], KINDS)


def test_what_no_model_could_hold_is_refused_and_so_is_what_nobody_states() -> None:
    with pytest.raises(BadSynthesis, match="cells"):
        zero_cells(zeros_of(["ends < age"], KINDS), COLUMNS, 100)
    with pytest.raises(BadSynthesis, match="nobody states"):
        zero_cells(zeros_of(["ends < age"], KINDS), (SEX, AGE), 1000)


@pytest.mark.parametrize("method", ["aim", "mst", "evolve", "auto"])
@pytest.mark.parametrize("epsilon", [0.05, 5])
def test_no_row_of_a_twin_is_of_that_kind(ledger, method, epsilon) -> None:
    """At a tiny epsilon nearly all counts are noise; bins of seven years hold ages on both sides of 18."""
    never = ["ward == icu and age > 60", "age < 18 and back == true", "seen < 2026-02-01 and ward == eye"]
    twin = pv.synthesize(
        table(),
        pv.ApproxDP(epsilon, 1e-6),
        rows=2000,
        ledger=ledger,
        why="a twin",
        method=method,
        bins={"age": 14},
        zeros=never,
    )
    found = twin.to_arrow().to_pylist()
    assert len(found) == 2000
    for row in found:
        age = -1 if row["age"] is None else row["age"]
        assert not (row["ward"] == "icu" and age > 60)
        assert not (row["back"] is True and 0 <= age < 18)
        assert not (row["ward"] == "eye" and row["seen"] and row["seen"] < datetime.date(2026, 2, 1))
    assert "No row has: ward == icu and age > 60." in twin.notes


def test_zeros_are_part_of_what_is_asked_and_are_not_read_off_rows() -> None:
    """Another set of zeros is another run; and rows that break one are counted like all others."""
    from privet.protect.synthesize import planned_twin

    one = table()
    plans = [
        planned_twin(one, pv.ApproxDP(1, 1e-6), accounting="basic", method="aim", zeros=zeros).question()
        for zeros in ([], ["age < 18 and back == true"])
    ]
    assert plans[0] != plans[1]
    assert any(row["age"] > 60 and row["ward"] == "surgery" for row in rows().to_pylist())


@pytest.mark.parametrize(
    "wrong", [["sex != x"], ["age < 50", "age >= 50"], ["sex == m and age >= 0", "sex == f and age >= 0"]]
)
def test_zeros_that_leave_nothing_but_missing_values_are_refused(wrong) -> None:
    with pytest.raises(BadSynthesis, match="leaves nothing"):
        zero_cells(zeros_of(wrong, KINDS), COLUMNS, 10_000)
