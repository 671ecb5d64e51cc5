"""Rows as functions want them: NumPy, pandas or Arrow; outputs as numbers."""

import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import privet as pv
from privet.protect.pac._row_forms import as_given, doubles, matrix, numbers_of

ROWS = pa.table({"age": [30, None], "cost": [1.5, 2.5], "ill": [True, False]})


def test_numbers_and_truth_values_stand_side_by_side() -> None:
    found = matrix(ROWS)
    assert found.shape == (2, 3)
    assert found[0].tolist() == [30, 1.5, 1]  # exact: whole and half numbers
    assert math.isnan(found[1, 0])
    assert as_given(ROWS, "numpy").shape == (2, 3)


def test_frames_and_arrow_keep_their_columns() -> None:
    assert list(as_given(ROWS, "pandas").columns) == ["age", "cost", "ill"]
    assert as_given(ROWS, "arrow") is ROWS
    assert matrix(ROWS.select([])).shape == (2, 0)


def test_outputs_are_numbers_or_an_error() -> None:
    assert numbers_of(3).shape == ()
    assert numbers_of([[1, 2]]).tolist() == [[1.0, 2.0]]  # exact: whole numbers
    assert numbers_of(np.float32(2)).dtype == np.float64
    with pytest.raises((TypeError, ValueError)):
        numbers_of("seven")
    with pytest.raises(TypeError):
        numbers_of([1 + 2j])  # half of it would be lost


@pytest.mark.parametrize(
    "column",
    [
        pa.chunked_array([[2**53 + 1, None], [-(2**63)]]),
        pa.chunked_array([pa.array([Decimal(10) ** 37, None, Decimal(1)], pa.decimal128(38, 0))]),
        pa.chunked_array([pa.array([2**64 - 1, None, 0], pa.uint64())]),
        pa.chunked_array([[math.inf, None, 1e308]]),
        pa.chunked_array([[True, None, False]]),
    ],
)
def test_no_number_is_refused_for_being_no_double(column) -> None:
    """A refusal would depend on one row, and carry its value."""
    found = doubles(column)
    assert np.isnan(found).tolist() == [False, True, False]
    assert found[[0, 2]] == pytest.approx([float(column[0].as_py()), float(column[2].as_py())])


def test_no_other_module_of_the_room_casts_to_doubles_by_itself() -> None:
    """One that refuses what no double is exactly was found in four places."""
    room = Path(pv.__file__).parent / "protect" / "pac"
    strays = [path.name for path in room.glob("*.py") if ".cast(pa.float64())" in path.read_text("utf-8")]
    assert strays == []
