"""Labels of two tables in common codes: equal values have equal codes, whatever their types."""

import pyarrow as pa
import pytest

from privet.disclosure.linkage._aligned_sides import MISSING, aligned


def test_equal_labels_have_equal_codes_in_the_order_of_the_values():
    left, right, both = aligned(pa.array(["b", "a", None]), pa.array(["c", "b"]))
    assert both.to_pylist() == ["a", "b", "c"]
    assert left.tolist() == [1, 0, MISSING]
    assert right.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("left", "right", "common"),
    [
        (pa.array([1, 2], pa.int32()), pa.array([2, 3], pa.int64()), [1, 2, 3]),
        (pa.array([1, 2], pa.int32()), pa.array([2.0, 3.5]), [1.0, 2.0, 3.5]),
        (pa.array([1.0, 2.0], pa.float32()), pa.array([2.0, 3.5]), [1.0, 2.0, 3.5]),
        (pa.array([1, 2]), pa.array(["2", "3"]), ["1", "2", "3"]),
    ],
    ids=["whole", "whole and number", "numbers", "number and text"],
)
def test_different_types_meet(left, right, common):
    mine, theirs, both = aligned(left, right)
    assert both.to_pylist() == common
    assert mine.tolist() == [0, 1]
    assert theirs.tolist() == [1, 2]


def test_a_time_of_day_is_dropped_where_a_date_meets_text():
    born = pa.array(["1970-05-04T13:30:00"]).cast(pa.timestamp("s"))
    mine, theirs, both = aligned(born, pa.array(["1970-05-04"]))
    assert both.to_pylist() == ["1970-05-04"]
    assert mine.tolist() == theirs.tolist() == [0]


def test_nothing_is_a_code_of_its_own():
    left, right, both = aligned(pa.array([None, None], pa.string()), pa.array(["a"]))
    assert left.tolist() == [MISSING, MISSING]
    assert right.tolist() == [0]
    assert len(both) == 1
    assert MISSING == -1
