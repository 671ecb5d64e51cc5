"""Features by public bounds and values alone: between -1 and 1, what is missing in the middle."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privet.engine import ColumnKind
from privet.errors import BadFunction
from privet.protect.pac._design_matrix import Classes, DesignMatrix, binned_feature
from privet.source import Bounds, ColumnFacts

AGE = ColumnFacts("age", ColumnKind.INTEGER, Bounds(0, 100))
ILL = ColumnFacts("ill", ColumnKind.BOOLEAN)
WARD = ColumnFacts("ward", ColumnKind.TEXT, values=("a", "b"))
ROWS = pa.table({"age": [0, 50, 200, None], "ill": [True, False, None, True], "ward": ["b", "a", None, "z"]})
SCALED = [[-1, 1, 0, 1], [0, -1, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]]


def test_columns_become_features() -> None:
    design = DesignMatrix.of([AGE, ILL, WARD])
    assert design.labels == ("age", "ill", "ward=a", "ward=b")
    assert design.scaled(ROWS).tolist() == SCALED


def test_public_points_are_frames_tables_or_arrays() -> None:
    design = DesignMatrix.of([AGE, ILL, WARD])
    assert design.points(ROWS.to_pandas()).tolist() == SCALED
    assert design.points(ROWS).tolist() == SCALED
    assert DesignMatrix.of([AGE]).points([[25], [75]]).tolist() == [[-0.5], [0.5]]  # exact: halves
    for wrong in ([[1, 2, 3]], [], "text", [["a"]], pd.DataFrame({"other": [1]})):
        with pytest.raises(BadFunction):
            DesignMatrix.of([AGE]).points(wrong)


def test_features_go_back_into_their_units() -> None:
    design = DesignMatrix.of([AGE])
    assert design.unscaled(np.array([[-1.0], [0.5]])).tolist() == [[0.0], [75.0]]  # exact: quarters
    with pytest.raises(BadFunction, match="hold values"):
        DesignMatrix.of([WARD]).ends()
    with pytest.raises(BadFunction, match="which values there are"):
        DesignMatrix.of([ColumnFacts("ward", ColumnKind.TEXT)])


def test_classes_are_public() -> None:
    assert Classes.of(ILL, None).values == (False, True)
    assert Classes.of(WARD, None).codes(ROWS).tolist() == [1, 0, -1, -1]
    assert Classes.of(ColumnFacts("n", ColumnKind.INTEGER, Bounds(1, 3)), None).values == (1, 2, 3)
    assert Classes.of(AGE, [0, 50]).codes(ROWS).tolist() == [0, 1, -1, -1]
    for column, said in (
        (AGE, None),
        (WARD, ["a"]),
        (WARD, ["a", "a"]),
        (ColumnFacts("t", ColumnKind.TEXT), None),
    ):
        with pytest.raises(BadFunction, match="classes"):
            Classes.of(column, said)


def test_a_truth_value_is_counted_as_one_of_two() -> None:
    assert binned_feature(ILL).labels == ("ill=False", "ill=True")
    assert binned_feature(AGE).values is None
