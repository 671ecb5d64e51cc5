"""The small table of stays, opened with roles, bounds and keys."""

import pytest
from tests.protect.transform.stays import ROWS

import privet as pv


@pytest.fixture
def table() -> pv.Table:
    return pv.open_table(
        ROWS,
        unit=pv.Person("id", max_rows=3),
        roles={"name": "direct", "age": "quasi"},
        bounds={"age": (0, 120), "weight": (0, 200)},
        keys={"name": ["Ada", "Cy"]},
    )
