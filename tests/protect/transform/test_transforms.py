"""Every transform: what cannot be done is refused, and no value is lost or shown."""

import pyarrow as pa
import pytest
from tests.protect.transform.stays import RING, ROWS

import privet as pv
from privet.errors import BadTransform, PrivetError
from privet.protect.transform import (
    code_ends,
    mask,
    round_to,
    shift_dates,
    suppress_columns,
    suppress_rare,
)


def test_values_that_the_engine_would_lose_are_refused() -> None:
    table = pv.open_table(pa.table({"id": pa.array([2**63 + 5, 1, None], pa.uint64())}))
    for attempt in (lambda: mask(table, "id"), lambda: suppress_rare(table, "id", 2)):
        with pytest.raises(BadTransform, match="1 values of 'id'") as caught:
            attempt()
        assert "92233" not in str(caught.value)


@pytest.mark.parametrize(
    "attempt",
    [
        lambda table: suppress_columns(table, list(ROWS.column_names)),
        lambda table: suppress_columns(table, []),
        lambda table: suppress_columns(table, "name"),
        lambda table: suppress_rare(table, "name", 1),
        lambda table: mask(table, "nmae"),
        lambda table: mask(table, "name", keep_first=-1),
        lambda table: mask(table, "name", sign="**"),
        lambda table: mask(table, "weight"),
        lambda table: round_to(table, "name", 5),
        lambda table: round_to(table, "age", 0),
        lambda table: round_to(table, "age", 0.5),
        lambda table: round_to(table, "age", float("inf")),
        lambda table: code_ends(table, "age"),
        lambda table: code_ends(table, "age", above=1, below=2),
        lambda table: code_ends(table, "age", above=1.5),
        lambda table: code_ends(table, "seen", above=5),
        lambda table: shift_dates(table, ["age"], person="id", keys=RING, dataset="h", max_days=5),
        lambda table: shift_dates(table, ["seen"], person="weight", keys=RING, dataset="h", max_days=5),
        lambda table: shift_dates(table, ["seen"], person="id", keys=RING, dataset="h", max_days=0),
    ],
)
def test_what_cannot_be_done_is_refused(attempt, table: pv.Table) -> None:
    with pytest.raises(PrivetError) as caught:
        attempt(table)
    assert isinstance(caught.value, BadTransform)
    assert "Stone" not in str(caught.value)
