"""A small table of stays with gaps in every column, and a ring of keys that is always the same."""

import datetime as dt

import pyarrow as pa

from privet.protect.transform.pseudonyms import Key, KeyRing

RING = KeyRing((Key("k1", bytes(range(32))),))


DAY = dt.date(2024, 2, 29)


NOON = dt.datetime.combine(DAY, dt.time(12, 30))


ROWS = pa.table(
    {
        "id": [1, 2, 1, 3, None, 2],
        "name": ["Ada", "Bob Stone", "Ada", "Cy", None, "Bob Stone"],
        "age": [17, 95, 18, None, 42, 89],
        "weight": [60.26, -2.5, 2.5, None, 100.0, 7.4],
        "seen": [DAY, DAY, dt.date(2024, 3, 10), dt.date(9999, 12, 31), DAY, None],
        "at": [NOON, None, NOON, None, None, None],
    },
    schema=pa.schema(
        {
            "id": pa.int64(), "name": pa.string(), "age": pa.int64(), "weight": pa.float64(),
            "seen": pa.date32(), "at": pa.timestamp("us"),
        }
    ),
)  # fmt: skip


def column(result, name: str) -> list:
    return result.to_arrow()[name].to_pylist()
