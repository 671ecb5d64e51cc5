"""Work grows no faster than rows do, and slower than pairs of columns: calls are counted, since time depends on the machine.

`bench.load` measures CPU and memory at sizes that matter; this fails for the same faults at sizes that take seconds.
"""

import cProfile
import pstats

import pytest
from bench.load import Work, anonymize_columns, anonymize_rows, audit_rows, exponent, wide

import privet as pv


def calls(work: Work) -> int:
    """How many functions are called, of Python's and of libraries it calls."""
    watch = cProfile.Profile()
    watch.runcall(work)
    return int(pstats.Stats(watch).total_calls)  # type: ignore[attr-defined]


def audit_columns(size: int) -> Work:
    table = pv.open_table(wide(size, 200), unit=pv.Person("person_id", max_rows=1))
    return lambda: pv.audit(table)


@pytest.mark.parametrize(
    ("make", "small", "times", "allowed"),
    [
        (
            audit_columns,
            8,
            3,
            1.6,
        ),  # pairs and triples of columns are compared, up to a stated number of them
        (anonymize_columns, 20, 4, 1.0),
        (audit_rows, 500, 6, 1.0),
        (anonymize_rows, 1_000, 8, 1.0),
    ],
)
def test_calls_grow_at_most_as_allowed(make, small, times, allowed):
    make(small)()  # loads libraries, whose work is not counted
    few, many = calls(make(small)), calls(make(small * times))
    assert exponent([small, small * times], [few, many]) <= allowed + 0.1


def test_the_exponent_is_that_of_the_growth():
    assert exponent([10, 100, 1_000], [1, 100, 10_000]) == pytest.approx(2)
    assert exponent([10, 100, 1_000], [7, 7, 7]) == pytest.approx(0)
