"""Columns that say something only together: boosted trees beside the default model, at the same promise."""

import tempfile
from pathlib import Path

import pyarrow as pa

import privet as pv

ROWS = 3000
DOSES = [(at * 37) % 100 for at in range(ROWS)]
WEIGHTS = [40 + (at * 53 + at // 100 * 11) % 80 for at in range(ROWS)]
# Harm is done by much of it in light people, and by too little in heavy ones: neither column says so alone.
HARMED = [
    "yes" if ((dose > 50) != (weight > 80)) != (at % 11 == 0) else "no"
    for at, (dose, weight) in enumerate(zip(DOSES, WEIGHTS, strict=True))
]

schema = {
    "dose": {"kind": "number", "lower": 0, "upper": 100},
    "weight": {"kind": "number", "lower": 40, "upper": 120},
    "harmed": {"kind": "category", "values": ["no", "yes"]},
}
rows = pa.table({"dose": DOSES, "weight": WEIGHTS, "harmed": HARMED})
learned, fresh = rows.slice(0, 2400), rows.slice(2400)

with tempfile.TemporaryDirectory() as room:
    table = pv.open_table(learned, unit=pv.Row())
    with pv.Ledger(Path(room) / "doses.ledger", limit=pv.ApproxDP(2, 2e-6)) as ledger:
        for learner in ("auto", "boosted_trees"):
            model = pv.train(
                table,
                pv.ApproxDP(1, 1e-6),
                target="harmed",
                model=learner,
                schema=schema,
                records=2400,
                ledger=ledger,
                why="who is harmed by a dose",
            )
            right = sum(
                said == was
                for said, was in zip(model.predict(fresh), fresh["harmed"].to_pylist(), strict=True)
            )
            print(f"{learner}: {right / fresh.num_rows:.0%} of fresh rows are right")
        print(f"spent: {ledger.balance()}")
