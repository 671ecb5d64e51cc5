"""Tables for attacks: like-distributed rows with odd names, negative numbers and gaps."""

import numpy as np
import pyarrow as pa


def world(rows: int, seed: int) -> pa.Table:
    """Rows of one distribution: numbers below nought, gaps, and names of columns with spaces and brackets."""
    draw = np.random.default_rng(seed)
    level = draw.normal(size=rows)
    columns: dict[str, object] = {
        f"amount [{j}]": np.round(level * (j % 2) + draw.normal(size=rows) * 10 - 5, 1) for j in range(3)
    }
    gaps = draw.random(rows) < 0.05
    columns["with gaps (%)"] = pa.array(np.round(draw.normal(size=rows), 2), mask=gaps)
    columns |= {f"kind {j}": draw.choice(list("abcdefgh")[: 3 + j], rows) for j in range(4)}
    return pa.table(columns)
