"""Search for the settings of a model, and pay for the search."""

import tempfile
from pathlib import Path

import pyarrow as pa

import privet as pv

ROWS = 4000
AGES = [20 + (at * 37) % 70 for at in range(ROWS)]
STAYS = [1 + (at * 11) % 30 for at in range(ROWS)]
BACK = [
    "yes" if age + 2 * stay + (at * 13) % 40 > 110 else "no"
    for at, (age, stay) in enumerate(zip(AGES, STAYS, strict=True))
]

schema = {
    "age": {"kind": "number", "lower": 0, "upper": 100},
    "days": {"kind": "number", "lower": 0, "upper": 60},
    "readmitted": {"kind": "category", "values": ["no", "yes"]},
}

with tempfile.TemporaryDirectory() as room:
    table = pv.open_table(pa.table({"age": AGES, "days": STAYS, "readmitted": BACK}), unit=pv.Row())
    ledger = pv.Ledger(Path(room) / "patients.ledger", limit=pv.ApproxDP(3, 1e-6))
    model = pv.train.tune(
        table,
        pv.ApproxDP(2, 1e-6),
        target="readmitted",
        settings={"rate": [0.05, 0.5], "clip": [0.5, 1.0]},
        schema=schema,
        records=4000,
        mean=3,
        ledger=ledger,
        why="which settings suit readmissions",
    )
    chosen = model.fitted.settings
    print(f"the best trial had rate {chosen['rate']:g} and clip {chosen['clip']:g}")
    print(f"spent: {ledger.balance()}")
    ledger.close()
