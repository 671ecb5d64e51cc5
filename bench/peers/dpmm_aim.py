"""AIM of dpmm on coded columns: run by `bench.synthesize` in the peer's environment.

Arguments: the CSV file, the JSON file with the sizes of the columns, epsilon, delta, the CSV file to write. Prints one line
of JSON. Models of at most a megabyte and 1,000 iterations, as its authors run it for comparisons of this size.
"""

import json
import sys
import time
from pathlib import Path

import pandas as pd
from dpmm.models.aim import AIMGM


def main() -> None:
    """Make the twin and write it."""
    source, domain, epsilon, delta, out = sys.argv[1:]
    started = time.process_time()
    sizes = json.loads(Path(domain).read_text(encoding="utf-8"))
    table = pd.read_csv(source)[list(sizes)]
    model = AIMGM(
        epsilon=float(epsilon), delta=float(delta), domain=sizes, max_model_size=1, n_iters=1_000, n_jobs=1
    )
    model.fit(table)
    model.generate(n_records=len(table)).to_csv(out, index=False)
    print(json.dumps({"cpu_s": round(time.process_time() - started, 1)}))


if __name__ == "__main__":
    main()
