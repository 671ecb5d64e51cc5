"""When values that mean nothing still stand for one record each."""

import pytest
from tests.audits.columns.forms import sampled

from privet.audits.columns._record_codes import unique_code
from privet.engine import ColumnKind


def confidence(values, kind=ColumnKind.INTEGER, rows=None):
    found = unique_code(sampled(values, kind, rows=rows))
    return None if found is None else found[0]


def test_numbers_that_run_through():
    assert confidence([str(n) for n in range(5, 25)]) == pytest.approx(0.8)
    assert confidence([str(n) for n in range(19)]) is None, "nineteen rows say nothing"
    assert confidence([str(-n) for n in range(20)]) is None


def test_gaps_are_borne_up_to_half():
    """A hundred numbers may span 150."""
    numbers = [str(n) for n in range(99)]
    assert confidence([*numbers, "149"]) == pytest.approx(0.8)
    assert confidence([*numbers, "150"]) is None


def test_numbers_of_one_length_from_six_digits_on():
    assert confidence([str(100_000 + 7 * n) for n in range(60)]) == pytest.approx(0.7)
    assert confidence([str(10_000 + 7 * n) for n in range(60)]) is None


def test_what_repeats_is_no_number_of_a_record():
    values = [str(n) for n in range(98)]
    assert confidence(values, rows=100) == pytest.approx(0.8)
    assert confidence(values, rows=101) is None


def test_codes_and_tokens():
    text = ColumnKind.TEXT
    assert confidence([f"P-{n:04d}" for n in range(40)], text) == pytest.approx(0.8)
    assert confidence([f"P-{n:03d}" for n in range(40)], text) is None
    letters = [chr(97 + n % 26) * 14 + chr(97 + n // 26) * 2 for n in range(40)]
    assert confidence(letters, text) == pytest.approx(0.7)
    assert confidence([one[1:] for one in letters], text) is None, "fifteen letters may be a word"
    assert confidence([f"item {n:04d}" for n in range(40)], text) is None, "two words"


def test_codes_of_one_shape_with_few_rows_each():
    text = ColumnKind.TEXT
    codes = [f"V{n:04d}" for n in range(50)]
    assert confidence(codes, text, rows=250) == pytest.approx(0.6)
    assert confidence(codes, text, rows=251) is None
    assert confidence(codes[:49], text, rows=200) is None


def test_the_evidence_counts_and_quotes_nothing():
    found = unique_code(sampled([str(n) for n in range(1000, 3000)], ColumnKind.INTEGER))
    assert found is not None
    assert found[1].says == "whole numbers that run through without repeating (2,000 in 2,000 rows)"


def test_other_kinds_are_not_judged():
    assert confidence([f"{n}.5" for n in range(40)], ColumnKind.REAL) is None
