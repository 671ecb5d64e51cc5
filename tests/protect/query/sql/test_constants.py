"""What is computed from noisy numbers never fails: constants are judged before booking, the rest is missing."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

import privet as pv
from privet.errors import BadQuestion, PrivetError

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


@pytest.mark.parametrize(
    "loose",
    ["x + x % 2 = 1", "7 % 4 * 2 = x", "(x = 1) = x IS NULL", "TRUE <> x IS NOT NULL", "(x = 1) = NOT x = 2"],
)
def test_what_parsers_and_databases_group_differently_is_refused(loose):
    with (
        pytest.raises(BadQuestion, match="belongs together"),
        pv.Ledger.in_memory(limit=pv.PureDP(1)) as ledger,
    ):
        pv.release(
            f"SELECT COUNT(*) AS n FROM t WHERE {loose}", pv.PureDP(1), ledger=ledger, why="test", table=TABLE
        )


def test_constants_are_computed_as_they_are_written():
    found = asked(
        "SELECT COUNT(*) AS n, COUNT(*) + (7 % 4) AS a, COUNT(*) * (1 / 4) AS b, COUNT(*) - 2 * 3 AS c FROM t"
    )
    (n,) = found["n"]
    assert found["a"] == (pytest.approx(n + 3),)
    assert found["b"] == (pytest.approx(n / 4),)
    assert found["c"] == (pytest.approx(n - 6),)
