"""A column laid out for detectors: what is dropped, what is counted, and which values are looked at."""

import pytest
from tests.audits.columns.forms import sampled

from privet.audits.columns._sampled_column import TESTED, spread
from privet.engine import ColumnKind


def test_blanks_and_placeholders_are_not_values():
    assert sampled([" a ", "", "N/A", "Prefer not to say", "-", "keine Angabe", "b"]).texts == ("a", "b")


def test_whole_numbers_kept_as_real_lose_their_ending():
    assert sampled(["1.0", "2.50"], ColumnKind.REAL).texts == ("1", "2.50")
    assert sampled(["1.0"], ColumnKind.TEXT).texts == ("1.0",)


def test_values_are_numbers_only_if_all_are():
    assert sampled(["1", "-2.5", "+3e2"]).numbers == pytest.approx((1, -2.5, 300))
    for odd in ("x", "inf", "1_000", "1,5", ".5"):
        assert sampled(["1", odd]).numbers == (), odd


def test_words_and_characters_are_averages():
    column = sampled(["one two three", "four"])
    assert column.words == pytest.approx(2)
    assert column.length == pytest.approx(8.5)
    assert column.share([True, False]) == pytest.approx(0.5)


def test_a_column_without_values_has_no_words():
    column = sampled(["", "n/a"])
    assert (column.texts, column.words, column.length, column.share([])) == ((), 0, 0, 0)


def test_distinct_values_for_each_row_that_has_one():
    assert sampled(["a", "b"], rows=8).distinct_share == pytest.approx(0.25)


def test_values_come_evenly_from_all_over_a_sorted_sample():
    assert list(spread("abcdefghij", 5)) == ["a", "c", "e", "g", "i"]
    assert spread("abc", 3) == "abc"
    column = sampled([f"{n:05d}" for n in range(10 * TESTED)])
    assert len(column.texts) == TESTED
    assert column.texts[:2] == ("00000", "00010")
    assert column.texts[-1] == f"{10 * TESTED - 10:05d}"
