"""k-anonymity of adult by anjana: run by `bench.anonymize` in anjana's own environment.

Arguments: the folder of adult, k, and the percentage of rows that may be suppressed. Prints one line of JSON with the
mean loss over the columns (a suppressed row loses everything) and the CPU seconds of the search alone.
"""

import csv
import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from anjana.anonymity import k_anonymity


def hierarchy(path: Path) -> dict[int, np.ndarray]:
    """One array for each level, in the form anjana takes."""
    with path.open(encoding="utf-8", newline="") as file:
        paths = list(csv.reader(file, delimiter=";"))
    return {level: np.array(values) for level, values in enumerate(zip(*paths, strict=True))}


def loss(table: pd.DataFrame, hierarchies: dict[str, dict[int, np.ndarray]], rows: int) -> float:
    """The mean over columns of the normalized loss; rows that are gone count as fully generalized."""
    found = []
    for column, levels in hierarchies.items():
        leaves = len(levels[0])
        shares: dict[str, float] = {}
        for values in levels.values():
            for value, number in zip(*np.unique(values, return_counts=True), strict=True):
                shares.setdefault(str(value), number / leaves)
        total = sum(shares[str(value)] for value in table[column]) + (rows - len(table))
        found.append((total - rows / leaves) / (rows - rows / leaves))
    return float(np.mean(found))


def main() -> None:
    """Anonymize once and report."""
    folder, k, percent = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    table = pd.read_csv(folder / "adult.csv", sep=";", dtype=str)
    files = {path.stem.partition("_hierarchy_")[2]: path for path in folder.glob("*_hierarchy_*.csv")}
    hierarchies = {column: hierarchy(files[column]) for column in table.columns}
    rows, columns = len(table), list(table.columns)
    before = time.process_time()
    anonymous = k_anonymity(table, [], columns, k, percent, hierarchies)
    spent = time.process_time() - before
    sizes = anonymous.groupby(columns).size()
    print(
        json.dumps(
            {
                "search_cpu_s": round(spent, 2),
                "loss": loss(anonymous, hierarchies, rows),
                "suppressed": rows - len(anonymous),
                "classes": len(sizes),
                "smallest": int(sizes.min()),
                "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )


if __name__ == "__main__":
    main()
