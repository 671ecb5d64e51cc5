"""pycanon: k, l and t for one set of quasi-identifiers. Runs in its own environment; see bench.audit."""

import json
import os
import resource
import signal
import sys

import pandas as pd
from pycanon import anonymity

path, quasi, sensitive, limit = sys.argv[1], sys.argv[2].split(","), sys.argv[3], int(sys.argv[4])
found: dict[str, object] = {}


def finish(*_: object) -> None:
    """Say what is known by now, and end."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"peak_mb": peak, "finished": "t" in found, **found}), flush=True)
    os._exit(0)  # the library catches what an ordinary exit raises


signal.signal(signal.SIGXCPU, finish)
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 30))
data = pd.read_csv(path, dtype=str)
found["k"] = int(anonymity.k_anonymity(data, quasi))
found["l"] = int(anonymity.l_diversity(data, quasi, [sensitive]))
found["t"] = float(anonymity.t_closeness(data, quasi, [sensitive]))
finish()
