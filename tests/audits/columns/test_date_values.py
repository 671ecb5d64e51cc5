"""Dates in the ways people write them, and years that are those of births."""

import random

import pytest

from privet.audits.columns._date_values import are_births, year_of


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("1990-03-12", 1990), ("12.03.1990", 1990), ("3/12/1990", 1990), ("12 Mar 1990", 1990), ("March 12, 1990", 1990),
        ("19900312", 1990), ("1990/03/12", 1990), ("2024-02-29 10:30:00", 2024), ("2024-02-29T10:30:00Z", 2024),
        ("12/03/85", 1985), ("12/03/12", 2012), ("1990-13-12", None), ("12345678", None), ("hello", None), ("1990", None),
        ("10.0.0.1", None), ("", None), ("12/03/30", 1930), ("12/03/29", 2029), ("3 décembre 1975", 1975), ("1799-01-01", None),
    ],
)  # fmt: skip
def test_dates_in_many_forms(text, year):
    assert year_of(text) == year


def test_births_spread_over_generations():
    draw = random.Random(1)
    assert are_births([draw.randrange(1930, 2010) for _ in range(100)])
    assert not are_births([draw.randrange(2015, 2025) for _ in range(100)])
    assert not are_births([1930, 1990])
    assert not are_births([draw.randrange(1800, 2020) for _ in range(100)])


def test_forty_years_lie_between_the_early_and_the_late():
    """Of forty-one dates, the two outermost on each side do not count."""
    assert are_births([1940, 1940, 1950, *[1970] * 35, 1990, 2000, 2000])
    assert not are_births([1940, 1940, 1951, *[1970] * 35, 1990, 2000, 2000])
    assert are_births([1960] * 10 + [2000] * 10)
    assert not are_births([1960] * 10 + [2000] * 9), "nineteen dates prove nothing"


def test_nobody_lives_longer_than_a_lifetime():
    middle = list(range(1900, 2000))
    assert are_births([1890, *middle, 2015])
    assert not are_births([1889, *middle, 2015])
    assert are_births([1880, *middle, 2000])
    assert not are_births([1879, *middle, 2000])
