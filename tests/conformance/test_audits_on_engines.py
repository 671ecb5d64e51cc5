"""An audit gives the same result on every engine."""

import json

import numpy as np
import pyarrow as pa

from privet.audits import audit
from privet.source._snapshot import Snapshot
from privet.source._table import Table


def records(rows: int = 300) -> pa.Table:
    draw = np.random.default_rng(5)
    return pa.table(
        {
            "who": draw.integers(1000, 1150, rows),
            "email": pa.array([f"p{n}@example.org" for n in range(rows)]),
            "born": pa.array(draw.integers(0, 9000, rows).astype("int32")).cast(pa.date32()),
            "zip": pa.array(
                [f"{code:05d}" if code % 7 else None for code in draw.integers(10_000, 10_040, rows)]
            ),
            "sex": draw.choice(["F", "M"], rows),
            "income": draw.normal(50_000, 9_000, rows).round(-3),
            "diagnosis": draw.choice(["J45.9 Asthma", "I50.9 Heart failure", "E11.9 Diabetes"], rows),
        }
    )


def told(relation) -> str:
    table = Table(relation, "records", Snapshot.of("test", None))
    roll = records(120).select(["born", "zip", "sex"])
    found = audit(table, unit="who", auxiliary=roll, linker="own")
    return json.dumps(found.to_json(), sort_keys=True)


def test_every_engine_says_the_same(engine) -> None:
    from tests.conftest import Engine

    assert told(engine.load(records())) == told(Engine("duckdb", None).load(records()))
