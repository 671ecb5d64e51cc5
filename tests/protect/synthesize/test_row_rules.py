"""Rules: read as people write them, kept in every row, and refused where hardly a row keeps them."""

import datetime

import pyarrow as pa
import pytest
from tests.protect.synthesize.people import table

import privet as pv
from privet.engine import ColumnKind
from privet.errors import BadSynthesis, RuleUnmet
from privet.protect.synthesize._row_rules import keeping, rules_of

KINDS = {"in": ColumnKind.DATE, "out": ColumnKind.DATE, "age": ColumnKind.INTEGER, "ward": ColumnKind.TEXT}
DAY = datetime.date(2026, 1, 1)
ROWS = pa.table(
    {
        "in": pa.array([DAY, DAY, None]),
        "out": pa.array([DAY - datetime.timedelta(days=1), DAY, DAY]),
        "age": [3, 30, 40],
        "ward": ["a", "b", None],
    }
)


@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        ("out >= in", [False, True, True]),
        ("age<18", [True, False, False]),
        ("ward != 'a'", [False, True, True]),
        ("in == 2026-01-01", [True, True, True]),
    ],
)
def test_rules_are_read_and_missing_values_keep_them(rule, kept) -> None:
    (read,) = rules_of([rule], KINDS)
    assert read.kept(ROWS).to_pylist() == kept


def test_what_is_no_rule_is_refused() -> None:
    for wrong in ("age", "aged > 3", "age > ward", "age > many", "in > soon"):
        with pytest.raises(BadSynthesis):
            rules_of([wrong], KINDS)


def test_rows_are_made_until_enough_keep_the_rules() -> None:
    rules = rules_of(["age < 18"], KINDS)
    found = keeping(rules, 7, iter([ROWS] * 100))
    assert found["age"].to_pylist() == [3] * 7
    with pytest.raises(RuleUnmet):
        keeping(rules_of(["age > 99"], KINDS), 7, iter([ROWS] * 10_000))


def test_a_twin_keeps_its_rules_at_no_cost(ledger) -> None:
    one = table()
    pv.synthesize(one, pv.ApproxDP(4, 1e-6), rows=300, ledger=ledger, why="a twin", method="mst")
    spent = ledger.balance().spent
    twin = pv.synthesize(
        one,
        pv.ApproxDP(4, 1e-6),
        rows=300,
        ledger=ledger,
        why="a twin",
        method="mst",
        rules=["age < 50", "ward != icu"],
    )
    rows = twin.to_arrow().to_pylist()
    assert len(rows) == 300
    assert all(row["age"] is None or row["age"] < 50 for row in rows)
    assert all(row["ward"] != "icu" for row in rows)
    assert "Every row keeps: age < 50." in twin.notes
    assert ledger.balance().spent == spent
