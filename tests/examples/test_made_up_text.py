"""Text made by columns: digits with leading zeros, picks and joins."""

import numpy as np
import pyarrow as pa
import pytest

from privet.examples._made_up_text import digits, joined, picks


def test_each_run_takes_the_next_number_with_leading_zeros():
    made = digits("##-A#:###", np.array([7, 42]), np.array([9, 0]), np.array([5, 123]))
    assert made.to_pylist() == ["07-A9:005", "42-A0:123"]


def test_a_number_that_is_too_long_loses_its_front_and_the_given_one_is_not_changed():
    numbers = np.array([1234])
    assert digits("##", numbers).to_pylist() == ["34"]
    assert numbers.tolist() == [1234]


def test_there_are_as_many_numbers_as_runs():
    with pytest.raises(ValueError):
        digits("##-##", np.array([1]))


def test_no_rows_are_an_empty_column():
    assert digits("###", np.array([], np.int64)).to_pylist() == []


def test_picks_and_joins():
    words = picks(["a", "bé"], np.array([1, 0, 1]))
    assert words.to_pylist() == ["bé", "a", "bé"]
    assert joined(words, "-", pa.array(["x", "y", "z"])).to_pylist() == ["bé-x", "a-y", "bé-z"]
