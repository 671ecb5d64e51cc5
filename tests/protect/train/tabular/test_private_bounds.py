"""What is bought with noise: a count, bounds and values, within the promise; too little data gives nothing away."""

import datetime
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.engine import ColumnKind
from privet.errors import BudgetExceeded
from privet.protect.train.tabular._private_bounds import FEWEST, estimated, kinds_to_estimate

PROMISE = pv.ApproxDP(8, "1e-3")


def table(rows=2000):
    draw = np.random.default_rng(3)
    return pv.open_table(
        pa.table(
            {
                "x": draw.uniform(3, 60, rows),
                "day": [datetime.date(1990, 1, 1) + datetime.timedelta(days=int(d)) for d in draw.integers(0, 9000, rows)],
                "town": ["Hill" if at % 2 else "Bay" for at in range(rows - 1)] + ["Nowhere"],
            }
        ),
        unit=pv.Row(), name="t", version="1",
    )  # fmt: skip


def bought(no_rows=2000, *, count=True, columns=None):
    with pv.Ledger.in_memory(limit=pv.ApproxDP(10, "1e-2")) as ledger:
        kinds = {"x": "number", "day": "date", "town": "category"} if columns is None else columns
        found = estimated(
            table(no_rows), pv.Row(), PROMISE, ledger, {"why": "test"}, count=count, columns=kinds
        )
        return found, ledger.balance().spends, ledger.balance().spent


def test_bounds_are_powers_of_two_and_years_and_rare_values_are_left_out(no_noise):
    found, spends, _ = bought()
    assert found.count == 2000
    assert (found.columns["x"].lower, found.columns["x"].upper) == (2, 64)
    assert found.columns["town"].values == ("Bay", "Hill")
    assert found.columns["day"].kind == "date"
    assert {one.why for one in found.columns.values()} == {"estimated with noise, and paid for"}
    assert spends == 1, "one booking for all of it"


def test_what_is_left_and_what_was_spent_are_no_more_than_the_promise():
    found, _, spent = bought()
    assert found.rest.epsilon == 8 * (1 - Fraction(1, 20) - Fraction(3, 20))
    assert found.rest.delta == Fraction(1, 1000) * Fraction(9, 10)
    assert Fraction(spent["epsilon"]) + found.rest.epsilon <= 8 + Fraction(1, 10**6)
    assert Fraction(spent["delta"]) + found.rest.delta <= Fraction(1, 1000)
    alone, _, _ = bought(count=True, columns={})
    assert alone.rest.epsilon == 8 * Fraction(19, 20)
    assert alone.rest.delta == Fraction(1, 1000)


def test_few_rows_give_nothing_but_noise(no_noise):
    found, _, _ = bought(3)
    assert found.count == FEWEST
    assert {one.kind for one in found.columns.values()} == {"ignore"}


def test_a_promise_that_does_not_fit_is_refused_before_anything_is_booked():
    with pv.Ledger.in_memory(limit=pv.ApproxDP(1, "1e-2")) as ledger:
        with pytest.raises(BudgetExceeded):
            estimated(table(10), pv.Row(), PROMISE, ledger, {"why": "test"}, count=True, columns={})
        assert ledger.balance().spends == 0


def test_kinds_are_those_of_columns_and_the_person_is_none_of_them():
    columns = {
        "n": ColumnKind.INTEGER,
        "r": ColumnKind.REAL,
        "t": ColumnKind.TEXT,
        "d": ColumnKind.DATE,
        "o": ColumnKind.OTHER,
        "who": ColumnKind.INTEGER,
        "y": ColumnKind.INTEGER,
    }
    found = kinds_to_estimate(columns, list(columns), pv.Person("who", max_rows=1), classes="y")
    assert found == {"n": "number", "r": "number", "t": "category", "d": "date", "y": "category"}
