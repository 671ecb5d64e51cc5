"""pycanon: k, l and t for one set of quasi-identifiers. Runs in its own environment; see bench.audit."""

import json
import resource
import sys

import pandas as pd
from pycanon import anonymity

path, quasi, sensitive = sys.argv[1], sys.argv[2].split(","), sys.argv[3]
data = pd.read_csv(path, dtype=str)
found = {
    "k": int(anonymity.k_anonymity(data, quasi)),
    "l": int(anonymity.l_diversity(data, quasi, [sensitive])),
    "t": float(anonymity.t_closeness(data, quasi, [sensitive])),
}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"groups": 1, "peak_mb": peak, **found}))
