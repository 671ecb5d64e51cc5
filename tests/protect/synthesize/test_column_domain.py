"""Domains of columns: codes, and values that lie where the codes say."""

import datetime

import numpy as np
import pytest

from privet.engine import ColumnKind, DateBins, EvenBins, UnevenBins
from privet.errors import BadSynthesis
from privet.protect.synthesize._column_domain import ColumnDomain, date_domain, day_number, number_domain

DRAWS = np.random.default_rng(0)


def test_few_whole_numbers_get_a_bin_each_and_come_back_as_they_were() -> None:
    age = number_domain("age", ColumnKind.INTEGER, 0, 99, bins=None, origin="stated")
    assert (age.bins, age.size, age.missing) == (100, 101, 100)
    assert age.decoded(np.arange(101), DRAWS).to_pylist() == [*range(100), None]
    assert isinstance(age.coded().bins, EvenBins)


def test_many_whole_numbers_share_bins() -> None:
    pay = number_domain("pay", ColumnKind.INTEGER, 0, 99_999, bins=10, origin="stated")
    values = np.array(pay.decoded(np.repeat(np.arange(10), 50), DRAWS).to_pylist())
    assert (values // 10_000 == np.repeat(np.arange(10), 50)).all()


def test_numbers_lie_in_their_bins() -> None:
    weight = number_domain("weight", ColumnKind.REAL, -1, 1, bins=8, origin="stated")
    values = np.array(weight.decoded(np.repeat(np.arange(8), 100), DRAWS).to_pylist())
    assert (np.minimum((values + 1) // 0.25, 7) == np.repeat(np.arange(8), 100)).mean() > 0.99
    uneven = ColumnDomain("x", "number", ColumnKind.REAL, edges=(0, 1, 10))
    assert isinstance(uneven.coded().bins, UnevenBins)


def test_dates_lie_in_their_bins_and_the_last_day_is_one_of_them() -> None:
    first, last = datetime.date(2026, 1, 1), datetime.date(2026, 3, 31)
    seen = date_domain("seen", ColumnKind.DATE, day_number(first), day_number(last), bins=3, origin="stated")
    assert isinstance(seen.coded().bins, DateBins)
    days = seen.decoded(np.array([0, 1, 2, 3]), DRAWS).to_pylist()
    assert first <= days[0] < days[1] < days[2] <= last
    assert days[3] is None


def test_categories_and_records_come_back() -> None:
    ward = ColumnDomain("ward", "category", ColumnKind.TEXT, values=("icu", "eye"), origin="stated: form")
    assert ward.decoded(np.array([1, 0, 2]), DRAWS).to_pylist() == ["eye", "icu", None]
    day = ColumnDomain("day", "category", ColumnKind.DATE, values=(datetime.date(2026, 1, 1),))
    for one in (ward, day):
        assert ColumnDomain.from_json(one.to_json()) == one
    assert "icu" in ward.describe()


def test_what_is_no_domain_is_refused() -> None:
    for wrong in (
        {"kind": "category"},
        {"kind": "number", "edges": (1.0, 1.0)},
        {"kind": "number", "edges": (1.0,)},
    ):
        with pytest.raises(BadSynthesis):
            ColumnDomain("x", column=ColumnKind.REAL, **wrong)
