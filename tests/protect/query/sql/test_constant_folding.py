"""What is computed from noisy numbers never fails: constants are judged before booking, the rest is missing."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

import privet as pv
from privet.engine import LARGE, SMALL
from privet.engine import expressions as tree
from privet.errors import BadQuery, BadQuestion, InternalError, PrivetError
from privet.protect.query.sql._constant_folding import (
    calculated,
    is_constant,
    is_sized,
    require_sized,
)
from privet.protect.query.sql._constant_folding import (
    constant as folded,
)

TABLE = pv.open_table(
    pa.table(
        {
            "id": list(range(60)),
            "w": ["ABC"[at % 3] for at in range(60)],
            "x": [float(at) for at in range(60)],
        }
    ),
    unit=pv.Person("id", max_rows=1),
    bounds={"x": (0, 60)},
    keys={"w": ["A", "B", "C", "D"]},
    name="t",
    version="1",
)


CONSTANTS = [
    "0", "(1 - 1)", "-0.0", "NULLIF(2, 2)", "-3", "(7 % 4)", "5e-324", "1e-150", "1e150", "(1e308 * 10)",
    "9223372036854775807", "(1 / (1 - 1))",
]  # fmt: skip


SHAPES = [
    "COUNT(*) / {0}", "{0} / COUNT(*)", "COUNT(*) * {0}", "COUNT(*) * {0} * {0} * {0}", "COUNT(*) + {0}", "MEDIAN(x) / {0}",
    "MEDIAN(x) * {0} * {0} * {0}", "SUM(x) / COUNT(*) * {0} * {0}", "SUM(x) / COUNT(*) / {0} - {0}", "AVG(x) - {0} * {0}",
    "COUNT(*) / NULLIF({0}, 0)", "ROUND(COUNT(*) * {0} * {0}, 3)", "ROUND(SUM(x) / {0}, 15)",
]  # fmt: skip


def asked(text: str):
    """The answer to a question, or the refusal; one that comes after booking is no refusal."""
    with pv.Ledger.in_memory(limit=pv.PureDP(100)) as ledger:
        try:
            return pv.release(text, pv.PureDP(5), ledger=ledger, why="test", table=TABLE)
        except PrivetError:
            assert ledger.balance().spends == 0, "it was booked and failed"
            return None


@pytest.mark.parametrize("shape", SHAPES)
def test_no_constant_makes_a_booked_question_fail(shape):
    answered = 0
    for constant in CONSTANTS:
        found = asked(f"SELECT {shape.format(constant)} AS a, COUNT(*) AS n FROM t")
        if found is None:
            continue
        answered += 1
        str(found), repr(found), found.to_json()
        (value,) = found["a"]
        assert value is None or math.isfinite(value)
    assert answered >= 3, "everything was refused: this shows nothing"


@pytest.mark.parametrize(
    "rest", ["HAVING {0} > 1", "ORDER BY {0}, w", "HAVING NOT {0} = {0} ORDER BY {0} DESC LIMIT 1"]
)
def test_nor_where_rows_are_chosen_and_sorted(rest):
    for constant in CONSTANTS[::2]:
        clause = rest.format(f"COUNT(*) / {constant} * 1e150 * 1e150")
        asked(f"SELECT w, COUNT(*) AS n FROM t GROUP BY w {clause}")


@pytest.mark.parametrize(
    "zero", ["0", "0.0", "(1 - 1)", "(2 % 2)", "CAST(0 AS DOUBLE)", "(1 / (1 - 1))", "NULLIF(2, 2)"]
)
def test_nothing_is_divided_by_zero_however_it_is_written(zero):
    with (
        pytest.raises(BadQuestion, match="divided by zero"),
        pv.Ledger.in_memory(limit=pv.PureDP(1)) as ledger,
    ):
        pv.release(
            f"SELECT COUNT(*) / {zero} AS a FROM t", pv.PureDP(1), ledger=ledger, why="test", table=TABLE
        )


def test_constants_are_computed_as_they_are_written():
    found = asked(
        "SELECT COUNT(*) AS n, COUNT(*) + (7 % 4) AS a, COUNT(*) * (1 / 4) AS b, COUNT(*) - 2 * 3 AS c FROM t"
    )
    (n,) = found["n"]
    assert found["a"] == (pytest.approx(n + 3),)
    assert found["b"] == (pytest.approx(n / 4),)
    assert found["c"] == (pytest.approx(n - 6),)


def divided(right):
    return tree.Arithmetic("/", tree.Column("n"), right)


@pytest.mark.parametrize(
    ("op", "left", "right", "wanted"),
    [
        ("+", 2, 3, 5), ("-", 2, 3, -1), ("*", 2, 3, 6), ("/", 1, 4, 0.25), ("/", 1, 0, None), ("%", 7, 0, None),
        ("%", 7, 4, 3), ("%", -7, 4, -3), ("%", 7, -4, 3), ("%", -7, -4, -3), ("+", None, 3, None), ("*", 2, None, None),
    ],
)  # fmt: skip
def test_arithmetic_is_that_of_databases(op, left, right, wanted):
    assert calculated(op, left, right) == wanted


def test_numbers_out_of_range_are_missing_and_not_an_error():
    assert calculated("/", 10**400, 3) is None
    assert calculated("*", 1e308, 1e308) == math.inf
    assert not is_sized(math.inf)


@pytest.mark.parametrize(
    ("number", "sized"),
    [
        (None, True),
        (0, True),
        (LARGE, True),
        (LARGE * 2, False),
        (SMALL, True),
        (SMALL / 2, False),
        (-1, True),
    ],
)
def test_sizes_are_judged_at_their_edges(number, sized):
    assert is_sized(number) is sized


def test_constants_are_told_from_columns():
    two = tree.Literal(2)
    nothing = tree.Pick(tree.Compare("!=", two, tree.Literal(2)), two)
    assert is_constant(tree.Arithmetic("+", two, two))
    assert not is_constant(tree.Arithmetic("+", two, tree.Column("n")))
    assert folded(nothing) is None
    assert folded(tree.Cast(tree.Arithmetic("*", two, two), None)) == 4
    with pytest.raises(InternalError):
        folded(tree.Column("n"))


@pytest.mark.parametrize(
    "right",
    [tree.Literal(0), tree.Arithmetic("-", tree.Literal(1), tree.Literal(1)), tree.Literal(LARGE * 10)],
)
def test_constants_that_nothing_is_computed_with_are_refused(right):
    with pytest.raises(BadQuery):
        require_sized(divided(right), "sum")
    assert require_sized(divided(tree.Literal(4)), "sum") == "sum"
